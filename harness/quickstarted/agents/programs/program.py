"""What a program must tell of itself so that it can be an agent, and what its log tells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from quickstarted.agents.assignment import Prompt
from quickstarted.agents.programs.services import Access
from quickstarted.programs import Release
from quickstarted_proxy.model_apis import Vendor


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """The program has begun to use a tool of its own."""

    call_id: str
    tool: str
    """`bash` for a shell command, whatever the program calls it; else the program's name."""
    command: str | None = None
    """Of a shell command."""
    path: str | None = None
    """The file that another tool is about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """A shell command of the program's has ended."""

    call_id: str
    exit_code: int
    output: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The program's last words."""

    text: str
    failed: bool = False
    """It says that it could not go on."""
    is_said: bool = True
    """Whether the program says that this is the end; not so where all it prints is taken for it."""


Entry = Called | Returned | Ended


class LogReader(Protocol):
    """Reads the standard output of one run, line by line."""

    def read(self, line: bytes) -> Iterator[Entry]:
        """
        Read a line, without its line break; what cannot be read says nothing.

        Raises:
            Nothing, whatever the line holds.

        """

    def rest(self) -> Iterator[Entry]:
        """What is known only now that the program has ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What a program finds in its sandbox."""

    command: str
    """Its path; empty where it is not brought along."""
    home: str
    """A folder of its own, outside of the workspace; see `Launch.files`."""
    access: Mapping[Vendor, Access]

    def file(self, name: str) -> str:
        """The path of one of `Launch.files`."""
        return f"{self.home}/{name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """How a program is started; the prompt is on its standard input, never in its arguments."""

    shell: str
    """A command for a POSIX shell, one that can follow `exec`."""
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    """Name to text, put into `Place.home`."""


class Program(Protocol):
    """One kind of program."""

    @property
    def name(self) -> str:
        """Of the agent, as on the command line, without what follows the colon."""

    @property
    def model(self) -> str | None:
        """That is asked for; None leaves it to the program."""

    @property
    def release(self) -> Release | None:
        """What is put into the sandbox; None for a program that is there."""

    @property
    def log_name(self) -> str:
        """Of the file that keeps what it prints."""

    def vendors(self, environ: Mapping[str, str]) -> tuple[Vendor, ...]:
        """Whose models it may call; a key is needed for each."""

    def launch(self, prompt: Prompt, place: Place) -> Launch:
        """How it is started."""

    def reader(self) -> LogReader:
        """For the log of one run."""
