"""
The container of a sandbox: made from its spec, started, prepared, used, removed.

`DockerSandbox` keeps the promise of `protocol.Sandbox`; each of its concerns has a file of its own
and this one only puts them together.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import docker.errors

from quickstarted.errors import SandboxFault
from quickstarted.events import CommandResult
from quickstarted.sandbox.commands.drainer import Drainer
from quickstarted.sandbox.commands.services import Services
from quickstarted.sandbox.commands.shell import Commands
from quickstarted.sandbox.container.files import get_file, put_files, put_tree
from quickstarted.sandbox.container.hardening import (
    POLLED,
    STORAGE_REFUSAL,
    disk_keeper,
    host_config,
    limits_report,
)
from quickstarted.sandbox.container.keep import save
from quickstarted.sandbox.container.machine import Machine
from quickstarted.sandbox.container.spec import HOSTNAME, ContainerSpec, EgressControl
from quickstarted.sandbox.container.supervisor import KEEP_ALIVE
from quickstarted.sandbox.container.terminal import EngineTerminal, open_terminal
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.protocol import STATE_DIR, WORKSPACE, Limits, Process, SavedSandbox

__all__ = ["ContainerSpec", "DockerSandbox", "EgressControl", "create_container"]

Part = TypeVar("Part", Commands, Services)


def create_container(engine: Engine, spec: ContainerSpec) -> str:
    """
    Create the container of a sandbox, without starting it.

    Returns:
        The container's id.

    Raises:
        EngineFault: The engine refused, or is not there.

    """
    with engine_calls(f"creating a sandbox from {spec.image.requested}"):
        try:
            return _create(engine, spec, storage_limit=spec.resources.disk_bytes is not None)
        except docker.errors.APIError as exc:
            if STORAGE_REFUSAL not in str(exc.explanation):
                raise
            return _create(engine, spec, storage_limit=False)


def _create(engine: Engine, spec: ContainerSpec, *, storage_limit: bool) -> str:
    config = _container_config(engine, spec, storage_limit=storage_limit)
    create: Any = engine.api.create_container_from_config
    container_id: str = create(config, platform=spec.platform)["Id"]
    return container_id


def _container_config(
    engine: Engine, spec: ContainerSpec, *, storage_limit: bool
) -> dict[str, Any]:
    config: dict[str, Any] = {
        "AttachStderr": False,
        "AttachStdin": False,
        "AttachStdout": False,
        "Cmd": KEEP_ALIVE,
        "Entrypoint": [""],  # the engine's word for: none, whatever the image says
        "Env": [f"{name}={value}" for name, value in spec.env.items()],
        "Healthcheck": {"Test": ["NONE"]},
        "HostConfig": host_config(engine, spec, storage_limit=storage_limit),
        "Hostname": HOSTNAME,
        "Image": spec.image.runs_id,
        "Labels": dict(spec.labels),
        "OpenStdin": True,
        "StdinOnce": False,
        "Tty": False,
        "User": "0:0",
        "WorkingDir": "/",
    }
    if spec.network_id is not None:
        endpoint: dict[str, Any] = {}
        if spec.ipv4:
            endpoint["IPAMConfig"] = {"IPv4Address": spec.ipv4}
        config["NetworkingConfig"] = {"EndpointsConfig": {spec.network_id: endpoint}}
    return config


class DockerSandbox:
    """
    A `protocol.Sandbox` in a container.

    The constructor only stores; `start` comes before anything else, `close` and `remove` end it.

    Args:
        engine: The engine.
        container_id: From `create_container`.
        spec: What the container was created from.
        egress: The lane around it.

    """

    def __init__(
        self, engine: Engine, container_id: str, spec: ContainerSpec, egress: EgressControl
    ) -> None:
        self.image = spec.image
        self.facts: dict[str, Any] = {}
        self.workspace = WORKSPACE
        self.state_dir = STATE_DIR
        self.container_id = container_id
        self._engine = engine
        self._spec = spec
        self._egress = egress
        self._machine = Machine(engine, container_id, spec)
        self._drainer = Drainer()
        self._temporary: tempfile.TemporaryDirectory[str] | None = None
        self._commands: Commands | None = None
        self._services: Services | None = None

    def start(self) -> None:
        """
        Start the container and prepare it; fills `facts`.

        Raises:
            ImageFault: The image has no POSIX shell, or not the user that was asked for.
            SandboxFault: The container does not stay up.

        """
        self._machine.start()
        record = self._spec.record_dir
        if record is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="quickstarted-")
            record = Path(self._temporary.name)
        disk = disk_keeper(self._engine, self.container_id, self._spec)
        self._machine.disk_limit = self._spec.resources.disk_bytes if disk == POLLED else None
        self._commands = Commands(self._machine, self._egress, self._drainer, record)
        self._services = Services(self._machine, self._drainer, record)
        inside = self._machine.inside
        self.facts |= {
            "engine_version": str(self._engine.version.get("Version", "")),
            "home": inside.home,
            "limits": limits_report(self._engine, self._spec.resources, disk=disk),
            "shell": inside.shell,
            "user": self._spec.agent_user,
            "workspace_entries": inside.workspace_entries,
        }

    def install(
        self,
        files: Mapping[str, tuple[bytes, int]],
        env: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """
        Write *files* (path to content and mode), root's, and add *env* to every later exec.

        Works before and after `start`.
        """
        put_files(self._engine, self.container_id, files)
        self._machine.env |= env

    def unpack(self, archive: bytes) -> None:
        """See `Machine.unpack`."""
        self._machine.unpack(archive)

    def check(self) -> None:
        """See `protocol.Sandbox`."""
        self._egress.check()

    def begin_scope(self, scope: int) -> None:
        """See `protocol.Sandbox`."""
        self._egress.begin_scope(scope)

    def drain_egress(self) -> None:
        """See `protocol.Sandbox`."""
        self._egress.drain()

    def bash(self, command: str, limits: Limits) -> CommandResult:
        """See `protocol.Sandbox`."""
        return self._ready(self._commands).bash(command, limits)

    def reset_shell(self) -> None:
        """See `protocol.Sandbox`."""
        self._ready(self._commands).reset()

    def run_clean(
        self,
        script: str,
        limits: Limits,
        *,
        env: dict[str, str] | None = None,
        root: bool = False,
    ) -> CommandResult:
        """See `protocol.Sandbox`."""
        user = "0:0" if root else self._spec.agent_user
        home = {"HOME": "/root"} if root else {}
        return self._ready(self._commands).run_clean(
            script, limits, user=user, env=home | (env or {})
        )

    def start_service(self, name: str, command: str) -> None:
        """See `protocol.Sandbox`."""
        self._ready(self._services).start(name, command)

    def service_state(self, name: str) -> tuple[int | None, str]:
        """See `protocol.Sandbox`."""
        return self._ready(self._services).state(name)

    def foreign_processes(self) -> list[Process]:
        """See `protocol.Sandbox`."""
        return self._ready(self._services).foreign_processes()

    def open_terminal(self, argv: Sequence[str], env: Mapping[str, str]) -> EngineTerminal:
        """See `terminal.HasTerminal`."""
        return open_terminal(
            self._engine,
            self.container_id,
            argv,
            {**self._machine.env, **env},
            self._spec.agent_user,
        )

    def restart(self) -> None:
        """See `protocol.Sandbox`."""
        self._machine.restart()

    def put_file(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """See `protocol.Sandbox`."""
        put_files(self._engine, self.container_id, {path: (content, mode)})

    def empty_file(self, path: str) -> None:
        """See `protocol.Sandbox`."""
        self._machine.empty_file(path)

    def put_tree(self, folder: Path, path: str) -> None:
        """See `protocol.Sandbox`."""
        inside = self._machine.inside
        put_tree(self._engine, self.container_id, folder, path, (inside.uid, inside.gid))

    def get_file(self, path: str, max_bytes: int) -> bytes:
        """See `protocol.Sandbox`."""
        return get_file(self._engine, self.container_id, path, max_bytes)

    def save(self, expires_s: float) -> SavedSandbox:
        """See `protocol.Sandbox`."""
        return save(self._machine, expires_s)

    def close(self) -> None:
        """End the threads and streams and remove the temporary record; the container stays."""
        self._machine.supervisor.close()
        self._drainer.close()
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None

    def remove(self) -> None:
        """Remove the container and its anonymous volumes, running or not; twice is no error."""
        with engine_calls("removing a sandbox"), suppress(docker.errors.NotFound):
            self._engine.api.remove_container(self.container_id, v=True, force=True)

    def _ready(self, part: Part | None) -> Part:
        if part is None:
            raise SandboxFault("the sandbox has not been started")
        return part
