"""
Rows and cells of the tables that are being walked.

A table whose cells hold code blocks or other tables cannot be one of Markdown: each row is then a
list item with its cells as blocks, named after their columns, where the table names those.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from quickstarted.docs.text.admonitions import is_layout
from quickstarted.docs.text.code import CODE_SELECTOR
from quickstarted.docs.text.tree import Holders, Node, children, collapse

_NOT_IN_A_CELL = f"{CODE_SELECTOR}, table"
_CELLS = frozenset({"th", "td"})


@dataclass(slots=True)
class Table:
    """One table; `is_grid` is false where its cells are written as blocks."""

    is_grid: bool
    is_layout: bool = False
    """It only puts the sign of an admonition beside its text."""
    columns: list[str] = field(default_factory=list)
    """Their names, where cells are written as blocks and the first row names them."""
    rows: list[list[str]] = field(default_factory=list)
    is_row_open: bool = False
    _headers: int = 0
    """Header cells of the first row; far below zero as soon as there is another cell in it."""
    _column: int = 0

    @classmethod
    def of(cls, node: Node, holders: Holders) -> Table:
        """Look at the element before it is walked."""
        if is_layout(node):
            return cls(is_grid=False, is_layout=True)
        if not holders.holds(node, _NOT_IN_A_CELL):
            return cls(is_grid=True)
        return cls(is_grid=False, columns=_column_names(node, holders))

    @property
    def takes_cells(self) -> bool:
        """Whether a cell that comes now goes into a row."""
        return self.is_grid and bool(self.rows)

    def start_row(self) -> None:
        """A row starts."""
        self.rows.append([])
        self.is_row_open = True
        self._column = 0

    def start_cell(self, tag: str) -> None:
        """A cell of the last row starts."""
        if len(self.rows) == 1:
            self._headers += 1 if tag == "th" else -1_000

    def end_cell(self, text: str) -> None:
        """Its text, in one line and with its bars escaped."""
        lines = filter(None, text.split("\n"))
        self.rows[-1].append("<br>".join(lines).replace("|", "\\|"))

    def next_column(self, width: int) -> str:
        """The name of the column of a cell that starts and is *width* columns wide."""
        place = self._column
        self._column += width
        return self.columns[place] if place < len(self.columns) else ""

    def filled_rows(self) -> list[list[str]]:
        """Rows with text in them."""
        return [row for row in self.rows if any(row)]

    def has_header(self) -> bool:
        """Whether the first row is written and consists of header cells."""
        return self._headers > 0 and bool(self.rows) and any(self.rows[0])


def _column_names(table: Node, holders: Holders) -> list[str]:
    """The text of the first row, where that is two or more header cells."""
    row = table.css_first("tr")
    cells = [cell for cell in children(row) if cell.tag in _CELLS] if row is not None else []
    is_header = len(cells) > 1 and all(
        cell.tag == "th" and not holders.holds(cell, _NOT_IN_A_CELL) for cell in cells
    )
    return [collapse(cell.text(deep=True)).strip() for cell in cells] if is_header else []
