"""Text out of a trace as Markdown that its content cannot break out of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from quickstarted.console.text import visible

_BACKTICKS = re.compile(r"`+")


def code(text: str) -> str:
    """
    *text* as inline code (CommonMark 6.1): the delimiter is longer than any run inside.

    Everything of a trace that stands between our own words is code: no markup, no links, and no
    mentions that call people where the report is posted.
    """
    shown = visible(text) or " "
    ticks = "`" * (_longest(shown) + 1)
    pad = " " if shown.strip() and (shown[0] in "` " or shown[-1] in "` ") else ""
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def fenced(lines: Iterable[str], language: str = "text") -> str:
    """*lines*, already visible, as a fenced block (CommonMark 4.5) that none of them can end."""
    body = "\n".join(lines)
    fence = "`" * max(3, _longest(body) + 1)
    return f"{fence}{language}\n{body}\n{fence}"


def details(summary: str, body: str) -> str:
    """*body* folded away under *summary*, which is Markdown of ours."""
    return f"<details>\n<summary>{summary}</summary>\n\n{body}\n\n</details>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table (GFM 4.10) of cells that are Markdown; a `|` in one does not end it."""
    lines = [_row(head), _row(["---"] * len(head)), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(cell.replace("\\|", "|").replace("|", "\\|") for cell in cells) + " |"


def _longest(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
