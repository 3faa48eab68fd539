"""
What works on a node for one call: one process, which has the node's backend, and a thread for each
attempt that it makes.

Every method may be called twice with the same arguments and does its work once: the caller repeats
what it had no answer to.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from quickstarted import __version__
from quickstarted.cluster.archives import ArchiveRefused, pack
from quickstarted.cluster.channel import Channel
from quickstarted.cluster.messages import Entered, Noted, Numbered, Over
from quickstarted.cluster.orders import CallOrder, Order, Shared, plan_of
from quickstarted.cluster.parcels import Stock
from quickstarted.docs import DocsLibrary, configured_cache
from quickstarted.errors import AttemptFault, QuickstartedError
from quickstarted.results import AttemptDir
from quickstarted.run import AttemptHooks, Phase
from quickstarted.sandbox.backend import docker_backend
from quickstarted.sandbox.labels import labels
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.sandbox.local.folders import base_folder, make_folder
from quickstarted.sandbox.local.sweep import sweep_now
from quickstarted.sandbox.protocol import Backend, ImageIdentity
from quickstarted.suite import LocalMaker, Room

PIECE_BYTES = 4 << 20
"""Of an archive, sent at once."""
MAX_RESULT_BYTES = 4 << 30
"""Of one attempt's files."""
ROLE = "node"


@dataclass(kw_only=True)
class _Attempt:
    """One that is being made, or waits to be fetched."""

    folder: Path
    channel: Channel = field(default_factory=Channel)
    thread: threading.Thread | None = None

    @property
    def archive(self) -> Path:
        """Its results, once it is over."""
        return self.folder / "results.tar.gz"


@dataclass(kw_only=True)
class _Call:
    """The call that the node works for."""

    folder: Path
    backend: Backend
    room: Room
    shared: Shared


class NodeWorker:
    """Works for one call; safe to use from several threads."""

    def __init__(self) -> None:
        self._call: _Call | None = None
        self._attempts: dict[int, _Attempt] = {}
        self._lock = threading.Lock()

    def open(self, node: str, order: CallOrder, environ: Mapping[str, str]) -> None:
        """
        Make the backend, and let it begin with what the first attempt will wait for.

        Args:
            node: What the cluster calls this node.
            order: Of the call.
            environ: Variables that the caller forwards.

        Raises:
            EngineFault: No engine answers.
            UsageError: A variable of this node's environment cannot be used.

        """
        with self._lock:
            if self._call is not None:
                return
            os.environ.update(environ)
            base = base_folder(os.environ)
            sweep_now(base)
            folder = make_folder(base, labels(order.run_id, ROLE))
            try:
                self._call = _opened(node, order, folder)
            except BaseException:
                shutil.rmtree(folder, ignore_errors=True)
                raise

    def version(self) -> tuple[str, str]:
        """Host name, and version of this program."""
        return socket.gethostname(), __version__

    def lack(self) -> str | None:
        """What is missing for one more attempt here, for people; None when nothing is."""
        return self._opened.room.lack()

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """See `Backend.resolve`."""
        return self._opened.backend.resolve(image, platform)

    def put(self, digest: str, archive: bytes) -> None:
        """Take a folder; see `Stock.put`."""
        self._opened.shared.stock.put(digest, archive)

    def begin(self, number: int, order: Order) -> None:
        """
        Begin with an attempt.

        Args:
            number: That the caller knows it by.
            order: Of the attempt.

        """
        call = self._opened
        with self._lock:
            if number in self._attempts:
                return
            attempt = _Attempt(folder=call.folder / f"{number}")
            thread = threading.Thread(
                target=_make, args=(call, order, attempt), name=f"attempt-{number}", daemon=True
            )
            attempt.thread = thread
            self._attempts[number] = attempt
        thread.start()

    def exchange(
        self, number: int, heard_up_to: int, answers: Mapping[int, bool], *, cancelled: bool
    ) -> list[Numbered]:
        """See `Channel.exchange`."""
        channel = self._attempts[number].channel
        return channel.exchange(heard_up_to, answers, cancelled=cancelled)

    def piece(self, number: int, offset: int) -> bytes:
        """Up to `PIECE_BYTES` of an attempt's archive."""
        with self._attempts[number].archive.open("rb") as stream:
            stream.seek(offset)
            return stream.read(PIECE_BYTES)

    def forget(self, number: int) -> None:
        """The caller has all of an attempt."""
        with self._lock:
            attempt = self._attempts.pop(number, None)
        if attempt is not None:
            shutil.rmtree(attempt.folder, ignore_errors=True)

    def close(self) -> str:
        """End what is under way, remove all that was made here; say what could not be."""
        with self._lock:
            call, self._call = self._call, None
            attempts = list(self._attempts.values())
        if call is None:
            return ""
        for attempt in attempts:
            attempt.channel.hang_up()
        for attempt in attempts:
            if attempt.thread is not None:
                attempt.thread.join()
        problem = ""
        try:
            call.backend.close()
        except QuickstartedError as fault:
            problem = str(fault)
        call.shared.library.close()
        shutil.rmtree(call.folder, ignore_errors=True)
        return problem

    @property
    def _opened(self) -> _Call:
        call = self._call
        assert call is not None, "not opened"
        return call


def _opened(node: str, order: CallOrder, folder: Path) -> _Call:
    upstream_ca = None
    if order.upstream_ca is not None:
        upstream_ca = folder / "upstream-ca.pem"
        upstream_ca.write_bytes(order.upstream_ca)
    backend: Backend
    if order.backend == LocalBackend.name:
        backend = LocalBackend(order.run_id, os.environ)
    else:
        backend = docker_backend(
            order.run_id,
            os.environ,
            upstream_ca=upstream_ca,
            package_cache=order.package_cache,
        )
    backend.prepare(order.images)
    cache, max_bytes = configured_cache(os.environ, order.docs.cache_dir)
    library = DocsLibrary(replace(order.docs, cache_dir=cache, max_cache_bytes=max_bytes))
    shared = Shared(
        node=node,
        stock=Stock(folder / "stock"),
        library=library,
        prices=order.prices,
        extra_ca_files=() if upstream_ca is None else (upstream_ca,),
    )
    folders = (folder,) if backend.disk is None else (folder, backend.disk)
    room = Room(folders=folders, floors=order.floors)
    return _Call(folder=folder, backend=backend, room=room, shared=shared)


def _make(call: _Call, order: Order, attempt: _Attempt) -> None:
    """Make an attempt and pack its results; whatever happens, the caller hears how it ended."""
    channel = attempt.channel
    try:
        results = attempt.folder / "results"
        results.mkdir(parents=True)
        plan = plan_of(order, call.shared, channel)
        LocalMaker(call.backend).make(plan, AttemptDir(results), _hooks(channel, results))
        channel.tell(_packed(results, attempt.archive))
        shutil.rmtree(results, ignore_errors=True)
    except (QuickstartedError, ArchiveRefused, OSError) as exc:
        channel.tell(Over(0, "", _words(exc)))
    except BaseException as exc:
        channel.tell(Over(0, "", f"a fault of quickstarted itself: {exc!r}"))
        raise


def _packed(results: Path, archive: Path) -> Over:
    with archive.open("wb") as target:
        pack(results, target, max_bytes=MAX_RESULT_BYTES)
    with archive.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    return Over(archive.stat().st_size, digest)


def _hooks(channel: Channel, results: Path) -> AttemptHooks:
    def enter(phase: Phase) -> None:
        # The attempt had its turn before it was sent here.
        if phase != "waiting":
            channel.tell(Entered(phase))

    return AttemptHooks(
        observer=channel.hear,
        # The folder is another one where the line is read.
        note=lambda line: channel.tell(Noted(line.replace(f"{results}", "its folder"))),
        cancelled=channel.is_cancelled,
        phase=enter,
    )


def _words(exc: Exception) -> str:
    return exc.message if isinstance(exc, AttemptFault) else str(exc)
