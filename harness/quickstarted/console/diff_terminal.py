"""A comparison of two runs as a person at a terminal reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from quickstarted.comparison import CellComparison, CellName, Comparison
from quickstarted.console.diff_words import (
    METRICS,
    SHOWN,
    EffortRow,
    Names,
    about,
    amount,
    amount_interval,
    cell_name,
    detectable,
    effort_rows,
    group_name,
    headline,
    is_clear,
    mismatch,
    names_of,
    no_difference,
    ordered,
    p_said,
    rate,
    rate_change,
)
from quickstarted.console.text import visible
from quickstarted.console.words import count

STYLES = {"worse": "bold red", "better": "bold green", "no_difference": "dim"}
ROWS = 50
"""Of a table; who has more cells than that looks at the changes, or at --json."""
NAMED = 20
"""Cells that are named where only their names are worth a line."""
RIGHT = ("change", "p", "detects", "tasks")
MAY_WRAP = ("before", "after", "effort", "95% interval")
NARROWEST = 76
"""Columns; a narrower terminal breaks lines itself, and nothing is lost."""


def show_diff(comparison: Comparison, console: Console) -> None:
    """Print all that is worth reading of it, changes first."""
    console.width = max(console.width, NARROWEST)
    for number, part in enumerate(_parts(comparison)):
        if number:
            console.print()
        console.print(part)


def _parts(comparison: Comparison) -> Iterator[RenderableType]:
    yield Text(visible(headline(comparison)), style=_headline_style(comparison))
    if comparison.groups:
        yield _groups(comparison)
    cells = ordered(comparison.compared)
    if cells:
        yield _cells(cells, names_of(comparison))
        yield from _more(len(cells))
        yield from _weakest(cells)
    rows = effort_rows(comparison)
    if rows:
        yield _effort(rows, names_of(comparison))
        yield from _more(len(rows))
    left_out = Text("\n").join(_left_out(comparison))
    if left_out:
        yield left_out
    explained = Text("\n").join(Text(line) for line in about(comparison))
    explained.stylize("dim")
    if explained:
        yield explained


def _headline_style(comparison: Comparison) -> str:
    if comparison.is_worse:
        return STYLES["worse"]
    return STYLES["better"] if comparison.is_better else "bold"


def _cells(cells: list[CellComparison], names: Names) -> Table:
    table = _table(visible(names.title), "before", "after", "change", "p", "shown", "detects")
    for cell in cells[:ROWS]:
        shown = cell.shown or "no_difference"
        table.add_row(
            visible(names.of(cell.cell)),
            rate(cell.before, "\n"),
            rate(cell.after, "\n"),
            rate_change(cell),
            p_said(cell.p_adjusted or 0.0),
            Text(SHOWN[shown], style=STYLES[shown]),
            detectable(cell),
        )
    return table


def _weakest(cells: list[CellComparison]) -> Iterator[Text]:
    """In words, for the cell where least could have been shown."""
    unshown = [cell for cell in cells if cell.shown == "no_difference"]
    if len(cells) > 1 and unshown:
        weak = max(unshown, key=lambda c: 2.0 if c.detectable is None else c.detectable)
        yield Text(f"{visible(cell_name(weak.cell))}: {no_difference(weak)}.")


def _groups(comparison: Comparison) -> Table:
    table = _table("over tasks", "tasks", "change", "p", "shown")
    for one in comparison.groups:
        table.add_row(
            visible(group_name(one.group)),
            f"{one.tasks:,}",
            rate_change(one),
            p_said(one.p_adjusted),
            Text(SHOWN[one.shown], style=STYLES[one.shown]),
        )
    return table


def _effort(rows: list[EffortRow], names: Names) -> Table:
    table = _table(visible(names.title), "effort", "before", "after", "change", "95% interval")
    last: CellName | None = None
    for cell, change in rows[:ROWS]:
        table.add_row(
            "" if cell == last else visible(names.of(cell)),
            METRICS[change.metric],
            amount(change, change.before),
            amount(change, change.after),
            Text(
                amount(change, change.difference, signed=True),
                style="bold" if is_clear(change) else "",
            ),
            amount_interval(change),
        )
        last = cell
    return table


def _more(total: int) -> Iterator[Text]:
    if total > ROWS:
        yield Text(f"and {total - ROWS:,} more; --json has all of them", style="dim")


def _left_out(comparison: Comparison) -> Iterator[Text]:
    for cell in comparison.refused:
        why = "; ".join(mismatch(one) for one in cell.mismatches)
        line = Text("not comparable: ", style="yellow")
        yield line.append(visible(f"{cell_name(cell.cell)}: {why}"), style="default")
    yield from _named("no evidence on one side", [c.cell for c in comparison.without_evidence])
    yield from _named("only before", comparison.only_before)
    yield from _named("only after", comparison.only_after)
    for note in comparison.notes:
        yield Text(visible(f"note: {note}"))


def _named(title: str, cells: list[CellName]) -> Iterator[Text]:
    if cells:
        names = ", ".join(cell_name(cell) for cell in cells[:NAMED])
        more = f" and {len(cells) - NAMED:,} more" if len(cells) > NAMED else ""
        yield Text(visible(f"{title}: {names}{more} ({count(len(cells), 'cell')})"))


def _table(first: str, *head: str) -> Table:
    """The first column gives way where the terminal is narrow; figures stay whole."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 0), show_edge=False, header_style="bold")
    table.add_column(first, overflow="fold", min_width=12)
    for name in head:
        justify: Literal["left", "right"] = "right" if name in RIGHT else "left"
        table.add_column(name, justify=justify, no_wrap=name not in MAY_WRAP)
    return table
