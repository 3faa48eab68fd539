"""
Whether a command stands on pages, as a reader would say it does.

White space, prompts, `sudo`, the folder of a virtual environment, `python3` for `python`, and
answers to questions (`-y`) make no difference. Names, versions and all other options do.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from quickstarted.docs.code_blocks import CodeBlock, code_blocks, inline_code
from quickstarted.page_steps.reading import commands_in
from quickstarted.task.findings.shell import Call, calls, parse, text_of, walk

_AS_GIVEN = frozenset(
    {"", ".", "cat", "cd", "mkdir", "printf", "source", "touch", "true", "test", "["}
)
"""What every reader brings along, or how an editor's work is written down."""
_ANSWERS = frozenset({"-y", "--yes", "-q", "--quiet", "--assume-yes", "--no-input", "-U"})
_SAME = {"python3": "python", "pip3": "pip"}
_TYPED_AT = re.compile(r"^(?:>>>|\.\.\.|[\w.-]+[=-]?[>#]) ")
"""Prompts of interpreters and of clients of databases."""
_CLOSE_ENOUGH = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A command of a page."""

    text: str
    url: str
    line: int


@dataclass(slots=True)
class Documented:
    """All commands and lines of code of some pages."""

    commands: dict[str, Place] = field(default_factory=dict)
    lines: set[str] = field(default_factory=set)
    """Of all blocks, without the space around and doubled within, and without prompts."""

    def add(self, url: str, text: str) -> None:
        """Take the code of the page at *url*."""
        for block in code_blocks(text):
            self._add_block(url, block)
        for code in inline_code(text):
            for normal in _normal_calls(code):
                self.commands.setdefault(normal, Place(text=code, url=url, line=0))

    def _add_block(self, url: str, block: CodeBlock) -> None:
        lines = [" ".join(line.split()) for line in block.text.splitlines()]
        self.lines |= {*lines, *(_TYPED_AT.sub("", line) for line in lines)}
        for command in commands_in(block):
            for normal in _normal_calls(command):
                place = Place(text=command.splitlines()[0], url=url, line=block.line)
                self.commands.setdefault(normal, place)

    def missing(self, command: str) -> list[str]:
        """Simple commands of *command* that stand on no page, and lines of files that it writes."""
        absent = [normal for normal in _normal_calls(command) if normal not in self.commands]
        absent += [line for line in _file_lines(command) if line not in self.lines]
        return absent

    def closest(self, normal: str) -> Place | None:
        """The command of a page that is most like *normal*; None where none is like it."""
        found = difflib.get_close_matches(normal, self.commands, n=1, cutoff=_CLOSE_ENOUGH)
        return self.commands[found[0]] if found else None


def _normal_calls(command: str) -> Iterator[str]:
    for call in calls(command):
        words = list(_words(call))
        if words and words[0] not in _AS_GIVEN and words[:3] != ["python", "-m", "venv"]:
            yield " ".join(words)


def _words(call: Call) -> Iterable[str]:
    program = _SAME.get(call.program, call.program)
    args = [" ".join(arg.split()) for arg in call.args if arg not in _ANSWERS]
    if program == "python" and args[:2] == ["-m", "pip"]:
        program, args = "pip", args[2:]
    if program == "npm" and args[:1] == ["i"]:
        args[0] = "install"
    return (program, *args)


def _file_lines(command: str) -> Iterator[str]:
    """Lines of here documents."""
    for node in walk(parse(command)):
        if node.type == "heredoc_body":
            for line in text_of(node).splitlines():
                if squeezed := " ".join(line.split()):
                    yield squeezed


def files_written(commands: Iterable[str]) -> Iterator[str]:
    """Files into which *commands* redirect; what runs them is the task's own."""
    for command in commands:
        for node in walk(parse(command)):
            if node.type == "file_redirect" and node.named_child_count:
                yield text_of(node.named_children[-1])
