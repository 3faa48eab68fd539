"""`POST /api/v1/trajectories`: looked at before it is read, received, converted, answered."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from pathlib import Path
from uuid import uuid4

from anyio import CapacityLimiter
from starlette.datastructures import Headers
from starlette.requests import Request

from quickstarted.errors import StorageFault
from quickstarted.formats.trajectory import MAX_UPLOAD_BYTES
from quickstarted.formats.trajectory.importing import IMPORTERS, Ask, LlmConverter
from quickstarted.results.files import make_folder
from quickstarted.serve import problems
from quickstarted.serve.asking import GuardedAsk
from quickstarted.serve.bodies import Incoming, receive_body
from quickstarted.serve.converting import UploadOptions, convert
from quickstarted.serve.limits import BODIES_AT_ONCE, WRITERS
from quickstarted.serve.logs import Log
from quickstarted.serve.replies import UploadReply
from quickstarted.serve.staging import remove
from quickstarted.serve.store import Store

MEDIA_TYPES = (
    "application/json",
    "application/x-ndjson",
    "application/ndjson",
    "application/jsonl",
    "application/x-jsonlines",
    "application/octet-stream",
)
FORMATS = tuple(importer.name for importer in IMPORTERS)
_UTF8 = frozenset({"utf-8", "utf8"})
_CHARSET = re.compile(r';\s*charset\s*=\s*"?([^";\s]*)', re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,19}", re.ASCII)


class Uploads:
    """All uploads of one server: so many are under way at once, and one of them is converted."""

    def __init__(self, store: Store, log: Log, ask: Ask | None) -> None:
        self._store = store
        self._fallback = None if ask is None else LlmConverter(GuardedAsk(ask, log))
        self._log = log
        self._under_way = 0
        # One thread for all that take much memory: what one frees, the next has.
        self._converting = ThreadPoolExecutor(1, "converting")
        self._writing = CapacityLimiter(WRITERS)

    async def take(self, request: Request, incoming: Incoming) -> UploadReply:
        """
        Store the body that comes from *incoming*, the one of *request*.

        Raises:
            Refusal: It is not taken.
            ClientDisconnect: The client is gone before all of it was here.

        """
        check_headers(request.headers)
        forced = _format(request)
        if self._under_way >= BODIES_AT_ONCE:
            raise problems.busy(BODIES_AT_ONCE)
        self._under_way += 1
        folder = self._store.incoming / uuid4().hex
        try:
            return await self._take(incoming, folder, forced)
        except StorageFault as exc:
            self._log.line(f"storage: {exc.message}")
            raise problems.storage(exc.__cause__) from exc
        finally:
            self._under_way -= 1
            # Also where the server is told to end meanwhile.
            await asyncio.shield(asyncio.to_thread(remove, folder))

    async def _take(self, incoming: Incoming, folder: Path, forced: str | None) -> UploadReply:
        make_folder(folder)
        body = await receive_body(incoming, folder / "body", self._writing)
        options = UploadOptions(forced, fallback=self._fallback)
        loop = asyncio.get_running_loop()
        conversion = loop.run_in_executor(
            self._converting, convert, body, folder / "made", self._store, options
        )
        try:
            return await asyncio.shield(conversion)
        finally:
            if not conversion.done():
                await asyncio.wait({conversion})


def check_headers(headers: Headers) -> None:
    """
    Refuse what the headers show to be of no use, before any of the body is read.

    Raises:
        Refusal: The body is compressed, of another kind, or too large by its own account.

    """
    coding = headers.get("content-encoding", "identity").strip().lower()
    if coding not in {"identity", ""}:
        raise problems.content_encoding(coding)
    given = headers.get("content-type")
    if given is not None:
        _check_type(given)
    length = headers.get("content-length", "0")
    if _DIGITS.fullmatch(length) is None or int(length) > MAX_UPLOAD_BYTES:
        raise problems.too_large()


def status_of(reply: UploadReply) -> HTTPStatus:
    """201 with anything new; else 200 for nothing new, 409 for taken names, 422 for errors."""
    if reply.stored:
        return HTTPStatus.CREATED
    if reply.errors:
        return HTTPStatus.UNPROCESSABLE_ENTITY
    if any(one.same == "trace_id" for one in reply.duplicates):
        return HTTPStatus.CONFLICT
    return HTTPStatus.OK


def _format(request: Request) -> str | None:
    given = request.query_params.get("format")
    if given is not None and given not in FORMATS:
        raise problems.bad_parameter("format", given, f"one of {', '.join(FORMATS)}")
    return given


def _check_type(given: str) -> None:
    kind = given.partition(";")[0].strip().lower()
    is_json = kind in MEDIA_TYPES or (kind.startswith("application/") and kind.endswith("+json"))
    charset = _CHARSET.search(given)
    if not is_json or (charset is not None and charset[1].lower() not in _UTF8):
        raise problems.content_type(given)
