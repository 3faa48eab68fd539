"""How a comparison of two runs is said, once for the terminal and for Markdown; not `visible`."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from quickstarted.comparison import (
    CellComparison,
    CellName,
    Change,
    Comparison,
    GroupComparison,
    GroupName,
    Mismatch,
    Side,
)
from quickstarted.condition import Condition
from quickstarted.console.money import usd
from quickstarted.console.words import count

SHOWN = {"better": "better", "worse": "worse", "no_difference": "none"}
FACETS = {
    "models": "models",
    "image": "image",
    "prompt": "prompt",
    "arm": "content of the arm",
    "enforcement": "enforcement",
}
METRICS = {
    "turns": "turns",
    "seconds": "seconds",
    "tokens": "tokens",
    "pages": "pages",
    "failed_commands": "failed commands",
    "cost_per_pass_usd": "cost per pass",
}
ROUNDING = 1e-9
DIGEST_CHARS = 19
"""`sha256:` and twelve digits, as docker shows them."""
FEW_CELLS = 3
"""Of so many, all effort is shown; of more, what has clearly changed."""

_RANK = {"worse": 0, "better": 1, "no_difference": 2}


class EffortRow(NamedTuple):
    """One figure of one cell."""

    cell: CellName
    change: Change


def headline(comparison: Comparison) -> str:
    """What it comes to, in one sentence."""
    compared = comparison.compared
    if not compared:
        return "Nothing can be compared: no cell has evidence of the same kind on both sides."
    shown = [cell.shown for cell in compared] + [one.shown for one in comparison.groups]
    if "worse" in shown or "better" in shown:
        return f"{_places(comparison, 'worse')}{_places(comparison, 'better')}".strip()
    if len(compared) == 1:
        return f"{no_difference(compared[0]).capitalize()}."
    return f"No difference could be shown in any of {count(len(compared), 'cell')}."


def no_difference(cell: CellComparison) -> str:
    """What so many attempts could have shown."""
    before, after = cell.before.evidential_runs, cell.after.evidential_runs
    sizes = f"with {before:,} and {after:,} attempts"
    if cell.detectable is None:
        return f"no difference could be shown; {sizes} none ever can be"
    return (
        f"no difference could be shown; {sizes} only a difference of"
        f" {detectable(cell)} points or more would have been"
    )


def ordered(cells: Iterable[CellComparison]) -> list[CellComparison]:
    """What has changed first, and worse before better."""
    return sorted(cells, key=lambda cell: _RANK[cell.shown or "no_difference"])


class Names(NamedTuple):
    """How cells are called in the tables of one comparison."""

    title: str
    """What all have in common, else `cell`."""
    is_short: bool
    """Whether the task says which cell it is."""

    def of(self, name: CellName) -> str:
        """A cell's."""
        return name.task if self.is_short else cell_name(name)


def names_of(comparison: Comparison) -> Names:
    """Short where all cells that are compared are one agent's, under one condition."""
    kinds = {
        group_name(
            GroupName(
                agent=cell.cell.agent,
                affordance_policy=cell.cell.affordance_policy,
                arm=cell.cell.arm,
                models_reported=[],
            )
        )
        for cell in comparison.compared
    }
    return Names(kinds.pop(), is_short=True) if len(kinds) == 1 else Names("cell", is_short=False)


def cell_name(name: CellName) -> str:
    """`flask by claude, no docs`."""
    return f"{name.task} by {name.agent}{_condition(name.affordance_policy, name.arm)}"


def group_name(name: GroupName) -> str:
    """`claude, no docs`."""
    return f"{name.agent}{_condition(name.affordance_policy, name.arm)}"


def rate(side: Side, between: str = ", ") -> str:
    """`3/5 60%, 7 attempts`: how many attempts there were where some gave no evidence."""
    said = f"{side.passes:,}/{side.evidential_runs:,}"
    if side.pass_rate is not None:
        said += f" {side.pass_rate:.0%}"
    if side.attempts != side.evidential_runs:
        said += f"{between}{count(side.attempts, 'attempt')}"
    return said


def rate_change(compared: CellComparison | GroupComparison) -> str:
    """`+40 (-16 to +77)`, in points."""
    assert compared.difference is not None
    assert compared.interval is not None
    low, high = compared.interval
    return f"{points(compared.difference)} ({points(low)} to {points(high)})"


def points(value: float) -> str:
    """A difference of rates in percentage points: `+40`, `-3`, `0`."""
    number = round(100 * value)
    return f"{number:+d}" if number else "0"


def p_said(value: float) -> str:
    """`0.44`, `0.003`, `<0.001`."""
    if value < 0.001:
        return "<0.001"
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def detectable(cell: CellComparison) -> str:
    """In whole points, none too few."""
    if cell.detectable is None:
        return "never"
    return f"{math.ceil(100 * cell.detectable - ROUNDING)}"


def effort_rows(comparison: Comparison) -> list[EffortRow]:
    """What is worth showing of effort: all of few cells, what has clearly changed of many."""
    compared = comparison.compared
    return [
        EffortRow(cell.cell, change)
        for cell in ordered(compared)
        for change in cell.effort
        if (change.before or change.after) and (len(compared) <= FEW_CELLS or is_clear(change))
    ]


def is_clear(change: Change) -> bool:
    """Whether the interval leaves out that nothing has changed."""
    if change.interval is None:
        return False
    low, high = change.interval
    return (low is not None and low > 0) or (high is not None and high < 0)


def amount(change: Change, value: float | None, *, signed: bool = False) -> str:
    """A figure or a difference of figures, in the unit of *change*."""
    if value is None:
        return "none"
    sign = "-" if value < 0 else "+" if signed and value > 0 else ""
    size = abs(value)
    if change.metric == "cost_per_pass_usd":
        return f"{sign}{usd(size)}"
    return f"{sign}{size:,.0f}" if size >= 100 else f"{sign}{size:.3g}"


def amount_interval(change: Change) -> str:
    """`-5.1 to -1.2`, `none` for single attempts, `unbounded` where an end is."""
    if change.interval is None:
        return "none"
    low, high = change.interval
    ends = ["unbounded" if end is None else amount(change, end, signed=True) for end in (low, high)]
    return " to ".join(ends)


def mismatch(one: Mismatch) -> str:
    """`models: model-a before, model-b after`."""
    sides = [" and ".join(map(_short, side)) for side in (one.before, one.after)]
    return f"{FACETS[one.facet]}: {sides[0]} before, {sides[1]} after"


def about(comparison: Comparison) -> Iterator[str]:
    """What the figures are, once below the tables."""
    if not comparison.compared:
        return
    cells = count(len(comparison.compared), "cell")
    yield (
        "before, after: passes by attempts that gave evidence. change: in percentage points, with"
        f" its 95% interval (Newcombe). p: Fisher's exact test, two-sided, corrected for {cells}"
        f" (Holm); shown: a difference with p up to {comparison.alpha:g}. detects: the smallest"
        f" true difference that so many attempts show in {comparison.power:.0%} of cases."
    )
    if comparison.groups:
        yield (
            "over tasks: each task is compared with itself (exact conditional test of Cochran,"
            " Mantel and Haenszel); the change is the mean over tasks, weighted by attempts."
        )
    yield (
        "effort: means over attempts that gave evidence, with 95% bootstrap intervals, which are"
        " not corrected for their number."
    )


def _places(comparison: Comparison, shown: str) -> str:
    cells = [cell for cell in comparison.compared if cell.shown == shown]
    groups = [group for group in comparison.groups if group.shown == shown]
    parts = []
    if cells:
        parts.append(f"{len(cells):,} of {count(len(comparison.compared), 'cell')}")
    parts.extend(f"{group_name(group.group)} over its tasks" for group in groups)
    return f"{shown.capitalize()}: {', '.join(parts)}. " if parts else ""


def _condition(affordances: str, arm: str) -> str:
    label = Condition(affordances=affordances, arm=arm).label
    return f", {label}" if label else ""


def _short(value: str) -> str:
    if value.startswith("sha256:"):
        return value[:DIGEST_CHARS]
    return value or "none"
