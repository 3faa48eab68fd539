"""
Any command as an agent: `--agent 'exec:COMMAND'`.

It gets the prompt on its standard input and in the file that QS_PROMPT_FILE names, reads
documentation with the command `read_docs`, and is done when it exits with 0. It may call models of
those vendors whose keys the caller has set, under the vendors' own variables.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from quickstarted.agents.address import ADDRESSES
from quickstarted.agents.assignment import Prompt
from quickstarted.agents.keys import KEY_VARIABLES
from quickstarted.agents.kinds import AgentKind
from quickstarted.agents.programs.agent import ProgramAgent
from quickstarted.agents.programs.program import Ended, Entry, Launch, LogReader, Place
from quickstarted.programs import Release
from quickstarted_proxy.model_apis import Vendor

LAST_WORDS_CHARS = 4000
PROMPT_FILE = "prompt.txt"
_VARIABLES: dict[Vendor, tuple[str, ...]] = {
    "anthropic": ("ANTHROPIC_API_KEY",),
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
}
"""Under which names programs look for a key."""


@dataclass(frozen=True, kw_only=True)
class ExecCommand:
    """See `program.Program`."""

    command: str = field()
    name: str = "exec"
    model: str | None = None
    release: Release | None = None
    log_name: str = "agent.stdout.txt"

    def vendors(self, environ: Mapping[str, str]) -> tuple[Vendor, ...]:
        """Those whose keys are set."""
        return tuple(
            vendor
            for vendor in ADDRESSES
            if any(environ.get(name, "").strip() for name in KEY_VARIABLES[vendor])
        )

    def launch(self, prompt: Prompt, place: Place) -> Launch:
        """In a shell of its own, so that it may be any command."""
        text = f"{prompt.system}\n\n{prompt.task}\n"
        env = {"QS_PROMPT_FILE": place.file(PROMPT_FILE)}
        for vendor, access in place.access.items():
            env |= dict.fromkeys(_VARIABLES[vendor], access.secret.placeholder)
            if access.service.is_own:
                env[access.address.variable] = access.base_url
        return Launch(
            shell=shlex.join(["sh", "-c", self.command]),
            env=env,
            stdin=text,
            files={PROMPT_FILE: text},
        )

    def reader(self) -> LogReader:
        """Of whatever it prints."""
        return LastWords()


class LastWords:
    """Keeps the end of what a program prints."""

    def __init__(self) -> None:
        self._kept = ""

    def read(self, line: bytes) -> Iterator[Entry]:
        """See `LogReader`."""
        end = line[-4 * LAST_WORDS_CHARS :].decode("utf-8", "replace")
        self._kept = f"{self._kept}{end}\n"[-LAST_WORDS_CHARS:]
        return iter(())

    def rest(self) -> Iterator[Entry]:
        """What it printed last."""
        yield Ended(text=self._kept.strip(), is_said=False)


def exec_command(command: str | None) -> ProgramAgent:
    """The agent that *command* is."""
    assert command is not None
    return ProgramAgent(program=ExecCommand(command=command), environ=os.environ, argument=command)


KIND = AgentKind(make=exec_command, argument="COMMAND", needs_argument=True)
