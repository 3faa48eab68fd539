"""A terminal in a container: an exec with a TTY (Engine API, "Exec", `/exec/ID/resize`)."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import docker.errors

from quickstarted.errors import AttemptFault, SandboxFault
from quickstarted.sandbox.commands.stream import AttachStream
from quickstarted.sandbox.engine import Engine, engine_calls


@dataclass(frozen=True, kw_only=True)
class EngineTerminal:
    """A `sandbox.terminal.Terminal` of the engine's."""

    engine: Engine
    exec_id: str
    stream: AttachStream

    def fileno(self) -> int:
        """See `sandbox.terminal.Terminal`."""
        return self.stream.fileno()

    def read(self, timeout_s: float) -> bytes | None:
        """See `sandbox.terminal.Terminal`."""
        return self.stream.read(timeout_s)

    def send(self, data: bytes, timeout_s: float) -> bool:
        """See `sandbox.terminal.Terminal`."""
        return self.stream.send(data, timeout_s)

    def resize(self, rows: int, columns: int) -> None:
        """See `sandbox.terminal.Terminal`; a program that has just ended has no window any more."""
        with (
            contextlib.suppress(AttemptFault),
            engine_calls("resizing the terminal", gone=SandboxFault),
        ):
            self.engine.api.exec_resize(self.exec_id, height=rows, width=columns)

    def close(self) -> None:
        """See `sandbox.terminal.Terminal`."""
        self.stream.close()


def open_terminal(
    engine: Engine, container_id: str, argv: Sequence[str], env: Mapping[str, str], user: str
) -> EngineTerminal:
    """
    Start a program with a terminal.

    Raises:
        SandboxFault: The container is not running, or the program is not there.
        EngineFault: The engine is not there.

    """
    with engine_calls("opening a terminal in the sandbox", gone=SandboxFault):
        made = engine.api.exec_create(
            container_id,
            list(argv),
            environment=[f"{name}={value}" for name, value in env.items()],
            user=user,
            workdir="/",
            stdin=True,
            tty=True,
        )
        try:
            raw = engine.api.exec_start(made["Id"], tty=True, socket=True)
        except docker.errors.APIError as exc:
            raise SandboxFault(f"opening a terminal in the sandbox: {exc.explanation}") from exc
    return EngineTerminal(engine=engine, exec_id=made["Id"], stream=AttachStream(raw, framed=False))
