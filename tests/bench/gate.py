"""
How often gates are wrong, and how many attempts they take: simulated beside what is exact.

    python tests/bench/gate.py [CELLS]      simulated cells for each figure; default: 20,000

A simulated cell is judged by the code that judges a run (`quickstarted.figures.judge`), attempt by
attempt as `--repeat auto` makes them. `any failure` is what a gate without statistics does.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

from fakes.attempts import result
from quickstarted.figures import SequentialPlan, judge, rule_for
from quickstarted.figures.binomial import most_passes_below, p_below
from quickstarted.results import GateRule, RunResult

CELLS = 20_000
RATES = (0.5, 0.8, 0.9, 0.95)
MARGIN = 0.2
REPEATS = (3, 5, 10, 20)
SEED = 7
ERRORS = 5.0
"""Standard errors of the simulation; a simulated figure further from the exact one is a fault."""


class Figure(NamedTuple):
    """One gate on cells of one true rate."""

    gate: str
    true_rate: float
    red: float
    """Simulated share of cells that are called below."""
    exact: float
    attempts: float
    expected: float


def any_failure(repeats: int, true_rate: float, cells: int, source: random.Random) -> Figure:
    """A gate that is red as soon as one attempt fails."""
    red = sum(any(source.random() >= true_rate for _ in range(repeats)) for _ in range(cells))
    return Figure(
        f"any failure, {repeats}", true_rate, red / cells, 1 - true_rate**repeats, repeats, repeats
    )


def fixed(rule: GateRule, repeats: int, true_rate: float, source: random.Random) -> Figure:
    """The exact binomial test."""
    red = 0
    for _ in range(CELLS):
        passes = sum(source.random() < true_rate for _ in range(repeats))
        red += _fixed_verdict(rule, passes, repeats) == "below"
    bound = most_passes_below(repeats, rule.min_pass_rate, alpha=rule.alpha)
    exact = 0.0 if bound is None else p_below(bound, repeats, true_rate)
    return Figure(f"--repeat {repeats}", true_rate, red / CELLS, exact, repeats, repeats)


@lru_cache(maxsize=4096)
def _fixed_verdict(rule: GateRule, passes: int, repeats: int) -> str:
    return judge(_runs("p" * passes + "f" * (repeats - passes)), rule).verdict


def auto(plan: SequentialPlan, rule: GateRule, true_rate: float, source: random.Random) -> Figure:
    """The sequential test, with as many attempts as it asks for."""
    red = made = 0
    for _ in range(CELLS):
        outcomes = ""
        while _fewest_more(plan, outcomes):
            outcomes += "p" if source.random() < true_rate else "f"
        red += _auto_verdict(rule, outcomes) == "below"
        made += len(outcomes)
    return Figure(
        "--repeat auto",
        true_rate,
        red / CELLS,
        plan.called_below(true_rate),
        made / CELLS,
        plan.expected(true_rate),
    )


@lru_cache(maxsize=200_000)
def _fewest_more(plan: SequentialPlan, outcomes: str) -> int:
    return plan.fewest_more(_runs(outcomes))


@lru_cache(maxsize=200_000)
def _auto_verdict(rule: GateRule, outcomes: str) -> str:
    return judge(_runs(outcomes), rule).verdict


PASSED, FAILED = result("passed"), result("docs_gap")


def _runs(outcomes: str) -> list[RunResult]:
    return [
        (PASSED if one == "p" else FAILED).model_copy(update={"attempt": number})
        for number, one in enumerate(outcomes, 1)
    ]


def figures_for(wanted: float) -> Iterator[Figure]:
    """Of cells that truly have the wanted rate, and of cells that are lower by the margin."""
    source = random.Random(SEED)
    plan = SequentialPlan(wanted, MARGIN)
    sequential, binomial = rule_for(wanted, plan), rule_for(wanted)
    for true_rate in (wanted, wanted - MARGIN):
        yield any_failure(3, true_rate, CELLS, source)
        for repeats in REPEATS:
            yield fixed(binomial, repeats, true_rate, source)
        yield auto(plan, sequential, true_rate, source)


def main() -> int:
    """Print the tables; 1 where a simulation contradicts what is computed."""
    console = Console(width=100)
    faults = 0
    for wanted in RATES:
        table = Table(title=f"wanted: {wanted:.0%}; {CELLS:,} simulated cells for each line")
        for head in ("gate", "true rate", "red", "exact", "attempts", "exact"):
            table.add_column(head, justify="left" if head == "gate" else "right")
        for one in figures_for(wanted):
            error = (max(one.exact * (1 - one.exact), 1 / CELLS) / CELLS) ** 0.5
            is_off = abs(one.red - one.exact) > ERRORS * error
            faults += is_off
            table.add_row(
                one.gate,
                f"{one.true_rate:.0%}",
                f"{one.red:.1%}{' !' if is_off else ''}",
                f"{one.exact:.1%}",
                f"{one.attempts:.1f}",
                f"{one.expected:.1f}",
            )
        console.print(table)
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) > 1:
        CELLS = int(sys.argv[1])
    sys.exit(main())
