"""The tables of `docs/egress.md`, made from the attempts that the suite makes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from egress.attempts import TABLES
from egress.model import Attempt, Table

BEGIN = "<!-- attempts: made by tests/egress, QS_UPDATE_GOLDEN=1 -->"
END = "<!-- end of the attempts -->"
LONGEST = 70
"""Characters of an event's target that are shown."""
SAW = {
    "reached": "an answer",
    "closed": "the connection closed",
    "refused": "connection refused",
    "no route": "no route, or silence",
    "the sidecar": "the sidecar's address",
}
"""What a word of `inside/client.py` means to a reader."""


def tables() -> str:
    """All tables as Markdown, between the two marks."""
    parts = [BEGIN, *(part for table in TABLES for part in _section(table)), END]
    return "\n\n".join(parts) + "\n"


def with_tables(page: str) -> str:
    """*page* with its tables made anew; what stands around them is kept."""
    made = tables().rstrip("\n")
    pattern = f"{re.escape(BEGIN)}.*{re.escape(END)}"
    return re.sub(pattern, lambda _: made, page, flags=re.DOTALL)


def _section(table: Table) -> Iterator[str]:
    yield f"### {table.title}"
    yield table.about
    yield "\n".join(_lines(table.rows, silent=table.silent))


def _lines(rows: Iterable[Attempt], *, silent: bool) -> Iterator[str]:
    if silent:
        yield "| attempt | the client saw |"
        yield "| --- | --- |"
    else:
        yield "| attempt | the client saw | event |"
        yield "| --- | --- | --- |"
    for row in rows:
        cells = [row.name, SAW.get(row.saw, row.saw)]
        if not silent:
            cells.append("<br>".join(_event(event) for event in row.events) or "none")
        yield "| " + " | ".join(_cell(cell) for cell in cells) + " |"


def _event(text: str) -> str:
    kind, method, target, *rest = text.rsplit(" (", 1)[0].split(" ")
    shown = target if len(target) <= LONGEST else target[: LONGEST - 3] + "..."
    why = " ".join(word for word in rest if word != "not_allowlisted")
    return f"{kind} `{method} {shown}` {why}".rstrip()


def _cell(text: str) -> str:
    printable = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return printable.replace("|", "\\|")
