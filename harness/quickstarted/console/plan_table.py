"""`run --plan` for people: what would be made, and what that is likely to cost and take."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rich.table import Table

from quickstarted.condition import Condition
from quickstarted.console.money import usd
from quickstarted.console.output import Terminal
from quickstarted.console.text import visible
from quickstarted.console.words import count
from quickstarted.results.planned import Defaults, PlannedCall, PlannedCell, Range, Total

HEAD = ("task", "agent", "condition", "attempts", "done", "cost each", "time each", "known from")
NUMBERS = frozenset({"attempts", "done"})
FIGURES = NUMBERS | {"cost each", "time each"}
UNKNOWN = "unknown"
HOW = (
    "Low and high are the 10th and 90th percentile of past attempts, taken for each attempt;"
    " expected is their mean."
)


def print_plan(plan: PlannedCall, console: Terminal) -> None:
    """Print *plan*."""
    for line in _opening(plan):
        console.print(line)
    if plan.cells:
        console.print()
        console.print(_table(plan))
        console.print()
    for line in _closing(plan):
        console.print(line)


def _opening(plan: PlannedCall) -> Iterator[str]:
    tasks = count(len({cell.task for cell in plan.cells}), "task")
    agents = count(len({cell.agent for cell in plan.cells}), "agent")
    what = f"{count(plan.attempts, 'attempt')} of {count(len(plan.cells), 'cell')}"
    shard = f" in shard {plan.shard}" if plan.shard else ""
    left = plan.attempts - plan.done
    yield f"{what} ({tasks}, {agents}){shard}: {plan.done:,} done, {left:,} to make"
    if plan.may_stop_early:
        yield "at most: a cell ends once it is decided (--repeat auto)"
    for one in plan.left_out:
        yield f"{visible(one.flag)} left out {count(one.cells, 'cell')}"


def _table(plan: PlannedCall) -> Table:
    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    rows = [[visible(text) for text in _row(cell)] for cell in plan.cells]
    columns = [
        (name, texts)
        for name, texts in zip(HEAD, zip(*rows, strict=True), strict=True)
        if any(texts)
    ]
    for name, texts in columns:
        is_figure = name in FIGURES
        table.add_column(
            name,
            justify="right" if name in NUMBERS else "left",
            no_wrap=is_figure,
            # On a narrow terminal names take several lines, and figures are never cut.
            overflow="fold",
            min_width=max(map(len, (name, *texts))) if is_figure else None,
        )
    for row in zip(*(texts for _, texts in columns), strict=True):
        table.add_row(*row)
    return table


def _row(cell: PlannedCell) -> Iterator[str]:
    yield cell.task
    yield cell.agent
    yield Condition(affordances=cell.affordance_policy, arm=cell.arm).label
    yield f"{cell.attempts:,}"
    yield f"{cell.done:,}"
    yield _span(cell.cost_usd, usd)
    yield _span(cell.seconds, _duration)
    past = count(cell.past_attempts, "attempt") if cell.past_attempts else ""
    yield f"{past}, other conditions" if cell.is_of_other_conditions else past


def _closing(plan: PlannedCall) -> Iterator[str]:
    if plan.attempts == plan.done:
        yield "nothing is left to make"
        return
    yield f"cost  {_total(plan.cost_usd, usd)}"
    workers = f" with {count(plan.workers, 'worker')}"
    yield f"time  {_total(plan.minutes, _minutes)}{workers if plan.minutes.known else ''}"
    if plan.max_spend_usd is not None:
        yield f"      --max-spend {usd(plan.max_spend_usd)}{_limit(plan, plan.max_spend_usd)}"
    if plan.estimated_from:
        yield f"{HOW} They are from {', '.join(map(visible, plan.estimated_from))}."
    if plan.defaults is not None:
        yield defaults_said(plan.defaults)


def defaults_said(defaults: Defaults) -> str:
    """One line on the options that come from a `quickstarted.yaml`."""
    options = ", ".join(f"{name} {_spelled(value)}" for name, value in defaults.options.items())
    return visible(f"defaults from {defaults.file}: {options or 'none that this call uses'}")


def _spelled(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _limit(plan: PlannedCall, limit: float) -> str:
    known = plan.cost_usd.known
    if known is None:
        return ""
    if known.expected > limit:
        return " would end the call early"
    return " may end the call early" if known.high > limit else ""


def _total(total: Total, said: Callable[[float], str]) -> str:
    if total.known is None:
        return UNKNOWN
    known = (
        f"{said(total.known.low)} low, {said(total.known.expected)} expected,"
        f" {said(total.known.high)} high"
    )
    if total.known.low == total.known.high:
        known = f"{said(total.known.expected)} expected"
    if not total.unknown_attempts:
        return known
    attempts = total.known_attempts + total.unknown_attempts
    return (
        f"{UNKNOWN} for {total.unknown_attempts:,} of {count(attempts, 'attempt')}; the others:"
        f" {known}"
    )


def _span(known: Range | None, said: Callable[[float], str]) -> str:
    if known is None:
        return UNKNOWN
    values = (said(known.low), said(known.expected), said(known.high))
    return values[0] if len(set(values)) == 1 else "{} / {} / {}".format(*values)


def _minutes(value: float) -> str:
    return _duration(value * 60)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 10 else f"{seconds:.1f} s"
    return f"{seconds / 60:.0f} min" if seconds < 90 * 60 else f"{seconds / 3600:.1f} h"
