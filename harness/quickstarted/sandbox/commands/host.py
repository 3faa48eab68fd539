"""
What commands need of the place where they run; a container and this machine both have it.

How a program is started there, how its processes are ended and how it is asked after is the
place's own; what is started, what it prints and what its result says is the same everywhere, in
the other files of this package.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from quickstarted.sandbox.commands.markers import Begin
from quickstarted.sandbox.protocol import STATE_DIR, WORKSPACE, Process
from quickstarted_proxy.substitution import Replacer


@dataclass(frozen=True, kw_only=True)
class Inside:
    """What was found and made in the place."""

    uid: int
    gid: int
    sh: str
    bash: str
    """Empty where there is none."""
    home: str
    tmp: str
    workspace_entries: int
    """What the image itself has in the workspace; 0 as a rule."""
    workspace: str = WORKSPACE
    state_dir: str = STATE_DIR

    @property
    def shell(self) -> str:
        """The path of the shell that commands get."""
        return self.bash or self.sh

    @property
    def dialect(self) -> str:
        """`bash` or `sh`: which of the shell programs in `scripts` fit."""
        return "bash" if self.bash else "sh"


class Stream(Protocol):
    """What a started program prints; used by one thread at a time, except `close`."""

    def fileno(self) -> int:
        """For selectors."""

    def read(self, timeout_s: float) -> bytes | None:
        """Return what was printed, b"" at the end of the stream, None when nothing came in time."""

    def close(self) -> None:
        """Let go of the stream; what runs behind it goes on."""


class Exec(Protocol):
    """A started program."""

    @property
    def stream(self) -> Stream:
        """Both of its streams in one."""

    def exit_code(self) -> int | None:
        """How it ended (128+N for a signal); None while it runs."""


class DiskGuard(Protocol):
    """Watches over a limit while a command runs."""

    limit_bytes: int | None
    used_bytes: int

    def __enter__(self) -> Self:
        """Begin to watch."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop watching."""

    def is_over(self) -> bool:
        """Whether the limit is exceeded."""


class CommandHost(Protocol):
    """A place where commands run. Every method raises `SandboxFault` when it is gone."""

    env: dict[str, str]
    """Variables for every program that is started."""

    @property
    def inside(self) -> Inside:
        """What there is."""

    @property
    def agent_user(self) -> str:
        """Whose the agent's commands are, in the form that `start_exec` takes."""

    @property
    def scrubber(self) -> Replacer:
        """Takes secrets out of what is printed."""

    @property
    def memory_bytes(self) -> int | None:
        """The limit in force, for a note about it."""

    def start_exec(self, argv: Sequence[str], env: Mapping[str, str], user: str) -> Exec:
        """
        Start a program with the root folder as its working directory, standard input empty.

        Raises:
            SandboxFault: The place is gone, or refuses.

        """

    def end_tree(self, begin: Begin) -> str:
        """
        End all processes of a command and nothing else.

        Returns:
            Why the place had to be restarted; empty when it was not.

        """

    def foreign_to(self, execs: Sequence[Exec]) -> list[Process]:
        """What runs apart from the harness's own processes and from *execs* with their children."""

    def is_alive(self) -> bool:
        """Whether programs can be started."""

    def is_full(self) -> bool:
        """Whether the process limit is used up, or nearly."""

    def oom_kills(self) -> int:
        """How many processes the kernel has ended for lack of memory."""

    def died_of_memory(self) -> bool:
        """Of a place that is not alive: whether it went for lack of memory."""

    def disk_guard(self) -> DiskGuard:
        """Watch over the disk limit during one command."""

    def prepare(self) -> None:
        """Make the folders that commands need."""

    def forget_shell(self) -> None:
        """Empty the state of the agent's shell."""

    def restart(self) -> None:
        """End every process; files stay."""
