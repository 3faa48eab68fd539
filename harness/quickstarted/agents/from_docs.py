"""
Replay of pages: their shell code is run and their files are written, in the order of the path.

A reader's way without a reader: what stands on the pages is all there is. What was passed by, and
why, is in the account at the end of the trace, because a page may need it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quickstarted.docs import Page
from quickstarted.docs.code_blocks import code_blocks, section_of
from quickstarted.events import AgentFinal
from quickstarted.page_steps import Command, Skipped, Step, WriteFile, steps_of
from quickstarted.page_steps.attending import attended, same_server
from quickstarted.page_steps.writing import writing
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt

SHOWN_CHARS = 160
"""Of a command or a block, in the account."""


@dataclass(slots=True)
class Walkthrough:
    """One way along a route."""

    tools: Toolbelt
    done: list[str] = field(default_factory=list)
    """The account: one line for each step."""
    servers: dict[tuple[str, str], int] = field(default_factory=dict)
    """Program and folder of what was left running, to its number."""
    folder: str = ""
    attended: int = 0

    def take(self, route: Iterable[str]) -> StopReason:
        """
        Read every page, then do what they say; stop at the first command that fails.

        A page that cannot be read, or that has no code, stops nothing: the check says what is
        missing then.
        """
        pages = [(url, self._text_of(url)) for url in route]
        try:
            for url, text in pages:
                if not self._follow(url, text):
                    return StopReason.COMMAND_FAILED
        finally:
            text = "\n".join(self.done) or "No page has shell code, or a file that it names."
            self.tools.write(AgentFinal(ts=self.tools.now(), text=text))
        return StopReason.COMPLETED

    def _text_of(self, url: str) -> str:
        """All parts of the page; of a URL with a fragment only that section."""
        parts: list[str] = []
        start: int | None = 0
        number = pages = 1
        while number <= pages:
            outcome = self.tools.read_docs(url, page=number).outcome
            if not isinstance(outcome, Page):
                self.done.append(f"could not read {url}")
                return ""
            parts.append(outcome.own_text)
            pages = outcome.pages
            start = outcome.section_start if "#" in url else 0
            number += 1
        if start is None:
            self.done.append(f"there is no section at {url}: nothing of the page was followed")
            return ""
        text = "".join(parts)
        return section_of(text, start) if "#" in url else text

    def _follow(self, url: str, text: str) -> bool:
        """Do what *text* says; whether all of it succeeded."""
        steps = steps_of(code_blocks(text))
        if text and not any(not isinstance(step, Skipped) for step in steps):
            self.done.append(f"{url}: no shell code, and no file that the page names")
        for step, command in self._commands(steps):
            where = f"{url} line {step.line}"
            if command is None:
                self.done.append(f"skipped ({_why(step)}): {_shown(step.text)} [{where}]")
                continue
            result = self.tools.bash(command)
            self.folder = result.cwd
            said = "ran" if isinstance(step, Command) else f"wrote {_path(step)}"
            what = f": {_shown(step.text)}" if isinstance(step, Command) else ""
            if result.exit_code != 0:
                self.done.append(f"{said}{what} [{where}]: exit code {result.exit_code}, the end")
                return False
            self.done.append(f"{said}{what} [{where}]")
        return True

    def _commands(self, steps: Iterable[Step]) -> Iterator[tuple[Step, str | None]]:
        """Each step with the command that does it; None where it is passed by."""
        for step in steps:
            match step:
                case Skipped():
                    yield step, None
                case WriteFile():
                    yield step, writing(step)
                case Command(may_serve=False):
                    yield step, step.text
                case Command():
                    yield step, self._attended(step.text)

    def _attended(self, command: str) -> str:
        """Start *command* so that it may stay; the same one in the same folder gives way to it."""
        self.attended += 1
        key = (same_server(command), self.folder)
        earlier = self.servers.get(key)
        self.servers[key] = self.attended
        return attended(command, self.attended, earlier)


def _why(step: Step) -> str:
    return step.reason if isinstance(step, Skipped) else ""


def _path(step: Step) -> str:
    if not isinstance(step, WriteFile):
        return ""
    return f"{step.path} (added to it)" if step.appends else step.path


def _shown(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= SHOWN_CHARS else f"{line[:SHOWN_CHARS]}..."
