import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.comparisons import mirrored, tables
from quickstarted.comparison.exact import Table
from quickstarted.comparison.intervals import rate_difference


@pytest.mark.parametrize(
    ("table", "difference", "interval"),
    [
        # Newcombe 1998, table II, method 10; his first sample is the later side here.
        (Table(48, 80, 56, 70), 0.2, (0.0524, 0.3339)),
        (Table(3, 10, 9, 10), 0.6, (0.1705, 0.8090)),
        (Table(2, 7, 6, 7), 0.5714, (0.0582, 0.8062)),
        (Table(0, 29, 5, 56), 0.0893, (-0.0381, 0.1926)),
        (Table(0, 20, 0, 10), 0.0, (-0.1611, 0.2775)),
        (Table(0, 10, 10, 10), 1.0, (0.6075, 1.0)),
        (Table(0, 20, 10, 10), 1.0, (0.6791, 1.0)),
    ],
)
def test_the_interval_of_a_difference_is_newcombe_s(table, difference, interval):
    found, (low, high) = rate_difference([table])

    assert (difference, *interval) == pytest.approx((found, low, high), abs=1e-4)


@given(st.lists(tables(), min_size=1, max_size=6))
@settings(deadline=None)
def test_the_interval_holds_the_difference_and_exchanged_sides_mirror_it(known):
    difference, (low, high) = rate_difference(known)
    other, (other_low, other_high) = rate_difference([mirrored(one) for one in known])

    assert -1 <= low <= difference <= high <= 1
    assert (-other, -other_high, -other_low) == pytest.approx((difference, low, high))


def test_tasks_weigh_by_their_attempts_on_both_sides():
    # Weights 5 * 5 / 10 and 20 * 20 / 40.
    difference, _ = rate_difference([Table(0, 5, 5, 5), Table(10, 20, 10, 20)])

    assert difference == pytest.approx(2.5 / 12.5)


def test_more_tasks_make_the_interval_narrower():
    one = rate_difference([Table(3, 5, 4, 5)])[1]
    many = rate_difference([Table(3, 5, 4, 5)] * 16)[1]

    assert many[1] - many[0] == pytest.approx((one[1] - one[0]) / 4)
