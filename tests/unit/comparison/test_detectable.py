import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fakes.comparisons import mirrored, tables
from quickstarted.comparison.detectable import (
    _approximate_power,
    _power,
    detectable_difference,
    significant,
)
from quickstarted.comparison.exact import Table, fisher_p


@given(st.integers(1, 9), st.integers(1, 9))
@settings(max_examples=20, deadline=None)
def test_tables_are_called_different_as_scipy_calls_them(first, second):
    shown = significant(first, second)

    for one in range(first + 1):
        for other in range(second + 1):
            p_value = fisher_p(Table(one, first, other, second))
            assert bool(shown[one, other]) == (p_value <= 0.05)


def test_power_is_the_sum_over_all_tables_that_are_called_different():
    high, low = np.array([0.9]), np.array([0.3])
    expected = sum(
        stats.binom.pmf(one, 8, 0.9) * stats.binom.pmf(other, 6, 0.3)
        for one in range(9)
        for other in range(7)
        if fisher_p(Table(one, 8, other, 6)) <= 0.05
    )

    assert _power(8, 6, high, low)[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (Table(5, 5, 5, 5), 0.835),
        (Table(10, 20, 10, 20), 0.485),
        (Table(50, 100, 50, 100), 0.205),
        # Where nearly all pass, less is seen.
        (Table(95, 100, 95, 100), 0.09),
        (Table(1, 1, 1, 1), None),
        (Table(3, 3, 0, 3), None),
        (Table(4, 4, 4, 4), 0.95),
    ],
)
def test_the_smallest_difference_that_is_shown_in_four_of_five_cases(table, expected):
    assert detectable_difference(table) == expected


@given(tables(most=12))
@settings(max_examples=30, deadline=None)
def test_exchanged_sides_detect_the_same(table):
    assert detectable_difference(table) == detectable_difference(mirrored(table))


def test_more_attempts_never_detect_less():
    found = [detectable_difference(Table(n, 2 * n, n, 2 * n)) or 2.0 for n in range(1, 40)]

    # Fisher's test is discrete: a step of half a point back may come up.
    assert all(after <= before + 0.03 for before, after in itertools.pairwise(found))


def test_the_approximation_for_many_attempts_meets_the_exact_power():
    middles = np.array([0.5, 0.7, 0.9])
    high, low = middles + 0.05, middles - 0.05
    exact, approximate = _power(300, 290, high, low), _approximate_power(300, 290, high, low)

    assert approximate == pytest.approx(exact, abs=0.03)


def test_thousands_of_attempts_are_no_effort():
    assert detectable_difference(Table(4_000, 5_000, 4_100, 5_000)) == 0.025
