"""
Reads a body whole, within limits of size and time, and undoes its content coding.

Everything above this layer works with complete answers. The size is counted after decompression, in
small steps, so that a body of a few kilobytes cannot become gigabytes in memory.
"""

from __future__ import annotations

import httpx

from quickstarted.docs import clock
from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.media import media_type, unreadable
from quickstarted.docs.transports.codings import decoded


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
        assert isinstance(response.stream, httpx.SyncByteStream)
        coding = response.headers.get("content-encoding", "")
        for piece in decoded(response.stream, coding, status=response.status_code):
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
