"""
Code blocks of a page's text, each with the words that stand round it.

The text is Markdown as `read_docs` gives it, Markdown as a site serves it, or reStructuredText
served as text. CommonMark is read by markdown-it; of reStructuredText only what makes a code block.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from markdown_it import MarkdownIt
from markdown_it.token import Token

from quickstarted.docs.rst_blocks import looks_like_rst, rst_as_markdown

_TAB = re.compile(r"\*\*Tab: ?(?P<label>.*?)\*\*")
_MAX_NESTING = 100
"""Of lists and quotations; left at 20, the parser drops what lies deeper without a word."""
_PARSER = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeBlock:
    """One block of code of a page."""

    text: str
    """Verbatim, without the line break at its end."""
    language: str = ""
    """In lower case; empty where the page does not say."""
    info: str = ""
    """The rest of the fence's first line, e.g. `title="src/app.js"`."""
    lead: str = ""
    """
    The paragraph just before it, in Markdown; empty where a heading or a block is. In a tab
    without one, the paragraph before the tabs.
    """
    follow: str = ""
    """The paragraph just after it; empty where a heading or a block is."""
    tab: str = ""
    """Label of the tab that it stands in."""
    is_aside: bool = False
    """Whether it stands in a quotation, which is how notes and warnings are written."""
    section: tuple[str, ...] = ()
    """Headings above it, the page's own first."""
    line: int = 1
    """Of its first line of code, counted from 1 in the page's text."""


@dataclass(slots=True)
class _Place:
    """What has been read so far."""

    headings: list[tuple[int, str]] = field(default_factory=list)
    lead: str = ""
    tab: str = ""
    tab_has_code: bool = False
    tabs_lead: str = ""
    """What stands before the first of a group of tabs."""

    def heading(self, level: int, text: str) -> None:
        while self.headings and self.headings[-1][0] >= level:
            self.headings.pop()
        self.headings.append((level, text))
        self.lead, self.tab, self.tabs_lead = "", "", ""

    def paragraph(self, text: str) -> None:
        if not any(char.isalnum() for char in text):
            return
        if match := _TAB.fullmatch(text):
            self.tabs_lead = self.tabs_lead if self.tab else self.lead
            self.tab, self.tab_has_code, self.lead = match["label"], False, self.tabs_lead
            return
        if self.tab_has_code:
            self.tab, self.tab_has_code = "", False
        self.lead = text


def code_blocks(text: str) -> list[CodeBlock]:
    """Find all code blocks of *text*, in order; inline code is not among them."""
    if looks_like_rst(text):
        text = rst_as_markdown(text)
    tokens = [token for token in _PARSER.parse(text) if token.type in _READ]
    return list(_with_follow(tokens, list(_blocks(tokens, text.splitlines()))))


def section_of(text: str, start: int) -> str:
    """
    The part of *text* that belongs to the section which starts at character *start*.

    It ends where a heading of the same or a higher level begins.
    """
    rest = text[start:]
    headings = [
        (token.map[0], int(token.tag[1:]))
        for token in _PARSER.parse(rest)
        if token.type == "heading_open" and token.map
    ]
    if not headings:
        return rest
    first, level = headings[0]
    end = next((line for line, other in headings[1:] if other <= level and line > first), None)
    return rest if end is None else "".join(rest.splitlines(keepends=True)[:end])


def inline_code(text: str) -> Iterator[str]:
    """Every span of code within the sentences of *text*."""
    for token in _PARSER.parse(text):
        for child in token.children or ():
            if child.type == "code_inline":
                yield child.content


_CODE = frozenset({"fence", "code_block"})
_READ = _CODE | {"heading_open", "inline"}


def _blocks(tokens: list[Token], lines: list[str]) -> Iterator[CodeBlock]:
    quotes = _Quotes(tokens, lines)
    place = _Place()
    level = 0
    for token in tokens:
        if token.type == "heading_open":
            level = int(token.tag[1:])
        elif token.type == "inline":
            said = _SPACE.sub(" ", token.content).strip()
            place.heading(level, said) if level else place.paragraph(said)
            level = 0
        elif token.type in _CODE:
            yield _block(token, place, is_aside=quotes.hold(token, place.lead))
            place.lead = ""
            place.tab_has_code = bool(place.tab)


def _block(token: Token, place: _Place, *, is_aside: bool) -> CodeBlock:
    language, _, info = token.info.strip().partition(" ")
    start, _ = token.map or (0, 0)
    return CodeBlock(
        text=token.content.removesuffix("\n"),
        language=_plain_language(language),
        info=f"{language} {info}".strip() if ":" in language or "{" in language else info.strip(),
        lead=place.lead,
        tab=place.tab,
        is_aside=is_aside,
        section=tuple(text for _, text in place.headings),
        line=start + (2 if token.type == "fence" else 1),
    )


class _Quotes:
    """
    Which blocks belong to a quotation.

    `read_docs` writes fences at the margin, so that a quotation stops before one and begins again
    behind it.
    """

    def __init__(self, tokens: list[Token], lines: list[str]) -> None:
        self._lines = lines
        spans = [token.map for token in tokens if token.type in _CODE and token.map]
        self._code = {at for start, end in spans for at in range(start, end)}
        self._last_lead = ""

    def hold(self, token: Token, lead: str) -> bool:
        """Whether *token*, a block behind the paragraph *lead*, is part of a quotation."""
        start, end = token.map or (0, 0)
        self._last_lead = lead or self._last_lead
        if self._lines[start].lstrip().startswith(">"):
            return True
        before, after = self._next(start - 1, -1), self._next(end, 1)
        goes_on = after.startswith(">") or self._last_lead.endswith(":")
        return before.startswith(">") and goes_on

    def _next(self, at: int, step: int) -> str:
        """The first line from *at* that says something and is no code."""
        while 0 <= at < len(self._lines):
            if self._lines[at].strip() and at not in self._code:
                return self._lines[at]
            at += step
        return ""


def _plain_language(word: str) -> str:
    """`js` of `js`, `js:src/app.js`, `{.js}`, `js{1,3}` and `{code-block}`."""
    found = re.search(r"[A-Za-z][\w+#-]*", word.partition(":")[0])
    return found[0].lower() if found else ""


def _with_follow(tokens: list[Token], blocks: list[CodeBlock]) -> Iterator[CodeBlock]:
    """Add the paragraph after each block: sentences may name its file only then."""
    remaining = iter(blocks)
    for at, token in enumerate(tokens):
        if token.type in _CODE:
            yield replace(next(remaining), follow=_next_paragraphs(tokens[at + 1 :]))


def _next_paragraphs(tokens: list[Token]) -> str:
    """Sentences up to the next heading or block."""
    said: list[str] = []
    for token in tokens:
        if token.type != "inline":
            break
        said.append(_SPACE.sub(" ", token.content).strip())
    return "\n".join(said)
