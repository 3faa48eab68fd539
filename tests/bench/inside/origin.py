"""
A server that is faster than any of the proxies: threads, TLS, and one large buffer sent again.

    python origin.py ADDRESS PORT CERTIFICATE_AND_KEY

`/big/N` and `/packages/.../N.whl` are N bytes, cut from one pattern; anything else is 1 KiB.
"""

from __future__ import annotations

import contextlib
import socket
import socketserver
import ssl
import sys

PIECE = bytes(range(256)) * 4096
SMALL = PIECE[:1024]


class Handler(socketserver.BaseRequestHandler):
    """Requests of one connection."""

    server: Origin

    def handle(self) -> None:
        with contextlib.suppress(OSError):
            self.request.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock = self.server.context.wrap_socket(self.request, server_side=True)
            rest = b""
            while True:
                while b"\r\n\r\n" not in rest:
                    piece = sock.recv(65536)
                    if not piece:
                        return
                    rest += piece
                head, _, rest = rest.partition(b"\r\n\r\n")
                answer(sock, head.split(b" ", 2)[1].decode())


def answer(sock: ssl.SSLSocket, path: str) -> None:
    name = path.rpartition("/")[2].removesuffix(".whl")
    size = int(name) if name.isdecimal() else len(SMALL)
    head = (
        b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\nContent-Length: %d\r\n\r\n"
    )
    if size <= len(SMALL):
        sock.sendall(head % size + SMALL[:size])
        return
    sock.sendall(head % size)
    for _ in range(size // len(PIECE)):
        sock.sendall(PIECE)
    sock.sendall(PIECE[: size % len(PIECE)])


class Origin(socketserver.ThreadingTCPServer):
    """Serves until it is killed."""

    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 512

    def __init__(self, address: str, port: int, certificate: str) -> None:
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate)
        super().__init__((address, port), Handler)


if __name__ == "__main__":
    Origin(sys.argv[1], int(sys.argv[2]), sys.argv[3]).serve_forever()
