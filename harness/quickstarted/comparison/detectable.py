"""The smallest true difference of two rates that so many attempts show, by exact power."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from quickstarted.comparison.exact import TIE, Table
from quickstarted.figures.defaults import ALPHA, POWER

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Bools = npt.NDArray[np.bool_]

STEPS = 200
"""Differences are looked at in half points."""
EXACT_UP_TO = 600
"""Attempts of both sides together; with more, the normal approximation is as good."""


def detectable_difference(table: Table) -> float | None:
    """
    The smallest difference that Fisher's test shows at `ALPHA` with probability `POWER`.

    It depends on where the rates are: they are put as close as they can be to what was seen over
    both sides. The larger one of the two directions is returned, where they differ.

    Returns:
        A number up to 1, in steps of half a point; None where not even 100% against 0% is shown.

    """
    passes = table.passes_before + table.passes_after
    centre = passes / (table.attempts_before + table.attempts_after)
    sizes = table.attempts_before, table.attempts_after
    return _detectable(*sorted(sizes), round(centre * STEPS) / STEPS)


@lru_cache(maxsize=4096)
def _detectable(fewer: int, more: int, centre: float) -> float | None:
    import numpy as np  # noqa: PLC0415 - only comparisons need it

    differences = np.arange(1, STEPS + 1) / STEPS
    middles = np.clip(centre, differences / 2, 1 - differences / 2)
    high, low = np.minimum(middles + differences / 2, 1), np.maximum(middles - differences / 2, 0)
    power = _power if fewer + more <= EXACT_UP_TO else _approximate_power
    worse = np.minimum(power(fewer, more, high, low), power(fewer, more, low, high))
    enough = np.flatnonzero(worse >= POWER)
    # Power may dip as rates move over the lattice: the last step that is too small counts.
    if enough.size == 0 or worse[-1] < POWER:
        return None
    too_small = np.flatnonzero(worse < POWER)
    return float(differences[too_small[-1] + 1 if too_small.size else 0])


def _power(first: int, second: int, rates_first: Floats, rates_second: Floats) -> Floats:
    """Probability that Fisher's test shows a difference, for each pair of true rates."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it
    from scipy import stats  # noqa: PLC0415

    of_first = stats.binom.pmf(np.arange(first + 1), first, rates_first[:, None])
    of_second = stats.binom.pmf(np.arange(second + 1), second, rates_second[:, None])
    found: Floats = ((of_first @ significant(first, second)) * of_second).sum(axis=1)
    return found


@lru_cache(maxsize=64)
def significant(first: int, second: int) -> Bools:
    """
    Which tables Fisher's test calls different at `ALPHA`.

    Returns:
        Shape (first + 1, second + 1), by passes of both sides.

    """
    import numpy as np  # noqa: PLC0415 - only comparisons need it
    from scipy import special  # noqa: PLC0415

    def ways(attempts: int) -> Floats:
        passes = np.arange(attempts + 1)
        logs: Floats = -np.log(attempts + 1) - special.betaln(passes + 1, attempts - passes + 1)
        return logs

    ways_first, ways_second, ways_both = ways(first), ways(second), ways(first + second)
    shown = np.zeros((first + 1, second + 1), dtype=np.bool_)
    for passes in range(first + second + 1):
        of_first = np.arange(max(0, passes - second), min(passes, first) + 1)
        of_second = passes - of_first
        chances = np.exp(ways_first[of_first] + ways_second[of_second] - ways_both[passes])
        ascending = np.sort(chances)
        ranks = np.searchsorted(ascending, chances * (1 + TIE), side="right")
        p_values = np.cumsum(ascending)[ranks - 1]
        shown[of_first, of_second] = p_values <= ALPHA
    return shown


def _approximate_power(
    first: int, second: int, rates_first: Floats, rates_second: Floats
) -> Floats:
    """The same for many attempts (Fleiss, Levin and Paik 2003, section 4.2), with continuity."""
    import numpy as np  # noqa: PLC0415 - only comparisons need it
    from scipy import special  # noqa: PLC0415

    mean = (first * rates_first + second * rates_second) / (first + second)
    alike = np.sqrt(mean * (1 - mean) * (1 / first + 1 / second))
    apart = np.sqrt(
        rates_first * (1 - rates_first) / first + rates_second * (1 - rates_second) / second
    )
    continuity = (1 / first + 1 / second) / 2
    distance = np.abs(rates_first - rates_second) - continuity
    z_alpha = -special.ndtri(ALPHA / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        z_power = (distance - z_alpha * alike) / apart
    certain = np.where(distance > z_alpha * alike, math.inf, -math.inf)
    found: Floats = special.ndtr(np.where(apart > 0, z_power, certain))
    return found
