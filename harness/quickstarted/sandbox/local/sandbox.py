"""A `protocol.Sandbox` that is a folder of this machine."""

from __future__ import annotations

import platform
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from quickstarted.events import CommandResult
from quickstarted.sandbox.commands.drainer import Drainer
from quickstarted.sandbox.commands.services import Services
from quickstarted.sandbox.commands.shell import Commands
from quickstarted.sandbox.local import files, keep
from quickstarted.sandbox.local.environment import clean_environment
from quickstarted.sandbox.local.folders import AttemptFolder
from quickstarted.sandbox.local.machine import LocalMachine
from quickstarted.sandbox.protocol import (
    ImageIdentity,
    Limits,
    Process,
    SandboxSpec,
    SavedSandbox,
)

NOT_ENFORCED = "the local backend enforces nothing"
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
"""The kernel's names as images have them."""
NO_EGRESS = (
    "nothing is enforced: commands run on this machine with its network, the task's network policy"
    " is not applied, and no request is on record"
)


class NoEgress:
    """In place of a lane: nothing is between the commands and the network."""

    def begin_scope(self, scope: int) -> None:
        """Nobody is to be told."""

    def drain(self) -> None:
        """Nothing is under way."""

    def check(self) -> None:
        """Nothing can fail."""


class LocalSandbox:
    """
    Commands of one attempt on this machine.

    The constructor only stores; `start` comes before anything else, `close` ends it.

    Args:
        folder: The attempt's.
        spec: What was asked for; much of it cannot be had here, and `facts` say what.
        caller_env: The harness's environment, of which little is passed on.

    """

    def __init__(
        self, folder: AttemptFolder, spec: SandboxSpec, caller_env: Mapping[str, str]
    ) -> None:
        self.workspace = str(folder.workspace)
        self.state_dir = str(folder.state)
        self.image = this_machine()
        self.facts: dict[str, Any] = {}
        self._folder = folder
        self._spec = spec
        self._machine = LocalMachine(folder, clean_environment(caller_env, spec.env))
        self._egress = NoEgress()
        self._closing = ExitStack()

    def start(self) -> None:
        """
        Make it ready; fills `facts`.

        Raises:
            SandboxFault: Its keeper does not start.

        """
        machine = self._machine
        self._closing.callback(machine.close)
        machine.start()
        record = self._spec.record_dir
        if record is None:
            made = tempfile.TemporaryDirectory(prefix="quickstarted-")
            record = Path(self._closing.enter_context(made))
        drainer = Drainer()
        self._closing.callback(drainer.close)
        self._commands = Commands(machine, self._egress, drainer, record)
        self._services = Services(machine, drainer, record)
        self.facts |= {
            "engine_version": system_name(),
            "home": machine.inside.home,
            "limits": {
                name: {"asked": value, "not_enforced": NOT_ENFORCED}
                for name, value in asdict(self._spec.resources).items()
                if value is not None
            },
            "notes": list(notes_for(self._spec, machine.inside.uid)),
            "shell": machine.inside.shell,
            "sidecar_image_id": None,
            "user": str(machine.inside.uid),
            "workspace_entries": 0,
        }

    def check(self) -> None:
        """See `protocol.Sandbox`."""

    def begin_scope(self, scope: int) -> None:
        """See `protocol.Sandbox`."""
        self._egress.begin_scope(scope)

    def drain_egress(self) -> None:
        """See `protocol.Sandbox`."""
        self._egress.drain()

    def bash(self, command: str, limits: Limits) -> CommandResult:
        """See `protocol.Sandbox`."""
        return self._commands.bash(command, limits)

    def reset_shell(self) -> None:
        """See `protocol.Sandbox`."""
        self._commands.reset()

    def run_clean(
        self,
        script: str,
        limits: Limits,
        *,
        env: dict[str, str] | None = None,
        root: bool = False,
    ) -> CommandResult:
        """See `protocol.Sandbox`; *root* is the caller here, and `facts` say so."""
        del root
        return self._commands.run_clean(script, limits, user="", env=env or {})

    def start_service(self, name: str, command: str) -> None:
        """See `protocol.Sandbox`."""
        self._services.start(name, command)

    def service_state(self, name: str) -> tuple[int | None, str]:
        """See `protocol.Sandbox`."""
        return self._services.state(name)

    def foreign_processes(self) -> list[Process]:
        """See `protocol.Sandbox`."""
        return self._services.foreign_processes()

    def restart(self) -> None:
        """See `protocol.Sandbox`."""
        self._machine.restart()

    def put_file(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """See `protocol.Sandbox`; the file is the caller's."""
        self._machine.check()
        files.put_file(self._folder, path, content, mode)

    def empty_file(self, path: str) -> None:
        """See `protocol.Sandbox`."""
        self.put_file(path, b"")

    def put_tree(self, folder: Path, path: str) -> None:
        """See `protocol.Sandbox`."""
        self._machine.check()
        files.put_tree(self._folder, folder, path)

    def get_file(self, path: str, max_bytes: int) -> bytes:
        """See `protocol.Sandbox`."""
        self._machine.check()
        return files.get_file(path, max_bytes)

    def save(self, expires_s: float) -> SavedSandbox:
        """See `protocol.Sandbox`."""
        self._machine.forget_shell()
        return keep.save(self._folder.root.parent, self._folder, self._spec.run_id, expires_s)

    def close(self) -> None:
        """End all its processes and remove its folder."""
        self._closing.close()


def this_machine() -> ImageIdentity:
    """What runs where there is no image."""
    machine = platform.machine()
    architecture = ARCHITECTURES.get(machine, machine)
    return ImageIdentity(
        requested="local",
        image_id=f"local:{platform.system().lower()}-{architecture}",
        digest=None,
        architecture=architecture,
        user="",
    )


def system_name() -> str:
    """E.g. `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`."""
    kernel = f"{platform.system()} {platform.release()}"
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']}, {kernel}"
    except (OSError, KeyError):
        return kernel


def notes_for(spec: SandboxSpec, uid: int) -> Iterator[str]:
    """What a reader of the trace must know of the place."""
    yield NO_EGRESS
    yield f"the image {spec.image} is ignored"
    if spec.user is not None:
        yield f"the user {spec.user} is ignored: commands run as uid {uid}"
    if spec.platform is not None:
        yield f"the platform {spec.platform} is ignored"
    yield f"steps that are root's in a container run as uid {uid}"
