"""
Undoes content codings in small steps, each of bounded size, so that no body becomes a bomb.

gzip, deflate, Brotli and Zstandard (RFC 9110, 8.4.1; RFC 7932; RFC 8878), one after the other where
a server has applied several. Every decoder here can be told how much to give at most, and keeps the
rest of its input: the size is looked at before there is more of it.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import brotli

from quickstarted.docs.faults import FetchFailed

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
STEP_BYTES = 1 << 18
MAX_CODINGS = 4
"""Nobody applies more in earnest."""
_IDENTITY = frozenset({"", "identity"})
_WEB_WINDOW_LOG = 23
"""8 MB: what a server may ask of every reader (RFC 9659)."""
_FAULTS = (zlib.error, brotli.error, zstd.ZstdError)


class _Decoder(Protocol):
    def step(self, data: bytes) -> bytes:
        """Take *data*, give at most about a step; empty *data* asks for more of what is held."""

    @property
    def has_more(self) -> bool:
        """Whether there is more to give without further input."""

    @property
    def is_complete(self) -> bool:
        """Whether the body may end here."""


def decoded(
    chunks: Iterable[bytes], content_encoding: str, *, status: int | None = None
) -> Iterator[bytes]:
    """
    Undo *content_encoding* while *chunks* come.

    Args:
        chunks: The body as it was sent.
        content_encoding: The header's value; the coding that was applied last stands last.
        status: Of the answer, for what is raised.

    Raises:
        FetchFailed: A coding is unknown, or the data is damaged or ends early.

    """
    named = [one.strip().lower() for one in content_encoding.split(",")]
    codings = [one for one in named if one not in _IDENTITY]
    if unknown := next((one for one in codings if one not in _DECODERS), None):
        raise FetchFailed(
            f'The server sent the content coding "{unknown[:40]}", which was not asked for.',
            status=status,
        )
    if len(codings) > MAX_CODINGS:
        raise FetchFailed(
            f"The server has applied {len(codings)} content codings to the page.", status=status
        )
    stream: Iterator[bytes] = iter(chunks)
    for coding in reversed(codings):
        stream = _undone(stream, coding, status)
    return stream


def _undone(chunks: Iterator[bytes], coding: str, status: int | None) -> Iterator[bytes]:
    decoder = _DECODERS[coding]()
    try:
        for chunk in chunks:
            for start in range(0, len(chunk), STEP_BYTES):
                yield decoder.step(chunk[start : start + STEP_BYTES])
                while decoder.has_more:
                    yield decoder.step(b"")
    except _FAULTS as exc:
        raise FetchFailed(
            f"The page's compression ({coding}) is damaged, or the page is not compressed: {exc}",
            status=status,
        ) from exc
    if not decoder.is_complete:
        raise FetchFailed(f"The page's compressed body ({coding}) ends early.", status=status)


class _Zlib:
    """gzip of one or several members, and deflate, zlib-wrapped or raw."""

    def __init__(self) -> None:
        self._inflater: zlib._Decompress | None = None
        self._rest = b""
        self._holds_more = False
        self._members = 0

    def step(self, data: bytes) -> bytes:
        data = self._rest + data
        if self._inflater is None:
            # What follows a member is another one, or padding, which gzip ignores too.
            if not data or (self._members and not data.startswith(b"\x1f")):
                self._rest = b""
                return b""
            self._inflater = _inflater_for(data)
            self._members += 1
        out = self._inflater.decompress(data, STEP_BYTES)
        self._holds_more = len(out) == STEP_BYTES
        if self._inflater.eof:
            self._rest, self._inflater = self._inflater.unused_data, None
        else:
            self._rest = self._inflater.unconsumed_tail
        return out

    @property
    def has_more(self) -> bool:
        return bool(self._rest) or (self._inflater is not None and self._holds_more)

    @property
    def is_complete(self) -> bool:
        return self._inflater is None


def _inflater_for(start: bytes) -> zlib._Decompress:
    """Some servers send raw deflate where RFC 9110 asks for the zlib form; browsers read both."""
    is_gzip = start[:1] == b"\x1f"
    is_zlib = len(start) > 1 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
    return zlib.decompressobj(47 if is_gzip or is_zlib or len(start) == 1 else -zlib.MAX_WBITS)


class _Brotli:
    def __init__(self) -> None:
        self._decompressor = brotli.Decompressor()
        self._has_begun = False
        self._holds_more = False

    def step(self, data: bytes) -> bytes:
        self._has_begun = True
        if self._decompressor.is_finished():
            return b""
        out: bytes = self._decompressor.process(data, output_buffer_limit=STEP_BYTES)
        # Output may be left where all input has been taken.
        is_full = len(out) >= STEP_BYTES
        self._holds_more = is_full or not self._decompressor.can_accept_more_data()
        return out

    @property
    def has_more(self) -> bool:
        return self._holds_more and not self._decompressor.is_finished()

    @property
    def is_complete(self) -> bool:
        return not self._has_begun or self._decompressor.is_finished()


class _Zstandard:
    """One frame or several."""

    def __init__(self) -> None:
        self._frame: zstd.ZstdDecompressor | None = None
        self._next = b""

    def step(self, data: bytes) -> bytes:
        data = self._next + data
        self._next = b""
        if self._frame is None:
            if not data:
                return b""
            self._frame = zstd.ZstdDecompressor(
                options={zstd.DecompressionParameter.window_log_max: _WEB_WINDOW_LOG}
            )
        out = self._frame.decompress(data, STEP_BYTES)
        if self._frame.eof:
            self._next, self._frame = self._frame.unused_data, None
        return out

    @property
    def has_more(self) -> bool:
        return bool(self._next) or (self._frame is not None and not self._frame.needs_input)

    @property
    def is_complete(self) -> bool:
        return self._frame is None


_DECODERS: dict[str, Callable[[], _Decoder]] = {
    "gzip": _Zlib,
    "x-gzip": _Zlib,
    "deflate": _Zlib,
    "br": _Brotli,
    "zstd": _Zstandard,
}
