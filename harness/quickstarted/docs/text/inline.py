"""
The running text of one paragraph: white space, links, emphasis and inline code.

Marks are kept as positions in the list of pieces, so that a link round a whole block (a card) is
known at its end and becomes a line of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from quickstarted.docs.text.tree import collapse

_BACKTICKS = re.compile(r"`+")
_MAX_EMPHASIS_CHARS = 2_000
_MARKUP = {"strong": "**", "b": "**", "em": "*", "i": "*", "del": "~~", "s": "~~", "q": '"'}


@dataclass(frozen=True, slots=True)
class _Mark:
    tag: str
    start: int
    paragraph: int
    chars: int
    href: str


class Inline:
    """Pieces of one paragraph, and the marks that are open in it."""

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._marks: list[_Mark] = []
        self._paragraph = 0
        self._chars = 0
        self._ends_in_space = True

    def text(self, text: str) -> None:
        """Add text as it stands in the page; white space is collapsed."""
        piece = collapse(text)
        if self._ends_in_space:
            piece = piece.removeprefix(" ")
        self._add(piece)

    def code(self, text: str, href: str = "") -> None:
        """Add inline code, apart from code before it."""
        content = collapse(text).strip()
        if not content:
            self.text(text)
            return
        if self._pieces and self._pieces[-1].endswith("`"):
            self._add(" ")
        longest = max((len(run) for run in _BACKTICKS.findall(content)), default=0)
        ticks = "`" * (longest + 1)
        space = " " if longest and (content[0] == "`" or content[-1] == "`") else ""
        code = f"{ticks}{space}{content}{space}{ticks}"
        self._add(f"[{code}]({href})" if href else code)

    def line_break(self) -> None:
        """Start a new line within the paragraph."""
        self._strip_end()
        self._pieces.append("\n")
        self._ends_in_space = True

    def open(self, tag: str, href: str = "") -> None:
        """A link or an emphasis starts here."""
        self._marks.append(_Mark(tag, len(self._pieces), self._paragraph, self._chars, href))

    def close(self, tag: str) -> str:
        """
        It ends here.

        Returns:
            The target of a link whose text is in paragraphs before this one, so that it still has
            to be written; empty otherwise.

        """
        if not self._marks or self._marks[-1].tag != tag:
            return ""
        mark = self._marks.pop()
        if mark.paragraph != self._paragraph:
            return mark.href
        if not mark.href and self._chars - mark.chars > _MAX_EMPHASIS_CHARS:
            return ""
        content = "".join(self._pieces[mark.start :])
        if wrapped := _wrapped(content, mark):
            del self._pieces[mark.start :]
            self._pieces.append(wrapped)
        return ""

    def take(self) -> str:
        """The paragraph so far without white space round it; a new one starts."""
        text = "".join(self._pieces).strip(" \n")
        self._pieces.clear()
        self._paragraph += 1
        self._ends_in_space = True
        return text

    def _add(self, piece: str) -> None:
        if piece:
            self._pieces.append(piece)
            self._chars += len(piece)
            self._ends_in_space = piece[-1] in " \n"

    def _strip_end(self) -> None:
        if self._pieces:
            self._pieces[-1] = self._pieces[-1].rstrip(" ")


def _wrapped(content: str, mark: _Mark) -> str:
    """*content* with its mark, white space kept outside; empty where it stays as it is."""
    core = content.strip(" \n")
    if not core:
        return ""
    before, _, after = content.partition(core)
    if mark.href:
        text = core.replace("\n", " ")
        return (
            f"{before}{'<' + text + '>' if text == mark.href else f'[{text}]({mark.href})'}{after}"
        )
    sign = _MARKUP.get(mark.tag, "")
    if not sign or sign in core or "\n" in core:
        return ""
    return f"{before}{sign}{core}{sign}{after}"


MARKED_TAGS = frozenset({"a", *_MARKUP})
