"""What the live table says of a cell, and of an attempt under way."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from quickstarted.console.live.board import Board, CellState, Underway
from quickstarted.console.live.grid import Column, Field, Look, Row, grid
from quickstarted.console.live.names import cell_name, number_said
from quickstarted.console.live.spending import tokens_said

PHASE_STYLES = {"opening": "dim", "waiting": "dim", "judging": "cyan"}


def cell_lines(cells: Sequence[CellState], board: Board, look: Look) -> list[Text]:
    """A head, and a line for each of *cells*."""
    is_wide = not look.is_narrow
    with_model = is_wide and any(cell.uses_model for cell in board.cells.values())
    columns = [Column("cell"), Column("done", right=True), Column("passed", right=True)]
    if is_wide:
        columns.append(Column("no evidence", right=True))
    if with_model:
        columns += [Column("tokens", right=True), Column("cost", right=True)]
    rows: list[Row] = []
    for cell in cells:
        row = [Field(cell_name(cell.key)), _done(cell), _passed(cell, look)]
        if is_wide:
            row.append(_without_evidence(cell))
        if with_model:
            row += _spending(cell, board)
        rows.append(row)
    return grid(columns, rows, look)


def attempt_lines(attempts: Sequence[Underway], board: Board, look: Look) -> list[Text]:
    """A head, and a line for each of *attempts*."""
    is_wide = not look.is_narrow
    with_turns = is_wide and any(one.uses_model for one in board.under_way.values())
    columns = [Column("under way")]
    if is_wide:
        columns.append(Column("phase"))
    if with_turns:
        columns.append(Column("turn", right=True))
    columns += [Column("time", right=True), Column("doing")]
    rows: list[Row] = []
    for one in attempts:
        row = [Field(cell_name(one.key.cell), tail=number_said(one.key, one.number_of_try))]
        if is_wide:
            row.append(Field(one.phase, PHASE_STYLES.get(one.phase, "")))
        if with_turns:
            row.append(Field(str(one.turn) if one.turn else "-"))
        row.append(Field(clock_said(board.elapsed_s(one))))
        row.append(Field(one.doing, "yellow" if one.troubled else ""))
        rows.append(row)
    return grid(columns, rows, look)


def clock_said(seconds: float) -> str:
    """`0:07`, `12:40`, `1:02:03`."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _done(cell: CellState) -> Field:
    is_over = cell.done >= cell.planned
    return Field(f"{cell.done}/{cell.planned}", "" if is_over or cell.begun else "dim")


def _passed(cell: CellState, look: Look) -> Field:
    """`9/10  90%`; nothing is said of a rate without evidence."""
    if not cell.evidence:
        return Field("-", "dim")
    style = "green" if cell.passed == cell.evidence else "red"
    share = f"{cell.passed}/{cell.evidence}"
    if look.is_narrow:
        return Field(share, style)
    return Field(f"{share} {f'{cell.passed / cell.evidence:.0%}':>4}", style)


def _without_evidence(cell: CellState) -> Field:
    number = cell.done - cell.evidence
    return Field(str(number), "yellow") if number else Field("-", "dim")


def _spending(cell: CellState, board: Board) -> list[Field]:
    if not cell.uses_model:
        return [Field("-", "dim"), Field("-", "dim")]
    spending = board.spending_of(cell)
    return [Field(tokens_said(spending.tokens)), Field(spending.cost_said)]
