"""The local engine behind TCP or TLS on loopback, as a remote DOCKER_HOST has it."""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ENGINE_SOCKET = "/var/run/docker.sock"


@contextmanager
def relay(context: ssl.SSLContext | None = None) -> Iterator[int]:
    """Relay connections to a port of loopback to the engine's socket; gives the port."""
    server = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=_accept, args=(server, context), daemon=True).start()
    try:
        yield server.getsockname()[1]
    finally:
        server.close()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that is its own authority, and its key."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run(
        [*command, *subject, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    return certificate, key


def _accept(server: socket.socket, context: ssl.SSLContext | None) -> None:
    while True:
        try:
            client, _ = server.accept()
        except OSError:
            return
        threading.Thread(target=_serve, args=(client, context), daemon=True).start()


def _serve(client: socket.socket, context: ssl.SSLContext | None) -> None:
    with socket.socket(socket.AF_UNIX) as engine:
        engine.connect(ENGINE_SOCKET)
        with contextlib.suppress(OSError):
            side = context.wrap_socket(client, server_side=True) if context else client
            back = threading.Thread(target=_copy, args=(engine, side), daemon=True)
            back.start()
            _copy(side, engine)
            back.join()
            side.close()
        client.close()


def _copy(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    for side in (source, target):
        with contextlib.suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)
