"""
What it took before and after, with bootstrap intervals of the difference.

Rates saturate, effort does not: where all attempts pass, documentation can still have become
shorter to walk. Means are compared, since their differences add up to what is paid.

The bootstrap (Efron 1979) draws whole attempts, so that figures of one attempt stay together. Its
percentiles are too narrow for few attempts, as it divides by n where n - 1 is due; deviations are
widened by that (Hesterberg 2015, "What Teachers Should Know About the Bootstrap"). Draws have a
fixed seed, and the two sides an order of their own: the same input gives the same output, and
exchanged sides the mirrored one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from quickstarted.comparison.model import Change, Metric
from quickstarted.results import RunResult
from quickstarted.verdict import PASSED, SKIPPED

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

RESAMPLES = 4_000
LEVELS = (0.025, 0.975)
SEEDS = (20_111, 20_112)
AT_ONCE = 2_000_000
"""Numbers held while drawing."""
KEPT_SIZES = 100
"""Draws for so many attempts are kept for other cells with as many."""
DECIMALS = 6

METRICS: tuple[Metric, ...] = ("turns", "seconds", "tokens", "pages", "failed_commands")
COST: Metric = "cost_per_pass_usd"


def changes(before: Sequence[RunResult], after: Sequence[RunResult]) -> list[Change]:
    """
    Every figure of effort, before and after.

    Args:
        before: The attempts of one cell, of which at least one gave evidence.
        after: The same.

    """
    return [*_means(before, after), _cost_per_pass(before, after)]


def _means(before: Sequence[RunResult], after: Sequence[RunResult]) -> Iterator[Change]:
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    sides = [
        np.array([_figures(run) for run in runs if run.classification.evidential], dtype=float)
        for runs in (before, after)
    ]
    means = [side.mean(axis=0) for side in sides]
    intervals = _mean_intervals(*sides)
    for place, metric in enumerate(METRICS):
        was, is_ = float(means[0][place]), float(means[1][place])
        yield Change(
            metric=metric,
            before=_rounded(was),
            after=_rounded(is_),
            difference=_rounded(is_ - was),
            interval=None if intervals is None else _ends(intervals[:, place]),
        )


def _figures(run: RunResult) -> tuple[float, ...]:
    """In the order of `METRICS`."""
    return (
        run.turns,
        run.duration_seconds - run.waited_seconds,
        run.tokens.total,
        run.docs_pages_read,
        run.failed_commands,
    )


def _mean_intervals(before: Floats, after: Floats) -> Floats | None:
    """Shape (2, metrics); None where a side has one attempt, of which nothing varies."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    if min(len(before), len(after)) < 2:
        return None
    (first, second), sign = _in_order(before, after)
    drawn = [
        _widened(_drawn(side, seed), side)
        for side, seed in zip((first, second), SEEDS, strict=True)
    ]
    ends: Floats = np.quantile(drawn[1] - drawn[0], LEVELS, axis=0)
    return _mirrored(ends, sign)


def _widened(drawn: Floats, side: Floats) -> Floats:
    mean = side.mean(axis=0)
    widened: Floats = mean + (drawn - mean) * math.sqrt(len(side) / (len(side) - 1))
    return widened


def _cost_per_pass(before: Sequence[RunResult], after: Sequence[RunResult]) -> Change:
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    sides = [_costs(runs) for runs in (before, after)]
    was, is_ = (_ratio(side) for side in sides)
    known = was is not None and is_ is not None
    interval = None
    if known and min(map(len, sides)) > 1:
        arrays = [np.array(side, dtype=float) for side in sides]
        interval = _ratio_interval(*arrays)
    return Change(
        metric=COST,
        before=was,
        after=is_,
        difference=_rounded(is_ - was) if was is not None and is_ is not None else None,
        interval=interval,
    )


def _costs(runs: Sequence[RunResult]) -> list[tuple[float, float]]:
    """Cost and passes of each attempt, lost tries included; empty where a price is missing."""
    found = []
    for run in runs:
        if run.classification is SKIPPED and not run.spent_usd:
            continue
        if run.spent_usd is None:
            return []
        found.append((run.spent_usd, float(run.classification is PASSED)))
    return found


def _ratio(side: Sequence[tuple[float, float]]) -> float | None:
    passes = sum(passed for _, passed in side)
    return _rounded(math.fsum(cost for cost, _ in side) / passes) if passes else None


def _ratio_interval(before: Floats, after: Floats) -> tuple[float | None, float | None]:
    """An end is None where too many draws have no pass, and so no cost per pass."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    (first, second), sign = _in_order(before, after)
    ratios = []
    for side, seed in zip((first, second), SEEDS, strict=True):
        cost, passes = _drawn(side, seed).T
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios.append(np.where(passes > 0, cost / passes, np.inf))
    with np.errstate(invalid="ignore"):
        differences = ratios[1] - ratios[0]
    # Where neither side has a pass, the difference may be anything.
    low = np.where(np.isnan(differences), -np.inf, differences)
    high = np.where(np.isnan(differences), np.inf, differences)
    ends = np.array(
        [
            np.quantile(low, LEVELS[0], method="lower"),
            np.quantile(high, LEVELS[1], method="higher"),
        ]
    )
    return _ends(_mirrored(ends, sign))


def _in_order(before: Floats, after: Floats) -> tuple[tuple[Floats, Floats], int]:
    """The two sides in an order that their content decides; -1: exchanged, 0: they are alike."""
    keys = [(len(side), side.tobytes()) for side in (before, after)]
    if keys[0] == keys[1]:
        return (before, after), 0
    return ((before, after), 1) if keys[0] < keys[1] else ((after, before), -1)


def _mirrored(ends: Floats, sign: int) -> Floats:
    """Intervals of after less before; around nothing where the two sides are alike."""
    if sign > 0:
        return ends
    exchanged: Floats = -ends[::-1]
    return exchanged if sign < 0 else (ends + exchanged) / 2


def _drawn(side: Floats, seed: int) -> Floats:
    """Means of *side* over draws with replacement; shape (`RESAMPLES`, columns)."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    if len(side) <= KEPT_SIZES:
        return _kept_weights(len(side), seed) @ side
    at_once = max(1, AT_ONCE // len(side))
    generator = np.random.default_rng((seed, len(side)))
    parts = [
        _weights(generator, len(side), min(at_once, RESAMPLES - begun)) @ side
        for begun in range(0, RESAMPLES, at_once)
    ]
    return np.concatenate(parts)


@lru_cache(maxsize=32)
def _kept_weights(size: int, seed: int) -> Floats:
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    return _weights(np.random.default_rng((seed, size)), size, RESAMPLES)


def _weights(generator: Any, size: int, draws: int) -> Floats:
    """The share of each attempt in each draw."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    drawn = generator.integers(size, size=(draws, size)) + size * np.arange(draws)[:, None]
    counts = np.bincount(drawn.ravel(), minlength=draws * size).reshape(draws, size)
    weights: Floats = counts / size
    return weights


def _ends(pair: Floats) -> tuple[float | None, float | None]:
    low, high = (float(end) for end in pair)
    return (
        _rounded(low) if math.isfinite(low) else None,
        _rounded(high) if math.isfinite(high) else None,
    )


def _rounded(value: float) -> float:
    return round(value, DECIMALS)
