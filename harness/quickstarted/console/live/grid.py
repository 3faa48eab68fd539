"""
Rows of fields as lines of a terminal: the first column is cut to its share, the last to the rest.

Apart from rich's tables, which measure and wrap everything, and take the time for that several
times a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text

from quickstarted.console.live.fit import fit, padded

GAP = "  "
NARROW_COLUMNS = 60
"""Below it, what can be done without is left out."""
NAME_SHARE = 0.4
"""Of the width, at most, for the first column beside one that takes the rest."""
NAME_COLUMNS = 8
"""Of the first column, at least."""


@dataclass(frozen=True, slots=True)
class Look:
    """The terminal that lines are made for."""

    columns: int
    """That may be written to."""
    encoding: str = "utf-8"

    @property
    def is_narrow(self) -> bool:
        """Whether there is room only for what matters most."""
        return self.columns < NARROW_COLUMNS


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a row, or the title of a column."""

    text: str
    """Not yet `visible` in the first and last columns, which are cut; figures elsewhere."""
    style: str = ""
    tail: str = ""
    """Stands behind the text and is never cut: the number of an attempt."""


@dataclass(frozen=True, slots=True)
class Column:
    """How fields under each other are shown."""

    title: str
    right: bool = False


Row = Sequence[Field]


def grid(columns: Sequence[Column], rows: Sequence[Row], look: Look) -> list[Text]:
    """A line of titles, and one for each of *rows*; none is wider than *look*."""
    head = [Field(column.title, "dim") for column in columns]
    table = [head, *rows]
    between = [max(len(row[place].text) for row in table) for place in range(1, len(columns))]
    takes_rest = not columns[-1].right
    if takes_rest:
        between.pop()
    room = look.columns - sum(between) - len(GAP) * (len(columns) - 1)
    most = int(look.columns * NAME_SHARE) if takes_rest else room
    width = max(
        NAME_COLUMNS, min(max(cell_len(f"{row[0].text}{row[0].tail}") for row in table), most)
    )
    widths = [width, *between, *([max(0, room - width)] if takes_rest else [])]
    return [_line(columns, row, widths, look) for row in table]


def _line(columns: Sequence[Column], row: Row, widths: Sequence[int], look: Look) -> Text:
    line = Text(no_wrap=True, end="")
    for place, (column, field, width) in enumerate(zip(columns, row, widths, strict=True)):
        if place:
            line.append(GAP)
        shown = fit(field.text, width - len(field.tail), look.encoding) + field.tail
        line.append(padded(shown, width, right=column.right), field.style or None)
    line.rstrip()
    line.truncate(look.columns)
    return line
