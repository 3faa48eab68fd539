"""
The body of an upload on its way to disk: counted, decoded, hashed and timed as it comes.

What Content-Length says can only refuse earlier. No more than a few hundred kilobytes of a body are
in memory at once, however many come at the same time.
"""

from __future__ import annotations

import asyncio
import codecs
import hashlib
import time
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from anyio import CapacityLimiter, to_thread
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive

from quickstarted.formats.encoding import HEAD_BYTES, head_problem
from quickstarted.formats.trajectory import MAX_UPLOAD_BYTES
from quickstarted.results.files import storage_fault
from quickstarted.serve import problems
from quickstarted.serve.limits import Patience

_PIECE_BYTES = 256 * 1024


@dataclass(frozen=True, slots=True)
class Body:
    """A body that is on disk and is UTF-8."""

    path: Path
    size_bytes: int
    sha256: str


class Incoming:
    """
    What is received of one request.

    Attributes:
        ended: All of its body is here.
        is_answered: Its answer has begun.

    """

    def __init__(self, receive: Receive, patience: Patience) -> None:
        self._receive = receive
        self.patience = patience
        self._started = time.monotonic()
        self.ended = False
        self.is_answered = False
        self.body_bytes = 0

    async def __call__(self) -> Message:
        """The next message, with what it means for the body noted."""
        message = await self._receive()
        if message["type"] == "http.request":
            self.body_bytes += len(message.get("body", b""))
            self.ended = not message.get("more_body", False)
        return message

    async def piece(self) -> bytes:
        """
        The next bytes of the body.

        Raises:
            Refusal: They do not come in time.
            ClientDisconnect: They will not come.

        """
        allowed_s = self.patience.body_s(self.body_bytes)
        left_s = allowed_s - (time.monotonic() - self._started)
        try:
            async with asyncio.timeout(max(0.0, min(left_s, self.patience.idle_s))):
                message = await self()
        except TimeoutError:
            raise problems.too_slow(self.body_bytes) from None
        if message["type"] != "http.request":
            raise ClientDisconnect
        piece: bytes = message.get("body", b"")
        return piece


class Utf8Check:
    """Takes bytes piece by piece, and says where they stop being UTF-8."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._taken = 0

    def take(self, piece: bytes, *, is_last: bool = False) -> None:
        """
        The next piece.

        Raises:
            Refusal: It is not UTF-8; the offset is that of the first byte of the bad sequence.

        """
        pending = len(self._decoder.getstate()[0])
        try:
            self._decoder.decode(piece, is_last)
        except UnicodeDecodeError as exc:
            offset = self._taken - pending + exc.start
            is_cut = is_last and exc.reason == "unexpected end of data"
            raise problems.not_utf8(offset, None if is_cut else exc.object[exc.start]) from None
        self._taken += len(piece)


async def receive_body(incoming: Incoming, path: Path, writing: CapacityLimiter) -> Body:
    """
    Write the body that comes from *incoming* to the new file *path*, in threads of *writing*.

    Raises:
        Refusal: It is too large, too slow, or not UTF-8.
        ClientDisconnect: The client is gone.
        StorageFault: The disk does not take it.

    """
    try:
        with path.open("xb") as stream:
            return await _receive(incoming, path, stream, writing)
    except OSError as exc:
        raise storage_fault(path, exc) from exc


async def _receive(
    incoming: Incoming, path: Path, stream: BinaryIO, writing: CapacityLimiter
) -> Body:
    digest = hashlib.sha256()
    check = Utf8Check()
    pieces = bytearray()
    is_first = True
    while not incoming.ended:
        pieces += await incoming.piece()
        if incoming.body_bytes > MAX_UPLOAD_BYTES:
            raise problems.too_large()
        if len(pieces) < _PIECE_BYTES and not incoming.ended:
            continue
        if is_first:
            _look_at_head(bytes(pieces[:HEAD_BYTES]))
            is_first = False
        whole = bytes(pieces)
        pieces.clear()
        check.take(whole, is_last=incoming.ended)
        digest.update(whole)
        await to_thread.run_sync(stream.write, whole, limiter=writing)
    return Body(path, incoming.body_bytes, digest.hexdigest())


def _look_at_head(head: bytes) -> None:
    problem = head_problem(head)
    if problem is None or problem.code == "bom":
        return
    offset = None
    try:
        Utf8Check().take(head)
    except problems.Refusal as refusal:
        # UTF-16 of ASCII is UTF-8 with NUL in it.
        offset = refusal.byte_offset
    raise problems.wrong_encoding(problem.code, offset)
