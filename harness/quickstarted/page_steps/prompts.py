"""
Transcripts of terminals: which lines are typed, and which are answers.

Where a block has prompts, only the prompted lines and what continues them are commands.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from quickstarted.page_steps.programs import COMMON, program_of
from quickstarted.task.findings.shell import parse

SESSION_LANGUAGES = frozenset(
    {
        "console",
        "shell-session",
        "shellsession",
        "session",
        "terminal",
        "sh-session",
        "bash-session",
    }
)

_WHO = r"\[?[\w.-]+@[\w.-]+(?::\S*?|[ ]\S+?)?\]?"
_PROMPT = re.compile(
    rf"""^\s*
    (?:\([^()\s]+\)\s*)?                        # (venv)
    (?:
        (?:{_WHO}\s?)?%                         # user@host %
      | (?:{_WHO}|~?(?:/[\w.~-]+)+|~|[A-Za-z][\w-]*)?\s?[$\u276f\u279c]   # host:~$, ~ $
    )
    \ +(?=\S)""",
    re.VERBOSE,
)
_ROOT_PROMPT = re.compile(rf"^\s*(?:\([^()\s]+\)\s*)?(?:{_WHO})?# ?(?=\S)")
_ANGLE_PROMPT = re.compile(r"^> (?=\S)")
_WINDOWS_PROMPT = re.compile(
    r"^\s*(?:\(\S+\)\s*)?(?:PS(?: [A-Za-z]:\\[^>]*)?|[A-Za-z]:\\?[^>\s]*|\.\.\.\\)>\s*\S"
)
_OTHER_PROGRAM = re.compile(
    r"^(?:>>>(?: |$)|In \[\d+\]: |[\w.@-]+(?:[=-][>#]|(?:\(\w+\))?(?::\d+)*[>*]) )"
)
_OPEN_END = re.compile(r"(?:&&|\|\|?|\bdo|\bthen|\{|\()\s*$")
_CONTINUED = re.compile(r"^\s*> ?")
_HEREDOC = re.compile(r"<<-?\s*(?P<quote>['\"]?)(?P<word>\w+)(?P=quote)")


@dataclass(frozen=True, slots=True)
class Prompts:
    """How commands are marked in one block."""

    pattern: re.Pattern[str]

    def typed(self, lines: list[str]) -> list[str]:
        """What is typed, without prompts; answers are left out."""
        commands: list[str] = []
        open_command = False
        for line, following in zip(lines, [*lines[1:], ""], strict=True):
            if open_command:
                commands[-1] += "\n" + _CONTINUED.sub("", line)
            elif match := self.pattern.match(line):
                commands.append(line[match.end() :].rstrip())
            else:
                continue
            open_command = not is_complete(commands[-1], following)
        return [command for command in commands if not command.lstrip().startswith("#")]


def prompts_of(code: str, language: str) -> Prompts | None:
    """How the commands of a block are marked; None where they are not."""
    lines = [line for line in code.splitlines() if line.strip()]
    in_session = language in SESSION_LANGUAGES or not language
    shown = lines if in_session else lines[:1]
    if any(_PROMPT.match(line) for line in shown):
        return Prompts(_PROMPT)
    if in_session and lines and (match := _ROOT_PROMPT.match(lines[0])):
        first = lines[0][match.end() :]
        if match[0].strip() != "#" or program_of(first) in COMMON:
            return Prompts(_ROOT_PROMPT)
    if in_session and lines and (match := _ANGLE_PROMPT.match(lines[0])):
        return Prompts(_ANGLE_PROMPT) if program_of(lines[0][2:]) in COMMON else None
    return None


def is_windows(code: str) -> bool:
    """Whether the first line of a block has a prompt of cmd or PowerShell."""
    return bool(_WINDOWS_PROMPT.match(_first_line(code)))


def is_other_program(code: str) -> bool:
    """Whether the first line of a block has the prompt of an interpreter or a database's client."""
    return bool(_OTHER_PROGRAM.match(_first_line(code)))


def _first_line(code: str) -> str:
    return next((line for line in code.splitlines() if line.strip()), "")


def is_complete(command: str, following: str = "") -> bool:
    """Whether a shell would run *command*, and not ask for more, which *following* would be."""
    lines = command.split("\n")
    if lines[-1].endswith("\\") or _OPEN_END.search(lines[-1]):
        return False
    for at, line in enumerate(lines):
        for match in _HEREDOC.finditer(line):
            if all(later.strip() != match["word"] for later in lines[at + 1 :]):
                return False
    is_asked_for = _CONTINUED.match(following) is not None
    return not (parse(command).has_error and (is_asked_for or _is_unclosed(command)))


def _is_unclosed(command: str) -> bool:
    """Whether a quotation is open at the end of *command*."""
    inside = ""
    escaped = False
    for char in command:
        if escaped:
            escaped = False
        elif char == "\\" and inside != "'":
            escaped = True
        elif inside:
            inside = "" if char == inside else inside
        elif char in "'\"":
            inside = char
    return bool(inside)
