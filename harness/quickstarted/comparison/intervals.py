"""
Intervals of differences of rates, that keep inside what is possible when all or none pass.

Newcombe (1998, "Interval estimation for the difference between independent proportions", method 10)
puts the distances to the Wilson limits of both rates together; Zou and Donner (2008) show that the
same holds of any weighted sum, which gives the interval over tasks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from quickstarted.comparison.exact import Table
from quickstarted.results.rates import wilson_interval


def rate_difference(tables: Sequence[Table]) -> tuple[float, tuple[float, float]]:
    """
    Rate after less rate before, with its 95% interval.

    Args:
        tables: Of each task, at least one, with attempts on both sides. Weights are those of
            Mantel and Haenszel, which depend on numbers of attempts alone.

    """
    weights = [
        one.attempts_before * one.attempts_after / (one.attempts_before + one.attempts_after)
        for one in tables
    ]
    total = math.fsum(weights)
    difference, down, up = [], [], []
    for table, unscaled in zip(tables, weights, strict=True):
        weight = unscaled / total
        before, below_before, above_before = _wilson(table.passes_before, table.attempts_before)
        after, below_after, above_after = _wilson(table.passes_after, table.attempts_after)
        difference.append(weight * (after - before))
        down.append(weight * weight * (below_after**2 + above_before**2))
        up.append(weight * weight * (above_after**2 + below_before**2))
    centre = math.fsum(difference)
    low, high = centre - math.sqrt(math.fsum(down)), centre + math.sqrt(math.fsum(up))
    return centre, (max(-1.0, low), min(1.0, high))


def _wilson(passes: int, attempts: int) -> tuple[float, float, float]:
    """The rate, and how far its limits are below and above it."""
    interval = wilson_interval(passes, attempts)
    assert interval is not None, "a table has attempts on both sides"
    rate = passes / attempts
    return rate, rate - interval[0], interval[1] - rate
