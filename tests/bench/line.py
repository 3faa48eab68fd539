"""A line to the network with a known bandwidth: a proxy of this machine that passes no faster."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
import time
from typing import Self

GIGABIT_BYTES_S = 125_000_000
PIECE_BYTES = 256 * 1024


class Line(socketserver.ThreadingTCPServer):
    """Takes CONNECT; all that comes back through it shares *bytes_per_s*."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: str, bytes_per_s: int = GIGABIT_BYTES_S) -> None:
        super().__init__((address, 0), _Tunnel)
        self.url = f"http://{address}:{self.server_address[1]}"
        self._bytes_per_s = bytes_per_s
        self._lock = threading.Lock()
        self._free_at = time.perf_counter()

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *exc: object) -> None:
        self.shutdown()
        self.server_close()

    def wait_for(self, size_bytes: int) -> None:
        """Return when so many bytes would have come over the line."""
        with self._lock:
            self._free_at = max(self._free_at, time.perf_counter())
            self._free_at += size_bytes / self._bytes_per_s
            until = self._free_at
        time.sleep(max(0.0, until - time.perf_counter()))


class _Tunnel(socketserver.StreamRequestHandler):
    server: Line

    def handle(self) -> None:
        method, target, _ = self.rfile.readline().decode().split(" ")
        while self.rfile.readline().strip():
            pass
        assert method == "CONNECT", "only tunnels are made here"
        host, _, port = target.rpartition(":")
        with socket.create_connection((host, int(port))) as far:
            self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            threading.Thread(target=self._up, args=(far,), daemon=True).start()
            with contextlib.suppress(OSError):
                while data := far.recv(PIECE_BYTES):
                    self.server.wait_for(len(data))
                    self.connection.sendall(data)

    def _up(self, far: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := self.connection.recv(PIECE_BYTES):
                far.sendall(data)
            far.shutdown(socket.SHUT_WR)
