"""
What an attempt may ask of the place where commands run.

Written once for every backend; `tests/contract` holds each backend to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from quickstarted.events import CommandResult, EgressEvent, Usage
from quickstarted.programs import Release
from quickstarted_proxy.model_apis import ModelApi, Vendor
from quickstarted_proxy.policy import EgressPolicy
from quickstarted_proxy.secrets_table import Secret

WORKSPACE = "/workspace"
"""`Sandbox.workspace` of a container."""
STATE_DIR = "/.quickstarted"
"""`Sandbox.state_dir` of a container."""


def check_output_path(state_dir: str) -> str:
    """Where a sandbox has what the agent's successful commands printed, while a check runs."""
    return f"{state_dir}/agent-output"


CHECK_OUTPUT_PATH = check_output_path(STATE_DIR)
"""That place in a container."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Limits of a sandbox; None means the engine's own."""

    memory_bytes: int | None = 4 * 1024**3
    cpus: float | None = None
    pids: int | None = 1000
    disk_bytes: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSpec:
    """What is to be set up for one attempt."""

    run_id: str
    """Names the invocation of the program; on the labels of everything that is created."""
    image: str
    policy: EgressPolicy
    platform: str | None = None
    user: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    resources: Resources = field(default_factory=Resources)
    record_dir: Path | None = None
    """Host folder for full outputs of commands and logs of background children."""
    secrets: tuple[Secret, ...] = ()
    """The sandbox gets their placeholders as variables, and never a value."""
    door_host: str = ""
    """A host that programs in the sandbox reach the harness by; empty where none needs it."""
    doorkeeper: Doorkeeper | None = field(default=None, repr=False)
    models: tuple[ModelApi, ...] = ()
    """Services of models that programs in the sandbox may call, within their limits."""
    on_model_call: ModelCallSink | None = field(default=None, repr=False)
    program: Release | None = None
    """An agent's program to be had in the sandbox; it is not part of the task's image."""

    @property
    def placeholders(self) -> dict[str, str]:
        """Variables of the sandbox that stand for secrets."""
        return {secret.name: secret.placeholder for secret in self.secrets}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of one command."""

    timeout_s: float
    max_output_chars: int = 20_000
    cancelled: Callable[[], bool] | None = None
    """Asked while the command runs; true ends it as a timeout would, with exit code 130."""
    on_output: Callable[[bytes], None] | None = None
    """Takes what the command prints as it comes, without secrets, from the calling thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramIdentity:
    """An agent's program in a sandbox."""

    name: str
    version: str
    integrity: str
    """Of the archive that it came in, as the registry names it: `sha512-` and Base64."""
    command: str
    """Its path in the sandbox."""
    image_id: str
    """The task's image with the program in it, which is what runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageIdentity:
    """What ran, so that it can be run again."""

    requested: str
    image_id: str
    digest: str | None
    """`repository@sha256:...`; None for an image that no registry has."""
    architecture: str
    user: str
    stand_in: str | None = None
    """Tag of the stand-in that ran in place of `requested`; None where `requested` itself ran."""
    program: ProgramIdentity | None = None
    """What the agent runs as, inside the sandbox; None for an agent outside of it."""

    @property
    def runs_id(self) -> str:
        """The image that a container is made from."""
        return self.program.image_id if self.program else self.image_id


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process that is not the harness's own."""

    pid: int
    """On the engine's host."""
    command: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedSandbox:
    """A sandbox that was kept."""

    image: str
    """Names it, as `SandboxSpec.image` of the same backend."""
    expires: float
    """Epoch seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorRequest:
    """What a program in the sandbox has sent to the harness's own host name there."""

    method: str
    path: str
    """With its query."""
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DoorAnswer:
    """What it gets back."""

    status: int = 200
    content_type: str = "text/plain; charset=utf-8"
    body: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """A call of a model that a program in the sandbox has made, as its reply told of it."""

    ts: float
    """Epoch seconds at which it went out, on the harness's clock."""
    host: str
    vendor: Vendor
    path: str
    status: int | None
    """Of the service's answer; None where there was none."""
    duration: float
    """Seconds to the end of the answer."""
    model: str
    """As the vendor reports it; empty where it has not."""
    stop_reason: str
    """As the vendor calls it; empty where the reply broke off, or is an error."""
    usage: Usage
    counted: bool
    """Whether the reply said anything of tokens."""
    error: str
    """What went wrong, in the vendor's words or the proxy's; empty where nothing did."""
    refused: str = ""
    """Why the proxy let it not go out: `max_calls`, `max_tokens`, `hosted_tool:...`, `body`."""


ModelCallSink = Callable[[ModelCall], None]
"""Takes calls as they end, on the thread that reads the sidecar's reports."""

Doorkeeper = Callable[[DoorRequest], DoorAnswer]
"""Answers such requests, one at a time, on a thread of its own."""


class Sandbox(Protocol):
    """
    A running sandbox with its policy in force.

    Every method raises `SandboxFault` when the sandbox is gone or does not answer, `EngineFault`
    when the engine does not, `SidecarFault` or `EventStreamFault` when the proxy is at fault: the
    engine's own words never come back as a command's output.
    """

    image: ImageIdentity
    facts: dict[str, Any]
    """For `sandbox_ready`: shell, engine_version, sidecar_image_id, limits, notes."""
    workspace: str
    """Where the agent starts; owned by the image's user, empty at the start."""
    state_dir: str
    """The harness's own place in the sandbox: shell state, the outputs file."""

    def check(self) -> None:
        """Raise what is known to have made the sandbox useless; asks nobody, and costs nothing."""

    def begin_scope(self, scope: int) -> None:
        """Say that egress from now on belongs to command *scope* (0: none)."""

    def drain_egress(self) -> None:
        """Return once every egress event of requests made so far has been delivered."""

    def bash(self, command: str, limits: Limits) -> CommandResult:
        """
        Run *command* as the agent's shell does, with cwd and state of the command before it.

        A timeout gives exit code 124 and ends the command's whole process tree and nothing else.
        """

    def reset_shell(self) -> None:
        """Forget the shell's state: the next command starts in the workspace."""

    def run_clean(
        self,
        script: str,
        limits: Limits,
        *,
        env: dict[str, str] | None = None,
        root: bool = False,
    ) -> CommandResult:
        """
        Run *script* in the container's configured environment: no profile, nothing of the agent's
        shell, standard input empty, the script itself never a file.
        """

    def start_service(self, name: str, command: str) -> None:
        """Start *command* in the background as the image's user, its output in a log."""

    def service_state(self, name: str) -> tuple[int | None, str]:
        """Exit code (None while it runs) and the end of the log of a service."""

    def foreign_processes(self) -> list[Process]:
        """What runs apart from the harness's own processes and the task's services."""

    def restart(self) -> None:
        """End every process; files, address and policy stay. Services are not started again."""

    def put_file(self, path: str, content: bytes, *, mode: int = 0o644) -> None:
        """Write a file, root's, parents made; *path* is below `workspace` or `state_dir`."""

    def empty_file(self, path: str) -> None:
        """Leave nothing in a file that `put_file` has written."""

    def put_tree(self, folder: Path, path: str) -> None:
        """
        Copy a host folder's contents below *path*, owned by the image's user.

        *path* is `workspace`, `state_dir` or below.
        """

    def get_file(self, path: str, max_bytes: int) -> bytes:
        """Read a file, at most *max_bytes* of it; empty when there is none."""

    def save(self, expires_s: float) -> SavedSandbox:
        """Keep the sandbox, as a labelled image where there are images, for *expires_s* seconds."""


EgressSink = Callable[[EgressEvent], None]


class Backend(Protocol):
    """A kind of place. Made once per invocation; owns what outlives an attempt."""

    name: str
    enforced: bool
    """Whether egress is enforced from outside the sandbox."""

    @property
    def disk(self) -> Path | None:
        """A folder on the disk that sandboxes are kept on; None where it is not this machine's."""

    def open(self, spec: SandboxSpec, on_egress: EgressSink) -> AbstractContextManager[Sandbox]:
        """
        Set up a sandbox.

        Egress events are delivered to *on_egress* from another thread, each as it happens, their
        `ts` on the harness's clock.
        """

    def prepare(self, images: Iterable[str]) -> None:
        """
        Begin, in the background, with what the first attempt will wait for.

        Never fails: what does not work here fails in `open`, in the attempt that needs it.
        """

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """What *image* stands for here and now; an `AttemptFault` where it cannot be had."""

    def expect(self, attempts: int) -> None:
        """No more than so many sandboxes will be asked for; what waits for more of them can go."""

    def close(self) -> None:
        """Remove all that this invocation created and does not keep."""
