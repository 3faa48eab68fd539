"""The local engine behind TCP or TLS on loopback, as a remote DOCKER_HOST has it."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from pathlib import Path
from typing import Self

ENGINE_SOCKET = "/var/run/docker.sock"


class Relay:
    """Connections to a port of loopback, passed on to the engine's socket; a context manager."""

    def __init__(self, context: ssl.SSLContext | None = None) -> None:
        self._context = context
        self._server = socket.create_server(("127.0.0.1", 0))
        self._open: list[socket.socket] = []
        self.port: int = self._server.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    def cut(self) -> None:
        """End every connection and take no more, as an engine that dies."""
        with contextlib.suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()
        for side in self._open:
            with contextlib.suppress(OSError):
                side.shutdown(socket.SHUT_RDWR)

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._server.accept()
            except OSError:
                return
            self._open.append(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as engine, client:
            engine.connect(ENGINE_SOCKET)
            context = self._context
            side = context.wrap_socket(client, server_side=True) if context else client
            with side:
                back = threading.Thread(target=_copy, args=(engine, side), daemon=True)
                back.start()
                _copy(side, engine)
                back.join()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that is its own authority, and its key."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run(
        [*command, *subject, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    return certificate, key


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    for side in (source, target):
        with contextlib.suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)
