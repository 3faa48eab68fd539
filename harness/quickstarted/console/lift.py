"""What documentation adds to what a model knows: each arm beside the arm without any."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from quickstarted.condition import NO_DOCS
from quickstarted.console.markdown import code, table
from quickstarted.results import CellResult

HEADING = "## Lift over no documentation"
HEAD = ("task", "agent", "affordances", "arm", "passed", "passed without docs", "difference")
NOTE = (
    "The difference of the two rates, in percentage points. It says nothing of chance: with few"
    " attempts, equal rates and very different ones look alike."
)


def lift_sections(cells: Iterable[CellResult]) -> Iterator[str]:
    """The table, where an arm stands beside attempts without documentation; else nothing."""
    known = list(cells)
    without = {(cell.task, cell.agent): cell for cell in known if cell.arm == NO_DOCS}
    rows = [
        list(_row(cell, without[cell.task, cell.agent]))
        for cell in known
        if cell.arm != NO_DOCS and (cell.task, cell.agent) in without
    ]
    if rows:
        yield HEADING
        yield table(HEAD, rows)
        yield NOTE


def _row(cell: CellResult, without: CellResult) -> Iterator[str]:
    yield code(cell.task)
    yield code(cell.agent)
    yield code(cell.affordance_policy)
    yield code(cell.arm)
    yield _passed(cell)
    yield _passed(without)
    if cell.pass_rate is None or without.pass_rate is None:
        yield "none"
    else:
        yield f"{round(100 * (cell.pass_rate - without.pass_rate)):+d}"


def _passed(cell: CellResult) -> str:
    rate = "" if cell.pass_rate is None else f" ({cell.pass_rate:.0%})"
    return f"{cell.passes:,} of {cell.evidential_runs:,}{rate}"
