import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.results import Spread
from quickstarted.results.rates import spread, wilson_interval

# scipy 1.17.1: binomtest(passes, runs).proportion_ci(method="wilson")
SCIPY = [
    (0, 1, 0.0, 0.793450685623),
    (1, 1, 0.206549314377, 1.0),
    (0, 10, 0.0, 0.277532799863),
    (3, 10, 0.107791267406, 0.603221852539),
    (5, 10, 0.236593090513, 0.763406909487),
    (9, 10, 0.595849973205, 0.982123786905),
    (10, 10, 0.722467200137, 1.0),
    (1, 3, 0.06149194472, 0.792340399198),
    (37, 40, 0.801357664757, 0.974163974225),
    (2500, 5000, 0.486146282583, 0.513853717417),
]


@pytest.mark.parametrize(("passes", "runs", "low", "high"), SCIPY)
def test_the_interval_is_scipy_s(passes, runs, low, high):
    assert (low, high) == pytest.approx(wilson_interval(passes, runs), abs=1e-11)


def test_no_runs_have_no_interval():
    assert wilson_interval(0, 0) is None


@given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_holds_the_rate_and_stays_between_0_and_1(counts):
    passes, runs = counts
    interval = wilson_interval(passes, runs)

    assert interval is not None
    assert 0 <= interval[0] <= passes / runs <= interval[1] <= 1


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([3], Spread(median=3, low=3, high=3)),
        ([9, 1, 2], Spread(median=2, low=1, high=9)),
        ([1, 2], Spread(median=1.5, low=1, high=2)),
        ([0.12345], Spread(median=0.123, low=0.123, high=0.123)),
    ],
)
def test_a_spread_is_median_and_range(values, expected):
    assert expected == spread(values)
