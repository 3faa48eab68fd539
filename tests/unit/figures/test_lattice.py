import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quickstarted.figures.lattice import Bounds, walk


@st.composite
def any_bounds(draw):
    below, reached = [], []
    for number in range(1, draw(st.integers(1, 8)) + 1):
        first = draw(st.integers(0, number + 1))
        below.append(first)
        reached.append(draw(st.integers(-1, first - 1)) if first else -1)
    return Bounds(tuple(below), tuple(reached))


def by_every_way(bounds, rate):
    """The same, by going through all outcomes of all attempts one by one."""
    below = reached = attempts = 0.0
    for outcomes in itertools.product((True, False), repeat=len(bounds)):
        chance, failures, made = 1.0, 0, 0
        for passed in outcomes:
            chance *= rate if passed else 1 - rate
        for number, passed in enumerate(outcomes):
            made, failures = number + 1, failures + (not passed)
            if failures >= bounds.below_from[number]:
                below += chance
                break
            if failures <= bounds.reached_to[number]:
                reached += chance
                break
        attempts += chance * made
    return below, reached, attempts


@given(any_bounds(), st.floats(0, 1))
@settings(deadline=None)
def test_a_walk_is_what_all_outcomes_together_are(bounds, rate):
    found = walk(bounds, rate)

    assert pytest.approx(by_every_way(bounds, rate), abs=1e-9) == (
        found.below,
        found.reached,
        found.attempts,
    )


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.9, 1.0])
def test_a_test_that_waits_for_all_attempts_is_the_binomial_test(rate):
    bounds = Bounds((*range(2, 21), 5), (*[-1] * 19, 4))

    assert walk(bounds, rate).below == pytest.approx(stats.binom.sf(4, 20, 1 - rate))
    assert walk(bounds, rate).attempts == pytest.approx(20)
