"""
The live table, fitted to a terminal: the most telling cells and attempts, and how many more.

From the top: cells, attempts under way, what waits for what, the sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from quickstarted.console.live.board import Board, CellState, Underway
from quickstarted.console.live.fit import fit
from quickstarted.console.live.grid import Look
from quickstarted.console.live.rows import attempt_lines, cell_lines
from quickstarted.console.live.totals import total_said, waits_said
from quickstarted.results import CellKey

MOST_WAITS = 3
ROOMY_ROWS = 20
"""From so many rows on, the parts stand apart."""
LEAST_ROWS = 4
"""For cells and attempts together; with fewer, only the sum is shown."""
LEAST_FOR_BOTH = 6
"""With fewer, attempts have them all."""
PHASE_RANKS = {"working": 1, "judging": 1, "opening": 2, "waiting": 3}
CURSOR_COLUMNS = 3
"""Kept free behind the last line, where `^C` is echoed."""


class Room(NamedTuple):
    """Lines for each part, heads and the line that counts the others included."""

    cells: int
    attempts: int


def frame(board: Board, look: Look, rows: int) -> list[Text]:
    """
    The table as it is now, in at most *rows* lines. Hold the board's lock.

    Args:
        board: How the call stands.
        look: The terminal.
        rows: How many lines there may be, from 1.

    """
    last = [_total(board, look)]
    waits = _waits(board, look)[: max(0, rows - 1 - LEAST_ROWS)]
    gaps = 2 if rows >= ROOMY_ROWS else 0
    free = rows - len(last) - len(waits) - gaps
    if free < LEAST_ROWS:
        return [*waits, *last][-rows:]
    room = _room(free, len(board.cells), len(board.under_way))
    cells = _cells(board, look, room.cells)
    attempts = _attempts(board, look, room.attempts)
    gap = [Text("")] if gaps else []
    return [*cells, *(gap if cells and attempts else ()), *attempts, *gap, *waits, *last]


def last_frame(board: Board, look: Look) -> list[Text]:
    """What stays when all is over: every cell, and the sum. Hold the board's lock."""
    return [*cell_lines(list(board.cells.values()), board, look), _total(board, look)]


def _total(board: Board, look: Look) -> Text:
    columns = look.columns - CURSOR_COLUMNS
    return Text(fit(total_said(board, columns), columns), style="bold", no_wrap=True, end="")


def _waits(board: Board, look: Look) -> list[Text]:
    said = waits_said(board.waits)
    if len(said) > MOST_WAITS:
        said = [*said[: MOST_WAITS - 1], f"and {len(said) - MOST_WAITS + 1} more reasons to wait"]
    return [Text(fit(line, look.columns, look.encoding), "yellow", end="") for line in said]


def _room(free: int, cells: int, attempts: int) -> Room:
    """Each part gets what it needs; where both cannot, attempts get about two thirds."""
    wants_cells, wants_attempts = cells + 1, attempts + 1 if attempts else 0
    if free < LEAST_FOR_BOTH and attempts:
        return Room(0, free)
    if wants_cells + wants_attempts <= free:
        return Room(wants_cells, wants_attempts)
    least_cells = min(wants_cells, max(3, free // 3))
    for_attempts = min(wants_attempts, free - least_cells)
    return Room(min(wants_cells, free - for_attempts), for_attempts)


def _cells(board: Board, look: Look, rows: int) -> list[Text]:
    cells = list(board.cells.values())
    if rows < 2:
        return []
    if len(cells) < rows:
        return cell_lines(cells, board, look)
    under_way = {one.key.cell for one in board.under_way.values()}
    ranked = sorted(cells, key=lambda cell: _cell_rank(cell, under_way))
    kept = {cell.key for cell in ranked[: rows - 2]}
    left = [cell for cell in cells if cell.key not in kept]
    lines = cell_lines([cell for cell in cells if cell.key in kept], board, look)
    return [*lines, _more(f"and {len(left)} more cells: {_cells_said(left)}", look)]


def _cell_rank(cell: CellState, under_way: set[CellKey]) -> tuple[bool, bool, bool]:
    """Those with a failure first, then those at work, then those that have begun."""
    return (
        cell.passed == cell.done,
        cell.key not in under_way,
        not cell.begun or cell.done >= cell.planned,
    )


def _cells_said(cells: Sequence[CellState]) -> str:
    over = sum(cell.done >= cell.planned for cell in cells)
    untouched = sum(not cell.begun and cell.done < cell.planned for cell in cells)
    parts = {
        "done": over,
        "under way": len(cells) - over - untouched,
        "not begun": untouched,
    }
    return ", ".join(f"{number} {name}" for name, number in parts.items() if number)


def _attempts(board: Board, look: Look, rows: int) -> list[Text]:
    """In the order in which they have begun, so that lines stay where they are."""
    attempts = list(board.under_way.values())
    if rows < 2:
        return []
    if len(attempts) < rows:
        return attempt_lines(attempts, board, look)
    ranked = sorted(attempts, key=_attempt_rank)
    shown = {one.key for one in ranked[: rows - 2]}
    left = Counter(one.phase for one in attempts if one.key not in shown)
    lines = attempt_lines([one for one in attempts if one.key in shown], board, look)
    said = ", ".join(f"{number} {phase}" for phase, number in left.most_common())
    return [*lines, _more(f"and {left.total()} more: {said}", look)]


def _attempt_rank(one: Underway) -> tuple[int, float]:
    """Those in trouble first, then those at work; the one that takes longest first."""
    return (0 if one.troubled else PHASE_RANKS.get(one.phase, 2), one.began_s)


def _more(text: str, look: Look) -> Text:
    return Text(fit(text, look.columns, look.encoding), "dim", no_wrap=True, end="")
