"""
Exact tests of whether passes depend on the side, for one task and over many.

Over many tasks each is compared with itself: given how many of a task's attempts passed on both
sides together, what chance makes of the side is hypergeometric, and the sum over tasks has the
convolution of these as its distribution. That is the exact conditional form of the test of Cochran,
Mantel and Haenszel (Mehta, Patel and Gray 1985; `mantelhaen.test(exact=TRUE)` of R). With one task
it is Fisher's test, with one attempt of each on both sides McNemar's exact test. A permutation of
attempts within tasks has the same distribution, so none needs to be drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

TIE = 1e-7
"""Relative; outcomes as likely as the observed one count as such, as in R and scipy."""


class Table(NamedTuple):
    """Passes and attempts of one task on both sides."""

    passes_before: int
    attempts_before: int
    passes_after: int
    attempts_after: int


@lru_cache(maxsize=4096)
def fisher_p(table: Table) -> float:
    """Two-sided p-value of Fisher's exact test (Fisher 1935, "The Design of Experiments")."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it
    from scipy import stats  # noqa: PLC0415

    attempts = np.array([table.attempts_before, table.attempts_after])
    passes = np.array([table.passes_before, table.passes_after])
    return min(1.0, float(stats.fisher_exact(np.array([passes, attempts - passes])).pvalue))


def stratified_p(tables: Iterable[Table]) -> float:
    """Two-sided p-value over tasks: all sums that are no likelier than the observed one."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it
    from scipy import stats  # noqa: PLC0415

    chances, observed = np.ones(1), 0
    for table in tables:
        passes = table.passes_before + table.passes_after
        attempts = table.attempts_before + table.attempts_after
        fewest = max(0, passes - table.attempts_after)
        most = min(passes, table.attempts_before)
        one = stats.hypergeom.pmf(
            np.arange(fewest, most + 1), attempts, passes, table.attempts_before
        )
        chances = np.convolve(chances, one)
        observed += table.passes_before - fewest
    as_unlikely = chances <= chances[observed] * (1 + TIE)
    return min(1.0, float(chances[as_unlikely].sum() / chances.sum()))


def holm(p_values: Sequence[float]) -> list[float]:
    """
    P-values for many tests at once, in the order given.

    The chance that any of them finds what is not there stays at alpha, whatever their dependence
    (Holm 1979, "A Simple Sequentially Rejective Multiple Test Procedure").
    """
    adjusted = [0.0] * len(p_values)
    largest = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, p_values[place] * (len(p_values) - rank)))
        adjusted[place] = largest
    return adjusted
