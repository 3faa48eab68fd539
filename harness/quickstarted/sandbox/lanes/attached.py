"""
A container's attached streams: lines to its standard input, frames from its output.

The connection is made before the container starts, so that nothing it says is lost; with
StdinOnce its end is the end of the container's input, even when this process is killed.
"""

from __future__ import annotations

import contextlib
import struct
import threading
from collections.abc import Iterator
from typing import Any

from quickstarted.errors import SidecarFault
from quickstarted.sandbox.engine import Engine, engine_calls

STDOUT = 1
STDERR = 2
_HEADER = struct.Struct(">BxxxL")
_READ_BYTES = 64 * 1024


class AttachedStreams:
    """An open attachment; one thread reads, any thread writes."""

    def __init__(self, connection: Any) -> None:
        # The SDK gives a file object whose socket can also write; TLS and npipe give the socket.
        self._connection = connection
        self._socket = getattr(connection, "_sock", connection)
        self._socket.settimeout(None)
        self._write_lock = threading.Lock()

    def write(self, data: bytes) -> None:
        """
        Write all of *data* to the container's standard input.

        Raises:
            SidecarFault: Nothing reads there any more.

        """
        try:
            with self._write_lock:
                self._socket.sendall(data)
        except OSError as exc:
            raise SidecarFault(f"the container no longer takes orders ({exc})") from exc

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Pairs of stream number and data until the container, or `close`, ends them."""
        buffered = bytearray()
        while data := self._read():
            buffered += data
            while len(buffered) >= _HEADER.size:
                stream, length = _HEADER.unpack_from(buffered)
                end = _HEADER.size + length
                if len(buffered) < end:
                    break
                yield stream, bytes(buffered[_HEADER.size : end])
                del buffered[:end]

    def close(self) -> None:
        """End the container's standard input, and the reading."""
        # `close` alone leaves a reader of the same socket blocked.
        with contextlib.suppress(OSError):
            self._socket.shutdown(2)
        for end in (self._connection, self._socket):
            with contextlib.suppress(OSError):
                end.close()

    def _read(self) -> bytes:
        try:
            data: bytes = self._socket.recv(_READ_BYTES)
        except OSError:
            return b""
        return data


def attach(engine: Engine, container_id: str) -> AttachedStreams:
    """
    Attach to a container that is created and not started.

    Raises:
        EngineFault: The engine does not answer, or the container is gone.

    """
    wanted = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
    with engine_calls("attaching to the sidecar"):
        return AttachedStreams(engine.api.attach_socket(container_id, params=wanted))
