"""
A sandbox's container as a machine: switched on, prepared, restarted, asked whether it lives.

Everything that must be done after every start is done here and nowhere else: the line to the
keep-alive process, and /etc/resolv.conf.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from quickstarted.errors import ImageFault, SandboxFault
from quickstarted.sandbox.commands.host import Exec, Inside
from quickstarted.sandbox.commands.markers import Begin
from quickstarted.sandbox.commands.scripts import script
from quickstarted.sandbox.container.disk import DiskWatch
from quickstarted.sandbox.container.execs import EngineExec, start_exec
from quickstarted.sandbox.container.processes import PS_ARGUMENTS, foreign, read_top
from quickstarted.sandbox.container.reaper import reap
from quickstarted.sandbox.container.spec import ContainerSpec
from quickstarted.sandbox.container.supervisor import Supervisor, SupervisorSilent
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.protocol import Process
from quickstarted_proxy.substitution import Replacer

CANNOT_EXECUTE = (126, 127)
"""Exit codes of the container's init when the keep-alive shell cannot be executed."""
PROBE_TIMEOUT_S = 5.0
USUAL_TMP = "/tmp"  # noqa: S108 (in the sandbox)


class Machine:
    """One container; see the module. A `commands.host.CommandHost`."""

    def __init__(self, engine: Engine, container_id: str, spec: ContainerSpec) -> None:
        self.engine = engine
        self.container_id = container_id
        self.spec = spec
        self.supervisor = Supervisor(engine, container_id)
        self.env: dict[str, str] = {}
        """Added to the container's own variables for every exec."""
        self.disk_limit: int | None = None
        """Bytes that are watched; None where nothing is, or the storage driver does it."""
        self.can_unpack = False
        """Whether the image has what `unpack` needs; known after `start`."""
        self._inside: Inside | None = None

    @property
    def inside(self) -> Inside:
        """What `start` found."""
        assert self._inside is not None, "start() comes first"
        return self._inside

    @property
    def agent_user(self) -> str:
        """See `CommandHost`."""
        return self.spec.agent_user

    @property
    def scrubber(self) -> Replacer:
        """See `CommandHost`."""
        return self.spec.scrubber

    @property
    def memory_bytes(self) -> int | None:
        """See `CommandHost`."""
        return self.spec.resources.memory_bytes

    def start(self) -> None:
        """
        Switch it on and prepare it.

        Raises:
            ImageFault: The image has no POSIX shell, or not the user that was asked for.
            SandboxFault: The container does not stay up.

        """
        with engine_calls("starting the sandbox"):
            self.engine.api.start(self.container_id)
        try:
            self._connect()
            self.prepare()
        except SandboxFault as exc:
            raise self._why_not_up(exc) from exc
        self._write_resolv_conf()

    def restart(self) -> None:
        """
        End every process and switch it on again.

        Raises:
            SandboxFault: The container does not come up again.

        """
        self.supervisor.close()
        with engine_calls("restarting the sandbox", gone=SandboxFault):
            self.engine.api.restart(self.container_id, timeout=0)
        self._connect()
        if not self.supervisor.ping():
            raise SandboxFault("the sandbox does not come up again after a restart")
        self._write_resolv_conf()

    def is_alive(self) -> bool:
        """Whether the container runs and its keep-alive process answers."""
        return self.supervisor.ping(PROBE_TIMEOUT_S)

    def is_full(self) -> bool:
        """See `CommandHost`."""
        return self.supervisor.counters().is_full

    def oom_kills(self) -> int:
        """See `CommandHost`."""
        return self.supervisor.counters().oom_kills

    def died_of_memory(self) -> bool:
        """See `CommandHost`."""
        return bool(self.state().get("OOMKilled"))

    def disk_guard(self) -> DiskWatch:
        """See `CommandHost`."""
        return DiskWatch(self.engine, self.container_id, self.disk_limit)

    def start_exec(self, argv: Sequence[str], env: Mapping[str, str], user: str) -> EngineExec:
        """See `CommandHost`."""
        return start_exec(self.engine, self.container_id, argv, env, user)

    def end_tree(self, begin: Begin) -> str:
        """See `CommandHost`; where it cannot be done otherwise, by a restart."""
        reason = reap(self.supervisor, begin)
        if reason:
            self.restart()
        return reason

    def foreign_to(self, execs: Sequence[Exec]) -> list[Process]:
        """See `CommandHost`."""
        pids = {each.host_pid() for each in execs if isinstance(each, EngineExec)}
        with engine_calls("asking what runs in the sandbox", gone=SandboxFault):
            top = self.engine.api.top(self.container_id, ps_args=PS_ARGUMENTS)
        init = int(self.state().get("Pid") or 0)
        return foreign(read_top(top), init, {pid for pid in pids if pid is not None})

    def state(self) -> dict[str, Any]:
        """
        The engine's `State` of the container.

        Raises:
            SandboxFault: The container is not there any more.

        """
        with engine_calls("asking for the sandbox's state", gone=SandboxFault):
            state: dict[str, Any] = self.engine.api.inspect_container(self.container_id)["State"]
        return state

    def forget_shell(self) -> None:
        """Empty the state of the agent's shell."""
        (status,) = self.supervisor.order("forget", str(self.inside.uid), str(self.inside.gid))
        if status != "0":
            raise SandboxFault("the state of the agent's shell could not be emptied")

    def unpack(self, archive: bytes) -> None:
        """
        Unpack a tar archive at the root, as root; for files that come before the agent's turn.

        By the image's own `tar` where it has one, at a tenth of the price of the engine's. What
        comes after the agent goes through the engine: it trusts nothing in the sandbox.

        Raises:
            SandboxFault: It cannot be unpacked.

        """
        if self.can_unpack:
            (status,) = self.supervisor.order("unpack", str(len(archive)), data=archive)
            if status == "0":
                return
        with engine_calls("writing files into the sandbox", gone=SandboxFault):
            self.engine.api.put_archive(self.container_id, "/", archive)

    def empty_file(self, path: str) -> None:
        """
        Leave nothing in a file that is there; a tenth of the price of writing it by the engine.

        Raises:
            SandboxFault: It cannot be emptied.

        """
        (status,) = self.supervisor.order("empty", path)
        if status != "0":
            raise SandboxFault(f"{path} could not be emptied in the sandbox")

    def prepare(self) -> None:
        """
        Make the folders that commands need, and find out what the image has.

        Raises:
            ImageFault: It has not the user that was asked for.
            SandboxFault: The container does not answer.

        """
        with engine_calls("asking for the sandbox's variables", gone=SandboxFault):
            config = self.engine.api.inspect_container(self.container_id)["Config"]
        own = dict(entry.split("=", 1) for entry in config["Env"] or [] if "=" in entry)
        leave_bash, leave_sh = (script(f"leave.{kind}").splitlines() for kind in ("bash", "sh"))
        uid, gid, sh, bash, home, tmp, entries, unpacks = self.supervisor.order(
            "prepare",
            self.spec.agent_user,
            own.get("HOME", "").replace("\n", " "),
            own.get("TMPDIR", "").replace("\n", " "),
            str(len(leave_bash)),
            *leave_bash,
            str(len(leave_sh)),
            *leave_sh,
        )
        if not uid or not gid:
            raise ImageFault(
                f"the image {self.spec.image.requested} has no user {self.spec.agent_user!r}",
                hint="Set `user` in the task to one that the image has, or to a number.",
            )
        self._inside = Inside(
            uid=int(uid),
            gid=int(gid) if gid.isdigit() else 0,
            sh=sh,
            bash=bash,
            home=home,
            tmp=tmp,
            workspace_entries=int(entries),
        )
        self.can_unpack = bool(unpacks)
        self.env = {"HOME": home} | self.env
        if tmp != own.get("TMPDIR", USUAL_TMP):
            self.env.setdefault("TMPDIR", tmp)

    def _connect(self) -> None:
        """
        Attach to the keep-alive process.

        Whoever attaches to a container that has ended waits for ever; one that ends later ends
        the line. So its state is asked for after attaching.
        """
        self.supervisor.connect()
        if not self.state().get("Running"):
            raise SandboxFault("the sandbox's container ended as soon as it was started")

    def _write_resolv_conf(self) -> None:
        if self.spec.dns_ip is None:
            return
        try:
            (status,) = self.supervisor.order("resolve", self.spec.dns_ip)
        except SupervisorSilent as exc:
            raise SandboxFault(f"writing /etc/resolv.conf: {exc.message}") from exc
        if status != "0":
            raise SandboxFault("writing /etc/resolv.conf failed in the sandbox")

    def _why_not_up(self, fault: SandboxFault) -> SandboxFault | ImageFault:
        state = self.state()
        if not state.get("Running") and state.get("ExitCode") in CANNOT_EXECUTE:
            return ImageFault(
                f"the image {self.spec.image.requested} has no POSIX shell (`sh` on its PATH) that"
                " runs on this machine, and commands need one",
                hint="Use an image with a shell and of this machine's architecture: not"
                " `distroless` or `scratch`, but for instance the `-slim` variant.",
            )
        return SandboxFault(
            f"the sandbox does not stay up (exit code {state.get('ExitCode')}): {fault.message}"
        )
