"""
The exact binomial test that a rate is below a wanted one, and what it could have shown.

`scipy.special` alone: it is loaded in half the time of `scipy.stats`, at the end of a `run`.
"""

from __future__ import annotations

from quickstarted.figures.defaults import POWER

TOLERANCE = 1e-9
"""Relative; a p-value that equals alpha in exact arithmetic is not kept from it by rounding."""


def p_below(passes: int, attempts: int, rate: float) -> float:
    """The probability of *passes* or fewer out of *attempts* at the true rate *rate*."""
    from scipy import special  # noqa: PLC0415 - most calls do without

    return float(special.bdtr(passes, attempts, rate))


def is_below(passes: int, attempts: int, rate: float, *, alpha: float) -> bool:
    """Whether *passes* out of *attempts* show, at level *alpha*, that the rate is below *rate*."""
    return attempts > 0 and p_below(passes, attempts, rate) <= alpha * (1 + TOLERANCE)


def most_passes_below(attempts: int, rate: float, *, alpha: float) -> int | None:
    """The largest number of passes that shows it; None: not even none at all would."""
    import numpy as np  # noqa: PLC0415 - most calls do without
    from scipy import special  # noqa: PLC0415

    tails = special.bdtr(np.arange(attempts + 1), attempts, rate)
    showing = int(np.searchsorted(tails, alpha * (1 + TOLERANCE), side="right"))
    return showing - 1 if showing else None


def false_below(attempts: int, rate: float, *, alpha: float) -> float:
    """How often *attempts* show it of a cell whose true rate is *rate*; at most *alpha*."""
    passes = most_passes_below(attempts, rate, alpha=alpha)
    return 0.0 if passes is None else p_below(passes, attempts, rate)


def detectable_rate(
    attempts: int, rate: float, *, alpha: float, power: float = POWER
) -> float | None:
    """
    The highest true rate that *attempts* show to be below *rate* with probability *power*.

    None where they are too few to show it of any.
    """
    from scipy import special  # noqa: PLC0415 - most calls do without

    passes = most_passes_below(attempts, rate, alpha=alpha)
    if passes is None:
        return None
    # All passes are below no rate, so this has an inverse.
    return float(special.bdtri(passes, attempts, power))


def attempts_needed(rate: float, *, alpha: float) -> int:
    """The fewest attempts of which failures alone show that the rate is below *rate*."""
    chance, attempts = 1.0, 0
    while chance > alpha * (1 + TOLERANCE):
        chance *= 1 - rate
        attempts += 1
    return attempts
