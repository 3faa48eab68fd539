"""A server's TLS in front of one that speaks none; a proxy's CONNECT before it, where wanted."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import ssl
import threading
from pathlib import Path
from typing import Self

from fakes.engine_relay import make_certificate


class TlsFront(socketserver.ThreadingTCPServer):
    """
    Hands what comes over TLS on to a port of loopback; a context manager.

    Args:
        folder: For `certificate`, which is its own authority, and its key.
        target_port: Of the server behind it.

    """

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, folder: Path, target_port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Connection)
        self.certificate, key = make_certificate(folder)
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(self.certificate, key)
        self.target_port = target_port
        self.asked: list[str] = []
        """The first line of each CONNECT; empty for a connection without one."""

    @property
    def port(self) -> int:
        """Of loopback."""
        return int(self.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()


class _Connection(socketserver.BaseRequestHandler):
    server: TlsFront

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            self.server.asked.append(self._connect())
            target = ("127.0.0.1", self.server.target_port)
            with (
                socket.create_connection(target) as behind,
                self.server.context.wrap_socket(self.request, server_side=True) as client,
            ):
                back = threading.Thread(target=_copy, args=(behind, client), daemon=True)
                back.start()
                _copy(client, behind)
                back.join(10)

    def _connect(self) -> str:
        if not self.request.recv(7, socket.MSG_PEEK).startswith(b"CONNECT"):
            return ""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            head += self.request.recv(1)
        self.request.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        return head.split(b"\r\n")[0].decode()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
