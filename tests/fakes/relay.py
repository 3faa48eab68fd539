"""A relay in front of the real engine's socket, which can die as an engine does."""

from __future__ import annotations

import contextlib
import socket
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

ENGINE_SOCKET = "/var/run/docker.sock"


class EngineRelay:
    """Hands every connection on to the engine until `die` is called; then none answers."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX)
        self._open: list[socket.socket] = []
        self._dead = threading.Event()

    def __enter__(self) -> Self:
        self._listener.bind(str(self.path))
        self._listener.listen(64)
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.die()

    @property
    def docker_host(self) -> str:
        """For DOCKER_HOST."""
        return f"unix://{self.path}"

    def die(self) -> None:
        """Close everything; new connections are refused."""
        if self._dead.is_set():
            return
        self._dead.set()
        self.path.unlink(missing_ok=True)
        for end in [self._listener, *self._open]:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _accept(self) -> None:
        while not self._dead.is_set():
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            engine = socket.socket(socket.AF_UNIX)
            engine.connect(ENGINE_SOCKET)
            self._open += [client, engine]
            for source, sink in ((client, engine), (engine, client)):
                threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pump(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
