"""
Bounds for a sequential test of a pass rate, chosen by their exact figures.

The test is Wald's ("Sequential Tests of Statistical Hypotheses", 1945) of a rate R against
R - margin, ended at a most number of attempts. His bounds hold error rates without such an end, and
overshoot; so among bounds of his kind those are taken that hold the error rates exactly and need
the fewest attempts.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from quickstarted.figures.lattice import Bounds, Walk, walk

LONGEST = 500
"""Attempts; rules that would need more are refused."""
MORE_THAN_FIXED = 1.25
"""By how much the longest test exceeds the fixed number: room in which to save elsewhere."""
THRESHOLDS = tuple(step / 10 for step in range(2, 50, 2))
"""Of the log-likelihood ratio; exp(-4.8) is less than 1%."""
TOLERANCE = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """What a test is to tell apart, and how surely."""

    reached: float
    """A true rate that is good enough."""
    below: float
    """A true rate that is not; what lies in between may be called either."""
    alpha: float
    """At most so often `reached` is called below."""
    beta: float
    """At most so often `below` is called reached."""


class Fixed(NamedTuple):
    """A test that makes all attempts before it decides."""

    attempts: int
    failures: int
    """With as many or more the rate is found to be below."""


class Design(NamedTuple):
    """Bounds with their exact figures."""

    bounds: Bounds
    at_reached: Walk
    """When the true rate is `Goal.reached`: `below` is the first error rate."""
    at_below: Walk
    """When it is `Goal.below`: `reached` is the second error rate."""


def fixed(goal: Goal) -> Fixed | None:
    """The fewest attempts that tell the rates apart; None where `LONGEST` are not enough."""
    for attempts in range(1, LONGEST + 1):
        failures = fewest_failures(attempts, goal.reached, goal.alpha)
        if failures is None:
            continue
        missed = 1 - failures_tail(attempts, failures, goal.below)
        if missed <= goal.beta + TOLERANCE:
            return Fixed(attempts, failures)
    return None


def fewest_failures(attempts: int, rate: float, alpha: float) -> int | None:
    """
    The smallest number of failures that shows, at level *alpha*, that the rate is below *rate*.

    None: not even failures alone would show it.
    """
    tail, failures = 0.0, attempts + 1
    while failures > 0:
        tail += _chance(attempts, failures - 1, rate)
        if tail > alpha + TOLERANCE:
            break
        failures -= 1
    return failures if failures <= attempts else None


def failures_tail(attempts: int, failures: int, rate: float) -> float:
    """Probability of *failures* or more."""
    return math.fsum(_chance(attempts, many, rate) for many in range(failures, attempts + 1))


@lru_cache(maxsize=64)
def design(goal: Goal, most: int) -> Design | None:
    """
    The bounds that need the fewest attempts, at the worse of the two rates.

    Where *most* attempts are too few for `Goal.beta`, those that miss a rate below least often;
    None where they are too few even to find any rate to be below.
    """
    cut = fewest_failures(most, goal.reached, goal.alpha)
    if cut is None:
        return None
    found = list(_designs(goal, most, cut))
    kept = [one for one in found if one.at_below.reached <= goal.beta + TOLERANCE]
    if kept:
        return min(kept, key=_attempts)
    return min(found, key=lambda one: (one.at_below.reached, _attempts(one)), default=None)


def _attempts(one: Design) -> float:
    return max(one.at_reached.attempts, one.at_below.attempts)


def _designs(goal: Goal, most: int, cut: int) -> Iterator[Design]:
    """For each threshold of `reached`, the lowest one of `below` that holds alpha."""
    for reached_at in THRESHOLDS:
        low, high = 0, len(THRESHOLDS)
        best: Design | None = None
        while low < high:
            middle = (low + high) // 2
            bounds = _bounds(goal, most, cut, (THRESHOLDS[middle], reached_at))
            at_reached = walk(bounds, goal.reached)
            if at_reached.below <= goal.alpha + TOLERANCE:
                best, high = Design(bounds, at_reached, walk(bounds, goal.below)), middle
            else:
                low = middle + 1
        if best is not None:
            yield best


def _bounds(goal: Goal, most: int, cut: int, thresholds: tuple[float, float]) -> Bounds:
    """
    Args:
        goal: What is told apart.
        most: Attempts.
        cut: With as many failures after all attempts, the rate is below.
        thresholds: Of the log-likelihood ratio, for `below` (as a positive number) and `reached`.

    """
    below_at, reached_at = thresholds
    for_pass = math.log(goal.reached / goal.below)
    against = math.log((1 - goal.below) / (1 - goal.reached)) if goal.reached < 1 else math.inf
    below_from, reached_to = [], []
    for attempts in range(1, most + 1):
        # A failure takes a pass's worth away as well: the ratio is n passes less this, for each.
        per_failure = for_pass + against
        most_failures = attempts * for_pass
        below = math.ceil((most_failures + below_at) / per_failure - TOLERANCE)
        reached = math.floor((most_failures - reached_at) / per_failure + TOLERANCE)
        if against == math.inf:
            below, reached = 1, 0 if most_failures >= reached_at else -1
        # What the end can no longer change is decided at once.
        first = min(below, cut, attempts + 1)
        below_from.append(first)
        reached_to.append(min(max(reached, cut - 1 - (most - attempts), -1), first - 1))
    return Bounds(tuple(below_from), tuple(reached_to))


def _chance(attempts: int, failures: int, rate: float) -> float:
    passes = attempts - failures
    if rate in (0.0, 1.0):
        return float((failures if rate else passes) == 0)
    return math.exp(
        math.lgamma(attempts + 1)
        - math.lgamma(failures + 1)
        - math.lgamma(passes + 1)
        + passes * math.log(rate)
        + failures * math.log1p(-rate)
    )


def with_most(goal: Goal) -> int | None:
    """At most how many attempts a test needs that holds *goal*; None: more than `LONGEST`."""
    known = fixed(goal)
    if known is None:
        return None
    most = math.ceil(known.attempts * MORE_THAN_FIXED)
    made = design(goal, most)
    while made is None or made.at_below.reached > goal.beta + TOLERANCE:
        most += 1
        made = design(goal, most)
    return most
