"""
Lines of Markdown with their nesting: paragraphs carry the prefixes of lists and quotes, code none.

Code blocks always start in the first column, also inside a list or a quote: what an agent copies
from the text is then what stands on the page, byte by byte.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DEFINITION = ": "
_MAX_PREFIXES = 12
# What CommonMark would read as the start of a fence or of HTML, which swallows what follows.
# Signs of lists and quotes may stand before it in the page's own words.
_SWALLOWS = re.compile(
    r"((?:(?:[-*+]|\d{1,9}[.)]) +|> *)*)(?=<(?![a-z][a-z0-9+.-]+:)[A-Za-z/!?]|~~~|`{3,}(?!.*`))"
)
_INDENTED_CODE = re.compile(r"^((?:> )*) {4,}")
_FENCES = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


# How the notes begin that stand in brackets before and behind a page (`docs.notes`).
_LIKE_A_NOTE = re.compile(
    r"^(?=\[(?:Page \d+ of \d+|The section \"#|The page has no section|\d+ places? of this page"
    r"|This page (?:only )?redirects))",
    re.MULTILINE,
)


def guarded(line: str) -> str:
    """*line* so that Markdown takes it for text, where it would swallow what follows."""
    found = _SWALLOWS.match(line)
    return without_notes(f"{found[0]}\\{line[found.end() :]}" if found else line)


def without_notes(text: str) -> str:
    """*text* so that no line of a page is taken for a note of the program."""
    return _LIKE_A_NOTE.sub(r"\\", text)


@dataclass(slots=True)
class Prefix:
    """What stands before the first and before every further line of a block."""

    first: str
    rest: str
    is_name: bool = False
    """It is words of the page, such as the name of a column, and no sign of Markdown."""
    is_used: bool = False

    def take(self) -> str:
        """The part that is due now."""
        if self.is_used:
            return self.rest
        self.is_used = True
        return self.first


class Writer:
    """Collects lines; `gap` says how far the next one stands from the last."""

    def __init__(self) -> None:
        self.prefixes: list[Prefix] = []
        self.anchors: dict[str, int] = {}
        """Element id to the number of the chunk where it starts."""
        self.chunks: list[str] = []
        """Each one line, or one whole code block between its fences."""
        self._depth = 0
        self._gap = 0
        self._after_code = False
        self._is_broken = False
        """A code block in the first column has ended the lists that are being written."""
        self._pending_ids: list[str] = []

    def push(self, prefix: Prefix) -> None:
        """Put *prefix* before every line until `pop`; nesting beyond reason adds none."""
        self._depth += 1
        if self._depth <= _MAX_PREFIXES:
            self.prefixes.append(prefix)

    def pop(self) -> None:
        """End the innermost prefix."""
        if self._depth <= _MAX_PREFIXES:
            self.prefixes.pop()
        self._depth -= 1
        self._is_broken = self._is_broken and bool(self.prefixes)

    def before_list(self) -> None:
        """Let a list start on a line of its own behind a name, and in place of the sign `: `."""
        for prefix in reversed(self.prefixes):
            if prefix.is_used:
                return
            if prefix.is_name:
                self.paragraph("")
                self._gap = 1
                return
            prefix.is_used = prefix.first == DEFINITION
            if not prefix.is_used:
                return

    def gap(self, lines: int) -> None:
        """
        Ask for a line break (1) or a blank line (2) before what comes next.

        The first block of an item or a quote stands right behind its sign.
        """
        if not self.prefixes or self.prefixes[-1].is_used:
            self._gap = max(self._gap, lines)

    def tighten(self) -> None:
        """Take a blank line back, unless it is the one behind a block of code."""
        if not self._after_code:
            self._gap = min(self._gap, 1)

    def anchor(self, name: str) -> None:
        """The next line is where *name* starts."""
        self._pending_ids.append(name)

    def paragraph(self, text: str) -> None:
        """Write the lines of *text*."""
        self._open()
        for line in text.split("\n"):
            self.chunks.append((self._take_prefix() + guarded(line)).rstrip())
        self._gap = 0

    def verbatim(self, text: str) -> None:
        """Write *text*, which is Markdown already."""
        self._open()
        self.chunks.append(text)
        self._gap = 2

    def code(self, language: str, text: str) -> None:
        """Write *text* between fences that do not occur in it."""
        self._gap = 2
        if any(not prefix.is_used and prefix.first.strip() for prefix in self.prefixes):
            self.paragraph("")
            self._gap = 1
        self._open(is_code=True)
        longest = max((len(fence) for fence in _FENCES.findall(text)), default=2)
        fence = "`" * max(3, longest + 1)
        end = "" if text.endswith("\n") else "\n"
        self.chunks.append(f"{fence}{language}\n{text}{end}{fence}")
        self._gap = 2
        self._after_code = True
        self._is_broken = bool(self.prefixes)

    def table(self, rows: list[list[str]], *, has_header: bool) -> None:
        """Write *rows* with a bar between cells, and a rule under the header where there is one."""
        self.gap(2)
        for number, row in enumerate(rows):
            self._open()
            self.chunks.append(self._take_prefix() + "| " + " | ".join(row) + " |")
            if number == 0 and has_header:
                self.chunks.append(self._take_prefix() + "|" + " --- |" * len(row))
            self._gap = 1
        self._gap = 2

    def text(self) -> str:
        """Everything so far."""
        return "\n".join(self.chunks)

    def take_ids(self) -> list[str]:
        """Ids that no line has followed yet, and those of the lines."""
        return [*self.anchors, *self._pending_ids]

    def _open(self, *, is_code: bool = False) -> None:
        if self.chunks and self._gap >= 2 and self.chunks[-1]:
            used = [prefix.rest for prefix in self.prefixes if prefix.is_used]
            is_bare = is_code or self._after_code
            self.chunks.append("" if is_bare else "".join(used).rstrip())
        self._after_code = False
        for name in self._pending_ids:
            self.anchors.setdefault(name, len(self.chunks))
        self._pending_ids.clear()

    def _take_prefix(self) -> str:
        taken = "".join([prefix.take() for prefix in self.prefixes])
        return _INDENTED_CODE.sub(r"\1   ", taken) if self._is_broken else taken
