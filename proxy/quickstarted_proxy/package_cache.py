"""
Files that never change, kept for the next attempt: given instead of asked for, kept as they pass.

The policy is judged before anything here is asked. What cannot be kept or read is served from
upstream, and one event an attempt says so; an answer that was cut, refused or is not the whole
file is never kept.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from mitmproxy import ctx, http

from quickstarted_proxy import shortcut, trimmed
from quickstarted_proxy.budgets import Meter
from quickstarted_proxy.debian_lists import MAX_LIST_BYTES
from quickstarted_proxy.guard import guarded
from quickstarted_proxy.hash_tables import HashTables
from quickstarted_proxy.immutable import (
    Address,
    ImmutableRule,
    address_of,
    headers_to_keep,
    may_be_given,
    may_be_kept,
    size_to_keep,
)
from quickstarted_proxy.index_hashes import IndexRule
from quickstarted_proxy.kept_bodies import KEPT_BODY, KeptBody
from quickstarted_proxy.ledger import Exchange, Target
from quickstarted_proxy.package_answers import answer_to
from quickstarted_proxy.package_entries import Entry
from quickstarted_proxy.package_learning import Learning
from quickstarted_proxy.package_store import LAYOUT, Store, Unusable
from quickstarted_proxy.package_underway import Then, Underway
from quickstarted_proxy.package_vetting import Vetting
from quickstarted_proxy.package_writing import Writing
from quickstarted_proxy.state import State

DETAIL = "package_cache"
"""Of the event that says that the cache cannot be used."""
SETTLE_S = 5.0
"""How long the end of an attempt waits for files to be verified."""
TABLES_SHARE = 50
"""Of the limit, so many parts; one is for what lists have named."""
_TO_KEEP = "quickstarted_to_keep"
"""In a flow's metadata: the address under which the answer may be kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSettings:
    """The part `package_cache` of the order `start`."""

    folder: Path
    max_bytes: int
    immutable: tuple[ImmutableRule, ...]
    indexes: tuple[IndexRule, ...] = ()

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> CacheSettings:
        """
        Read what the harness says.

        Raises:
            ValueError: A part is missing or wrong.

        """
        try:
            return cls(
                folder=Path(str(value["folder"])),
                max_bytes=int(value["max_bytes"]),
                immutable=tuple(ImmutableRule.from_json(rule) for rule in value["immutable"]),
                indexes=tuple(IndexRule.from_json(rule) for rule in value["indexes"]),
            )
        except (KeyError, TypeError, AttributeError) as exc:
            raise ValueError(f"package_cache: {exc!r}") from exc


@dataclass(slots=True)
class _Attempt:
    """What is forgotten when another attempt begins."""

    number: int
    told: bool = False
    given: set[str] = field(default_factory=set)
    """Keys of files that only their first transfer vouches for, and that were given whole."""


def _kill_broken(cache: PackageCache, flow: Any, exc: Exception) -> None:
    cache.state.ledger.fail(flow.id, f"{type(exc).__name__}: {exc}", "policy_exception")
    flow.kill()


def _fail_broken(cache: PackageCache, data: KeptBody, exc: Exception) -> None:
    """The client's connection is closed, since not all of the body was sent."""
    text = f"{type(exc).__name__}: {exc}"
    cache.state.ledger.fail(data.flow.id, text, "policy_exception")


def _only_tell(cache: PackageCache, _data: Any, exc: Exception) -> None:
    cache.tell(f"{type(exc).__name__}: {exc}")


class PackageCache:
    """Hooks that keep answers, and the question that `gate` asks before it goes upstream."""

    def __init__(self, state: State, settings: CacheSettings) -> None:
        self.state = state
        self._rules = settings.immutable
        self._store = Store(settings.folder, settings.max_bytes)
        tables = HashTables(settings.folder / LAYOUT, settings.max_bytes // TABLES_SHARE)
        self._learning = Learning(settings.indexes, tables)
        self._underway = Underway(self.tell)
        self._vetting = Vetting(settings.immutable, self._learning, self._store)
        self._attempt = _Attempt(0)
        self._tasks: set[asyncio.Task[None]] = set()

    async def gives(self, flow: Any, exchange: Exchange) -> bool:
        """Answer an allowed request from what is kept, if that is right; whether it was."""
        request, target = flow.request, exchange.target
        where = (target.host, target.port or 0)
        address = address_of(self._rules, request.scheme, where, request.data.path)
        if address is None or self.state.secrets.at(target.host):
            return False
        attempt = self._this_attempt()
        if may_be_kept(request.method, request.headers.fields):
            flow.metadata[_TO_KEEP] = address
        if not may_be_given(request.method, request.headers.fields):
            return False
        try:
            entry = self._store.find(address)
            if entry is None or address.key in attempt.given:
                return False
            file, unproved = await self._vetting.open(address, entry)
        except Unusable as exc:
            self.tell(str(exc))
            return False
        if file is None or attempt is not self._this_attempt():
            if file is not None:
                file.close()
            return False
        whole = self._answer(flow, entry, file)
        if whole and unproved:
            # Whoever asks again may have found it bad, and gets it from upstream.
            attempt.given.add(address.key)
        exchange.from_cache = True
        flow.metadata.pop(_TO_KEEP, None)
        return True

    def _answer(self, flow: Any, entry: Entry, file: BinaryIO) -> bool:
        """Answer with a kept file; whether with all of it."""
        asked = {name.lower(): value for name, value in flow.request.headers.items()}
        answer = answer_to(flow.request.method, asked, entry.headers, entry.size)
        flow.response = http.Response.make(answer.status)
        flow.response.headers = http.Headers(
            [(name.encode(), value.encode()) for name, value in answer.headers.items()]
        )
        if answer.body_bytes:
            flow.metadata[KEPT_BODY] = _Part(file, answer.offset, answer.body_bytes)
        else:
            file.close()
        return answer.body_bytes == entry.size

    def tell(self, text: str) -> None:
        """Leave an event, one an attempt."""
        attempt = self._this_attempt()
        if not attempt.told:
            attempt.told = True
            self.state.ledger.error(Target(host="", method="?", via="explicit"), text, DETAIL)

    def _this_attempt(self) -> _Attempt:
        if self._attempt.number != self.state.attempt:
            self._attempt = _Attempt(self.state.attempt)
        return self._attempt

    # Hooks

    @guarded(_kill_broken)
    def responseheaders(self, flow: Any) -> None:
        """Begin to keep an answer, if it is the whole file for everybody; read index pages."""
        address, exchange = flow.metadata.get(_TO_KEEP), self.state.ledger.get(flow.id)
        if (
            exchange is None
            or flow.error is not None
            or not isinstance(flow.response.stream, Meter)
        ):
            return
        if address is not None:
            self._write(flow, address, self._keep)
            return
        where = (exchange.target.host, exchange.target.port or 0)
        unread = self._learning.unread_list(flow, where)
        if unread is not None:
            self._write(flow, unread, self._vetting.learn_list, MAX_LIST_BYTES)
        else:
            self._learning.begin(flow, where)

    def _write(self, flow: Any, address: Address, then: Then, max_bytes: int = sys.maxsize) -> None:
        headers = {name.lower(): value for name, value in flow.response.headers.items()}
        size = size_to_keep(flow.response.status_code, headers)
        if size is None or size > max_bytes or not self._store.fits(size):
            return
        try:
            writing = self._store.begin(address, size, headers_to_keep(headers))
        except Unusable as exc:
            self.tell(str(exc))
        else:
            self._underway.begin(flow, writing, then)

    @guarded(_only_tell)
    def response(self, flow: Any) -> None:
        """The answer has ended; keep it, if all of it has come."""
        todo = self._underway.ended(flow.id)
        if todo is not None:
            self._do(todo)
        page = self._learning.ended(flow)
        if page is not None:
            self._do(self._vetting.learn_page(page))

    def _do(self, work: Coroutine[Any, Any, None]) -> None:
        """Do what the answer does not wait for."""
        task = asyncio.get_running_loop().create_task(self._told(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _told(self, work: Coroutine[Any, Any, None]) -> None:
        try:
            await work
        except Unusable as exc:
            self.tell(str(exc))

    async def settle(self) -> None:
        """Return when what has come is kept, or after a moment; the process may end then."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=SETTLE_S)

    async def _keep(self, writing: Writing) -> None:
        kept = await self._vetting.keep(writing)
        if kept is None:
            self.tell(f"{writing.address.url} is not kept: its content is not what was announced")

    @guarded(_only_tell)
    def error(self, flow: Any) -> None:
        """The answer broke off."""
        self._underway.broke(flow.id)

    @guarded(_only_tell)
    def client_disconnected(self, client: Any) -> None:
        """Nothing more comes of what the client has asked for."""
        self._underway.left(client.id)

    @guarded(_fail_broken)
    async def kept_body(self, data: KeptBody) -> None:
        """Send the body of an answer from its file."""
        part, client_id = data.body, data.flow.client_conn.id
        connections = ctx.master.addons.get("proxyserver").connections
        handler = connections.get(client_id)
        with part.file as file:
            if handler is None or handler.client not in handler.transports:
                return
            wanted = shortcut.FilePart(
                descriptor=file.fileno(),
                offset=part.offset,
                size=part.size,
                piece_bytes=trimmed.piece_bytes(len(connections)),
            )
            os.posix_fadvise(file.fileno(), part.offset, part.size, os.POSIX_FADV_SEQUENTIAL)
            try:
                await shortcut.send_file(
                    handler, data.client_tls, wanted, data.flow.response.stream
                )
            except OSError as exc:
                why = str(exc) or "the client reads nothing"
                self.state.ledger.fail(data.flow.id, f"the answer broke off: {why}", DETAIL)
                return
        data.sent = True


@dataclass(frozen=True, slots=True)
class _Part:
    """What is sent of an open file."""

    file: BinaryIO
    offset: int
    size: int
