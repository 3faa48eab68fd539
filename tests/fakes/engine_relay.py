"""
The local engine behind another address, which can die as an engine does, or hang on one call.

A socket file is how a local engine is reached, TCP and TLS on loopback how a remote one is.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Self

ENGINE_SOCKET = "/var/run/docker.sock"
SILENCE = b""
"""An answer that never comes."""
Instead = Callable[[str], bytes | None]
"""Takes method and path of a request: None passes it on, bytes are its answer."""


class EngineRelay:
    """
    Hands every connection on to the engine until `die` is called; a context manager.

    Args:
        path: The socket file to listen on; None: a port of loopback.
        tls: With a port, what the server's side of TLS needs; None: plain TCP.
        instead: Answers requests in the engine's place.

    """

    def __init__(
        self,
        path: Path | None = None,
        *,
        tls: ssl.SSLContext | None = None,
        instead: Instead = lambda _: None,
    ) -> None:
        self._path = path
        self._instead = instead
        self._tls = tls
        self._open: list[socket.socket] = []
        self._lock = threading.Lock()
        self._dead = False
        if path is None:
            self._listener = socket.create_server(("127.0.0.1", 0))
            self.docker_host = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        else:
            self._listener = socket.socket(socket.AF_UNIX)
            self._listener.bind(str(path))
            self._listener.listen(64)
            self.docker_host = f"unix://{path}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.die()

    def die(self) -> None:
        """End every connection; new ones are refused, and from here on nothing is handed on."""
        with self._lock:
            # First: the ends are shut one by one, and one that still stands must not answer.
            self._dead = True
            ends, self._open = [self._listener, *self._open], []
        if self._path is not None:
            self._path.unlink(missing_ok=True)
        for end in ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            self._remember(client)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as engine, client:
            engine.connect(ENGINE_SOCKET)
            # Wrapping leaves nothing open in *client*.
            side = self._tls.wrap_socket(client, server_side=True) if self._tls else client
            self._remember(side)
            with side:
                alive = (engine, side, lambda _: not self._dead)
                back = threading.Thread(target=_copy, args=alive, daemon=True)
                back.start()
                _copy(side, engine, self._passed_on(side))
                back.join()

    def _passed_on(self, client: socket.socket) -> Callable[[bytes], bool]:
        """Whether what the client sends goes to the engine; a request's head comes whole."""
        silent = False

        def passed_on(data: bytes) -> bool:
            nonlocal silent
            if self._dead:
                return False
            line = data.partition(b"\r\n")[0].decode("latin-1")
            if silent or not line.endswith(" HTTP/1.1"):
                return not silent
            answer = self._instead(line.removesuffix(" HTTP/1.1"))
            silent = answer == SILENCE
            if answer:
                client.sendall(answer)
            return answer is None

        return passed_on

    def _remember(self, end: socket.socket) -> None:
        with self._lock:
            self._open.append(end)
            if self._dead:
                end.close()


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 that is its own authority, and its key."""
    certificate, key = folder / "cert.pem", folder / "key.pem"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subprocess.run(
        [*command, *subject, "-keyout", key, "-out", certificate], check=True, capture_output=True
    )
    return certificate, key


def _copy(source: socket.socket, target: socket.socket, passed_on: Callable[[bytes], bool]) -> None:
    """Copy until the end, and pass that on; TLS has no end of one direction only."""
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            if passed_on(data):
                target.sendall(data)
    whole = isinstance(source, ssl.SSLSocket) or isinstance(target, ssl.SSLSocket)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_RDWR if whole else socket.SHUT_WR)
