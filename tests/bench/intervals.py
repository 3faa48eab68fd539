"""
How often 95% intervals hold the truth: exact for rates and their differences, simulated for effort.

    python tests/bench/intervals.py [CELLS]      simulated cells for each figure; default: 2,000

Effort is drawn from a log-normal distribution (sigma 0.5), as turns and tokens of agents look.
"""

from __future__ import annotations

import sys

import numpy as np
from rich.console import Console
from rich.table import Table as Printed
from scipy import stats

from quickstarted.comparison.effort import _mean_intervals
from quickstarted.comparison.exact import Table
from quickstarted.comparison.intervals import rate_difference
from quickstarted.figures.sequential import SequentialPlan
from quickstarted.results.rates import wilson_interval

CELLS = 2_000
SIZES = (3, 5, 10, 20)
RATES = (0.5, 0.8, 0.9, 0.95)
SIGMA = 0.5


def wilson(size: int, rate: float) -> float:
    """Exact: the chance of all counts whose interval holds *rate*."""
    held = [
        low <= rate <= high
        for low, high in (wilson_interval(passes, size) for passes in range(size + 1))
    ]
    return float(stats.binom.pmf(np.arange(size + 1), size, rate)[held].sum())


def difference(size: int, before: float, after: float) -> float:
    """Exact: the chance of all pairs of counts whose interval holds the true difference."""
    chances = np.outer(
        stats.binom.pmf(np.arange(size + 1), size, before),
        stats.binom.pmf(np.arange(size + 1), size, after),
    )
    held = 0.0
    for one in range(size + 1):
        for other in range(size + 1):
            low, high = rate_difference([Table(one, size, other, size)])[1]
            if low <= after - before <= high:
                held += chances[one, other]
    return held


def effort(size: int, generator: np.random.Generator) -> float:
    """Simulated, with no true difference."""
    held = 0
    for _ in range(CELLS):
        before, after = generator.lognormal(2, SIGMA, (2, size, 1))
        low, high = _mean_intervals(before, after)[:, 0]
        held += low <= 0 <= high
    return held / CELLS


def sequential(wanted: float, rate: float) -> float:
    """How far the expected rate is from *rate* where attempts were repeated until decided."""
    plan = SequentialPlan(wanted)
    bounds = plan._design.bounds
    open_, mean = {0: 1.0}, 0.0
    for number, (first, last) in enumerate(
        zip(bounds.below_from, bounds.reached_to, strict=True), 1
    ):
        stepped: dict[int, float] = {}
        for failures, chance in open_.items():
            stepped[failures] = stepped.get(failures, 0.0) + chance * rate
            stepped[failures + 1] = stepped.get(failures + 1, 0.0) + chance * (1 - rate)
        open_ = {}
        for failures, chance in stepped.items():
            if last < failures < first:
                open_[failures] = chance
            else:
                mean += chance * (number - failures) / number
    return mean - rate


def main() -> None:
    """Print the tables."""
    console = Console(width=100)
    generator = np.random.default_rng(7)
    rates = Printed(title="Wilson, exact coverage")
    rates.add_column("attempts")
    for rate in RATES:
        rates.add_column(f"{rate:.0%}", justify="right")
    for size in SIZES:
        rates.add_row(f"{size}", *(f"{wilson(size, rate):.1%}" for rate in RATES))
    console.print(rates)
    changes = Printed(title="differences: Newcombe, exact coverage; effort, simulated")
    for head in ("attempts a side", "90% to 90%", "90% to 60%", "50% to 80%", "effort"):
        changes.add_column(head, justify="right")
    for size in SIZES:
        pairs = ((0.9, 0.9), (0.9, 0.6), (0.5, 0.8))
        changes.add_row(
            f"{size}",
            *(f"{difference(size, *pair):.1%}" for pair in pairs),
            f"{effort(size, generator):.1%}",
        )
    console.print(changes)
    bias = Printed(title="--repeat auto: expected rate less true rate, in points; exact")
    bias.add_column("wanted")
    for true_rate in (0.5, 0.7, 0.8, 0.9, 0.95):
        bias.add_column(f"{true_rate:.0%}", justify="right")
    for wanted in (0.8, 0.9):
        bias.add_row(
            f"{wanted:.0%}",
            *(f"{100 * sequential(wanted, rate):+.1f}" for rate in (0.5, 0.7, 0.8, 0.9, 0.95)),
        )
    console.print(bias)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        CELLS = int(sys.argv[1])
    main()
