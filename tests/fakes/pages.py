"""The project's Markdown pages as their readers take them: blocks to paste, links to follow."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

CHECKOUT = Path(__file__).parents[2]
PAGES = [
    *(CHECKOUT / name for name in ("README.md", "DESIGN.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((CHECKOUT / "docs").glob("*.md")),
    CHECKOUT / "tasks" / "README.md",
    CHECKOUT / "results" / "README.md",
]
GUIDE = [page for page in PAGES if page.name not in ("DESIGN.md", "CHANGELOG.md")]
"""What users read, and follow."""
PROGRAM = "quickstarted"
ENDS_A_COMMAND = ("|", ">", ">>", "<", "&", "&&", "||", ";", "2>", "(", ")")


def name_of(page: Path) -> str:
    """As it is called in the project."""
    return str(page.relative_to(CHECKOUT))


@dataclass(frozen=True)
class Block:
    """A fenced block."""

    language: str
    text: str


def blocks(text: str) -> list[Block]:
    """All fenced blocks of a page, in order."""
    return [
        Block(token.info.strip(), token.content) for token in _tokens(text) if token.type == "fence"
    ]


def section(text: str, heading: str) -> str:
    """What stands below *heading*, up to the next one of its level or above."""
    level, _, title = heading.partition(" ")
    _, _, rest = f"\n{text}".partition(f"\n{level} {title}\n")
    assert rest, f"no heading {heading!r}"
    return re.split(rf"^#{{1,{len(level)}}} ", rest, maxsplit=1, flags=re.MULTILINE)[0]


def inline_code(text: str) -> list[str]:
    """What stands between backticks."""
    return [token.content for token in _inline(text) if token.type == "code_inline"]


def links(text: str) -> list[str]:
    """Where the page's links lead."""
    return [
        str(token.attrs.get("href") or token.attrs.get("src"))
        for token in _inline(text)
        if token.type in ("link_open", "image")
    ]


def anchors(text: str) -> set[str]:
    """The names that GitHub gives to the page's headings."""
    tokens = _tokens(text)
    titles = [
        tokens[index + 1].content for index, one in enumerate(tokens) if one.type == "heading_open"
    ]
    seen: Counter[str] = Counter()
    found = set()
    for title in titles:
        slug = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def calls(shell: str) -> list[list[str]]:
    """The arguments of every `quickstarted ...` in *shell*: a script, or a console with prompts."""
    text = re.sub(r"\\\n\s*", " ", shell)
    found = []
    for line in text.splitlines():
        command = re.sub(r"^(- run: |\$ )", "", line.strip())
        found += _calls_of_line(command)
    return found


def _calls_of_line(line: str) -> Iterator[list[str]]:
    if not re.search(rf"(^|[ ;&|/]){PROGRAM}\b", line):
        return
    words = shlex.shlex(line, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    command: list[str] = []
    for word in [*words, ";"]:
        if word not in ENDS_A_COMMAND:
            # Variables may stand before the command.
            command += [word] if command or not re.match(r"\w+=", word) else []
            continue
        if command and command[0].rpartition("/")[2] == PROGRAM:
            yield command[1:]
        command = []


def _tokens(text: str) -> list[Token]:
    return MarkdownIt("commonmark").enable("table").parse(text)


def _inline(text: str) -> Iterator[Token]:
    for token in _tokens(text):
        yield from token.children or ()
