"""
The raw connection behind an attach or a started exec: bytes with a deadline, both ways.

The engine answers such a request by handing over the connection itself (Engine API, "Attach to a
container", section "Hijacking"): a unix socket, TCP or TLS. Without a terminal each chunk has a
header of eight bytes (same place, "Stream format"). The SDK's own reader has no deadline.
"""

from __future__ import annotations

import contextlib
import select
import socket
import ssl
import time
from typing import Any

from quickstarted.errors import EngineFault

RECEIVE_BYTES = 1 << 18
HEADER_BYTES = 8
_BIGGEST_STREAM_TYPE = 2
_WOULD_BLOCK = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)


class AttachStream:
    """
    One connection. Not safe for use by two threads at once, except `close`.

    Args:
        raw: What `exec_start(socket=True)` or `attach_socket` of the SDK returned.
        framed: Whether chunks have headers: not where the exec has a terminal.

    """

    def __init__(self, raw: Any, *, framed: bool = True) -> None:
        self._response = raw._response  # noqa: SLF001 (the SDK keeps it there for its owner)
        reader = self._response.raw._fp.fp  # noqa: SLF001 (no public way to the connection)
        self._socket: socket.socket = reader.raw._sock  # noqa: SLF001 (same)
        self._socket.settimeout(0)
        self._pending = bytearray(_read_ahead(reader))
        self._framed = framed
        self._ended = False

    def fileno(self) -> int:
        """For selectors."""
        return self._socket.fileno()

    @property
    def ended(self) -> bool:
        """Whether the other side has closed the connection."""
        return self._ended

    def read(self, timeout_s: float) -> bytes | None:
        """
        Return what was printed, b"" at the end of the stream, None when nothing came in time.

        Raises:
            EngineFault: The bytes are not in the engine's format.

        """
        deadline = time.monotonic() + timeout_s
        while True:
            payload = self._take_frames()
            if payload:
                return payload
            if self._ended:
                return b""
            data = self._receive(deadline)
            if data is None:
                return None
            self._pending += data
            self._ended = not data

    def send(self, data: bytes, timeout_s: float) -> bool:
        """Write to standard input; False when the connection does not take it in time."""
        deadline = time.monotonic() + timeout_s
        view = memoryview(data)
        while view:
            try:
                view = view[self._socket.send(view) :]
            except _WOULD_BLOCK:
                if not self._wait(select.POLLOUT, deadline - time.monotonic()):
                    return False
            except (OSError, ValueError):
                return False
        return True

    def close(self) -> None:
        """Close the connection; what runs behind it goes on."""
        self._ended = True
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        with contextlib.suppress(OSError):
            self._socket.close()
        self._response.close()

    def _receive(self, deadline: float) -> bytes | None:
        while True:
            try:
                return self._socket.recv(RECEIVE_BYTES)
            except _WOULD_BLOCK:
                if not self._wait(select.POLLIN, deadline - time.monotonic()):
                    return None
            except (OSError, ValueError):
                return b""

    def _wait(self, what: int, timeout_s: float) -> bool:
        if timeout_s <= 0 or self._socket.fileno() < 0:
            return False
        poll = select.poll()
        poll.register(self._socket, what)
        return bool(poll.poll(timeout_s * 1000))

    def _take_frames(self) -> bytes:
        """Remove all whole chunks from what has arrived."""
        pending, at = self._pending, 0
        if not self._framed:
            self._pending = bytearray()
            return bytes(pending)
        payloads = []
        while len(pending) - at >= HEADER_BYTES:
            if pending[at] > _BIGGEST_STREAM_TYPE or any(pending[at + 1 : at + 4]):
                raise EngineFault(
                    "reading output: the engine sent bytes that are not its stream format"
                )
            end = at + HEADER_BYTES + int.from_bytes(pending[at + 4 : at + 8], "big")
            if end > len(pending):
                break
            payloads.append(bytes(pending[at + HEADER_BYTES : end]))
            at = end
        del pending[:at]
        return b"".join(payloads)


def _read_ahead(reader: Any) -> bytes:
    """
    What the SDK's HTTP reader took from the connection beyond the headers.

    A fast command's first bytes come in the same packet as the headers; reading the bare socket
    would lose them.
    """
    try:
        ahead: bytes = reader.peek()
    except _WOULD_BLOCK:
        return b""
    return ahead or b""
