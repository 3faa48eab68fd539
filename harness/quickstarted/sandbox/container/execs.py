"""Programs started in a container by the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import docker.errors

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.commands.execs import KILLED, ExecRefused
from quickstarted.sandbox.commands.stream import AttachStream
from quickstarted.sandbox.engine import Engine, engine_calls


@dataclass(frozen=True, kw_only=True)
class EngineExec:
    """A `commands.host.Exec` of the engine's."""

    engine: Engine
    exec_id: str
    stream: AttachStream

    def exit_code(self) -> int | None:
        """
        The engine's exit code of an exec; None until it has ended.

        The engine forgets execs when it restarts their container: then they were killed.
        """
        try:
            state = self._state("asking for an exit code")
        except SandboxFault:
            return KILLED
        code = state.get("ExitCode")
        return None if state.get("Running") or code is None else int(code)

    def host_pid(self) -> int | None:
        """Number, on the engine's host, of the first process; None when it has ended."""
        try:
            state = self._state("asking for a process")
        except SandboxFault:
            return None
        return int(state["Pid"]) if state.get("Running") and state.get("Pid") else None

    def _state(self, what: str) -> dict[str, Any]:
        with engine_calls(what, gone=SandboxFault):
            state: dict[str, Any] = self.engine.api.exec_inspect(self.exec_id)
        return state


def start_exec(
    engine: Engine, container_id: str, argv: Sequence[str], env: Mapping[str, str], user: str
) -> EngineExec:
    """
    Start a program.

    Raises:
        ExecRefused: The engine answers, and could not start it.
        SandboxFault: The container is not running.
        EngineFault: The engine is not there.

    """
    with engine_calls("starting a command in the sandbox", gone=SandboxFault):
        made = engine.api.exec_create(
            container_id,
            list(argv),
            environment=[f"{name}={value}" for name, value in env.items()],
            user=user,
            workdir="/",
        )
        try:
            raw = engine.api.exec_start(made["Id"], socket=True)
        except docker.errors.APIError as exc:
            raise ExecRefused(f"starting a command in the sandbox: {exc.explanation}") from exc
    return EngineExec(engine=engine, exec_id=made["Id"], stream=AttachStream(raw))
