"""
A recording without a terminal of its own: one command after the other, each run by itself.

For commands that come through a pipe, and for images without bash.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from quickstarted.authoring.plain import printed_lines
from quickstarted.authoring.recording.model import Done
from quickstarted.authoring.recording.selection import is_leaving, is_server
from quickstarted.errors import Interrupted
from quickstarted.sandbox.protocol import Limits, Sandbox
from quickstarted.task import Budgets
from quickstarted.task.findings.shell import parse

SERVER_S = 10.0
"""How long a server in the foreground is looked at before it is ended."""
SYNTAX_S = 60.0

_HEREDOC = re.compile(r"(?<!<)<<(?P<dash>-?)\s*(?P<quote>['\"]?)\\?(?P<word>[\w.-]+)(?P=quote)")
_UNFINISHED = re.compile(
    r"unexpected (end of file|EOF)|(end of file|EOF) unexpected", re.IGNORECASE
)


@dataclass(kw_only=True)
class LineSession:
    """Runs what `next_line` gives until there is nothing more."""

    sandbox: Sandbox
    next_line: Callable[[bool], str | None]
    """Gives a line without its line break, None at the end; true when a command goes on."""
    say: Callable[[str], None]
    cancelled: Callable[[], bool]
    after: Callable[[Done], None]
    echo: bool
    """Whether commands are shown: not where the person sees what they type."""
    done: list[Done] = field(default_factory=list)

    def run(self) -> list[Done]:
        """
        Run the commands.

        Raises:
            Interrupted: Somebody asked to stop.
            AttemptFault: Sandbox, sidecar or engine failed.

        """
        for number, command in enumerate(self._commands(), 1):
            if is_leaving(command):
                break
            self._run(number, command)
        return self.done

    def _commands(self) -> Iterator[str]:
        pending: list[str] = []
        while True:
            if self.cancelled():
                raise Interrupted("interrupted while the quickstart was recorded")
            line = self.next_line(bool(pending))
            if line is None:
                break
            if not pending and not line.strip():
                continue
            pending.append(line)
            text = "\n".join(pending)
            if self._is_whole(text):
                pending.clear()
                yield text
        if pending:
            yield "\n".join(pending)

    def _run(self, number: int, command: str) -> None:
        if self.echo:
            for at, line in enumerate(command.splitlines()):
                self.say(f"{'>' if at else '$'} {line}")
        server = is_server(command)
        limits = Limits(
            timeout_s=SERVER_S if server else Budgets().max_command_seconds,
            cancelled=self.cancelled,
        )
        self.sandbox.begin_scope(number)
        result = self.sandbox.bash(command, limits)
        self.sandbox.drain_egress()
        for line in printed_lines(result.output):
            self.say(line)
        if server and result.timed_out:
            self.say(f"[ended after {SERVER_S:g} s: it does not end by itself]")
        elif result.exit_code != 0:
            self.say(f"[exit {result.exit_code}]")
        if self.cancelled():
            raise Interrupted("interrupted while the quickstart was recorded")
        done = Done(
            command=command,
            exit_code=result.exit_code,
            output=result.output,
            interrupted=result.timed_out,
        )
        self.done.append(done)
        self.after(done)

    def _is_whole(self, text: str) -> bool:
        """Whether *text* is a command that needs no further line."""
        if _ends_in_backslash(text) or not _heredocs_end(text):
            return False
        if not parse(text).has_error:
            return True
        script = 'LC_ALL=C "$QUICKSTARTED_SHELL" -n -c "$QUICKSTARTED_TEXT"'
        env = {
            "QUICKSTARTED_SHELL": str(self.sandbox.facts["shell"]),
            "QUICKSTARTED_TEXT": text,
        }
        asked = self.sandbox.run_clean(script, Limits(timeout_s=SYNTAX_S), env=env)
        # Without an answer, our own parser's word counts: half a command must not be run.
        return not (asked.timed_out or _UNFINISHED.search(asked.output))


def _ends_in_backslash(text: str) -> bool:
    stripped = text.rstrip("\\")
    return (len(text) - len(stripped)) % 2 == 1


def _heredocs_end(text: str) -> bool:
    """Whether each heredoc that begins has its last line."""
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        begun = list(_HEREDOC.finditer(lines[at]))
        at += 1
        for match in begun:
            while at < len(lines) and not _is_end(lines[at], match):
                at += 1
            if at == len(lines):
                return False
            at += 1
    return True


def _is_end(line: str, heredoc: re.Match[str]) -> bool:
    return (line.lstrip("\t") if heredoc["dash"] else line) == heredoc["word"]
