"""
Exact figures of a sequential test: what passes and failures can have become, and how likely.

A test that stops on counts walks over the lattice of (attempts, failures). The probability of every
point follows from those one attempt before it, so error rates and numbers of attempts are computed
and need neither an approximation nor a simulation. As in Schultz, Nichol, Elfring and Weed (1973),
"Multiple-stage procedures for drug screening", Biometrics 29(2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bounds:
    """When to stop: after n attempts, at index n - 1."""

    below_from: Sequence[int]
    """With as many failures or more the rate is found to be below; n + 1: never, after n."""
    reached_to: Sequence[int]
    """With as many failures or fewer the rate is found to be reached; -1: never, after n."""

    def __len__(self) -> int:
        return len(self.below_from)


@dataclass(frozen=True, slots=True)
class Walk:
    """What becomes of a test when attempts truly pass at some rate."""

    below: float
    """Probability that it ends with `below`."""
    reached: float
    """Probability that it ends with `reached`; with `below` less than 1 where neither can come."""
    attempts: float
    """Their expected number."""


def walk(bounds: Bounds, rate: float) -> Walk:
    """
    Follow every way that attempts can go.

    Args:
        bounds: When the test stops.
        rate: True probability of a pass, 0 to 1.

    """
    open_, fewest = [1.0], 0
    below, reached, attempts = [], [], []
    for first, last in zip(bounds.below_from, bounds.reached_to, strict=True):
        attempts.extend(open_)
        stepped = [
            passed * rate + failed * (1 - rate)
            for passed, failed in zip([*open_, 0.0], [0.0, *open_], strict=True)
        ]
        # Only what is still open is carried on: a narrow band of all numbers of failures.
        start, end = max(0, last + 1 - fewest), max(0, first - fewest)
        reached.extend(stepped[:start])
        below.extend(stepped[end:])
        open_, fewest = stepped[start:end], fewest + start
        if not open_:
            break
    return Walk(below=math.fsum(below), reached=math.fsum(reached), attempts=math.fsum(attempts))
