"""The tables of `docs/egress.md`, made from the attempts that the suite makes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from egress.attempts import TABLES
from egress.decisions import ROWS, Row
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
    parts = [part for table in TABLES for part in _section(table)]
    parts = [BEGIN, *parts, *_decisions(ROWS), END]
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


def _decisions(rows: Iterable[Row]) -> Iterator[str]:
    yield "### What the policy alone says"
    yield (
        "Spellings that are judged before anything is sent, as a table of the decision itself; the"
        " policy is at the head of `tests/egress/decisions.py`."
    )
    lines = ["| attempt | asked for | decision |", "| --- | --- | --- |"]
    for row in rows:
        verdict = "allowed" if row.allowed else f"refused: {row.detail or row.reason}"
        path = (row.path or b"").decode("latin-1")
        cells = (row.name, f"`{_shortened(_ascii(f'{row.host}:{row.port}{path}'))}`", verdict)
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    yield "\n".join(lines)


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii").replace("`", "\\x60")


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."


def _event(text: str) -> str:
    kind, method, target, *rest = text.rsplit(" (", 1)[0].split(" ")
    why = " ".join(word for word in rest if word != "not_allowlisted")
    return f"{kind} `{method} {_shortened(target)}` {why}".rstrip()


def _cell(text: str) -> str:
    printable = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)
    return printable.replace("|", "\\|")
