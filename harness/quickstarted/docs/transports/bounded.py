"""
Reads a body whole, within limits of size and time, and undoes its content coding.

Everything above this layer works with complete answers. The size is counted after decompression, in
small steps, so that a body of a few kilobytes cannot become gigabytes in memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

import httpx

from quickstarted.docs import clock
from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.media import media_type, unreadable

ACCEPT_ENCODING = "gzip, deflate"
_STEP_BYTES = 1 << 18
_IDENTITY = frozenset({"", "identity"})
_ZLIB_KINDS = frozenset({"gzip", "x-gzip", "deflate"})


class Bounded(httpx.BaseTransport):
    """Answers with responses whose body is read already, or raises `FetchFailed`."""

    def __init__(self, inner: httpx.BaseTransport, max_bytes: int) -> None:
        self._inner = inner
        self._max_bytes = max_bytes

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Ask, and read the body unless its type says that nothing could be done with it."""
        response = self._inner.handle_request(request)
        try:
            body = b"" if _of_no_use(response) else self._body(response)
        finally:
            response.close()
        headers = response.headers.copy()
        for name in ("content-encoding", "content-length", "transfer-encoding"):
            headers.pop(name, None)
        return httpx.Response(
            response.status_code,
            headers=headers,
            stream=httpx.ByteStream(body),
            extensions=dict(response.extensions),
        )

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()

    def _body(self, response: httpx.Response) -> bytes:
        declared = response.headers.get("content-length", "")
        if declared.isdigit() and int(declared) > self._max_bytes:
            raise self._too_large(response)
        body = bytearray()
        for piece in _decoded(response):
            clock.current().remaining_s()
            body += piece
            if len(body) > self._max_bytes:
                raise self._too_large(response)
        return bytes(body)

    def _too_large(self, response: httpx.Response) -> FetchFailed:
        return FetchFailed(
            f"The page is larger than {self._max_bytes:,} bytes.", status=response.status_code
        )


def _of_no_use(response: httpx.Response) -> bool:
    return response.is_success and unreadable(media_type(response.headers)) is not None


def _decoded(response: httpx.Response) -> Iterator[bytes]:
    coding = response.headers.get("content-encoding", "").strip().lower()
    assert isinstance(response.stream, httpx.SyncByteStream)
    chunks = iter(response.stream)
    if coding in _IDENTITY:
        yield from chunks
    elif coding in _ZLIB_KINDS:
        yield from inflate(chunks, status=response.status_code)
    else:
        raise FetchFailed(
            f'The server sent the content coding "{coding}", which was not asked for.',
            status=response.status_code,
        )


def inflate(chunks: Iterable[bytes], *, status: int | None = None) -> Iterator[bytes]:
    """
    Decompress gzip (one or several members) and deflate, zlib-wrapped or raw, in small steps.

    Raises:
        FetchFailed: The data is damaged or ends early.

    """
    inflater = None
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                if inflater is None:
                    inflater = _inflater_for(rest)
                yield inflater.decompress(rest, _STEP_BYTES)
                if inflater.eof:
                    rest, inflater = _next_member(inflater.unused_data), None
                else:
                    rest = inflater.unconsumed_tail
        if inflater is not None:
            yield inflater.flush()
    except zlib.error as exc:
        raise FetchFailed(f"The page's compression is damaged: {exc}", status=status) from exc
    if inflater is not None and not inflater.eof:
        raise FetchFailed("The page's compressed body ends early.", status=status)


def _next_member(rest: bytes) -> bytes:
    """What follows a member is another gzip member, or padding that gzip ignores too."""
    return rest if rest.startswith(b"\x1f") else b""


def _inflater_for(start: bytes) -> zlib._Decompress:
    """Some servers send raw deflate where RFC 9110 asks for the zlib form; browsers read both."""
    is_gzip = start[:1] == b"\x1f"
    is_zlib = len(start) > 1 and start[0] & 0x0F == 8 and (start[0] << 8 | start[1]) % 31 == 0
    return zlib.decompressobj(47 if is_gzip or is_zlib or len(start) == 1 else -zlib.MAX_WBITS)
