"""
Rows and cells of the tables that are being walked.

A table whose cells hold code blocks or other tables cannot be one of Markdown: its cells are
written one after the other as blocks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from quickstarted.docs.text.tree import Node, first

_NOT_IN_A_CELL = "pre, table, listing, textarea, xmp"


@dataclass(slots=True)
class Table:
    """One table; `is_grid` is false where its cells are written as blocks."""

    is_grid: bool
    rows: list[list[str]] = field(default_factory=list)
    _headers: int = 0
    """Header cells of the first row; far below zero as soon as there is another cell in it."""

    @classmethod
    def of(cls, node: Node) -> Table:
        """Look at the element before it is walked."""
        return cls(is_grid=first(node, _NOT_IN_A_CELL) is None)

    @property
    def takes_cells(self) -> bool:
        """Whether a cell that comes now goes into a row."""
        return self.is_grid and bool(self.rows)

    def start_row(self) -> None:
        """A row starts."""
        self.rows.append([])

    def start_cell(self, tag: str) -> None:
        """A cell of the last row starts."""
        if len(self.rows) == 1:
            self._headers += 1 if tag == "th" else -1_000

    def end_cell(self, text: str) -> None:
        """Its text, in one line and with its bars escaped."""
        lines = filter(None, text.split("\n"))
        self.rows[-1].append("<br>".join(lines).replace("|", "\\|"))

    def filled_rows(self) -> list[list[str]]:
        """Rows with text in them."""
        return [row for row in self.rows if any(row)]

    def has_header(self) -> bool:
        """Whether the first row is written and consists of header cells."""
        return self._headers > 0 and bool(self.rows) and any(self.rows[0])
