"""Rates, intervals and spreads, over evidence only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist, median

from quickstarted.results.models import Spread

Z_95 = NormalDist().inv_cdf(0.975)


def wilson_interval(passes: int, runs: int) -> tuple[float, float] | None:
    """
    The 95% score interval of Wilson (1927) for *passes* out of *runs*; None for no runs.

    Written out because the libraries that have it (scipy, statsmodels) bring over 100 MB, and every
    `run` needs it; a test holds it to scipy's figures.
    """
    if runs == 0:
        return None
    rate, spread = passes / runs, Z_95 * Z_95 / runs
    centre = rate + spread / 2
    half = Z_95 * math.sqrt((rate * (1 - rate) + spread / 4) / runs)
    low, high = (centre - half) / (1 + spread), (centre + half) / (1 + spread)
    return (0.0 if passes == 0 else low, 1.0 if passes == runs else high)


def spread(values: Sequence[float]) -> Spread | None:
    """Median and range; None for no values."""
    if not values:
        return None
    return Spread(
        median=round(median(values), 3), low=round(min(values), 3), high=round(max(values), 3)
    )


def pass_at_k(passes: int, runs: int, k: int) -> float | None:
    """
    The probability that at least one of *k* attempts passes; None where there are fewer than k.

    1 - C(n-c, k) / C(n, k): the share of all choices of k out of the *runs* with a pass in them,
    which is unbiased (Chen et al. 2021, "Evaluating Large Language Models Trained on Code", eq. 1).
    """
    if not 1 <= k <= runs:
        return None
    return 1 - math.comb(runs - passes, k) / math.comb(runs, k)


def pass_hat_k(passes: int, runs: int, k: int) -> float | None:
    """
    The probability that all of *k* attempts pass, pass^k; None where there are fewer than k.

    C(c, k) / C(n, k), unbiased (Yao et al. 2024, "tau-bench", section 4).
    """
    if not 1 <= k <= runs:
        return None
    return math.comb(passes, k) / math.comb(runs, k)
