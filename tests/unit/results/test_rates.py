import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickstarted.results import Spread
from quickstarted.results.rates import pass_at_k, pass_hat_k, spread, wilson_interval

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
@settings(deadline=None)
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


@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
@settings(deadline=None)
def test_k_attempts_are_judged_as_all_choices_of_k_attempts_are(counts):
    passes, runs = counts
    outcomes = [place < passes for place in range(runs)]

    for k in range(1, runs + 1):
        choices = list(itertools.combinations(outcomes, k))
        some = sum(map(any, choices)) / len(choices)
        each = sum(map(all, choices)) / len(choices)

        assert pytest.approx(some) == pass_at_k(passes, runs, k)
        assert pytest.approx(each) == pass_hat_k(passes, runs, k)


@pytest.mark.parametrize("k", [0, 4])
def test_more_attempts_than_there_are_have_no_figure(k):
    assert (None, None) == (pass_at_k(2, 3, k), pass_hat_k(2, 3, k))


@given(
    st.integers(2, 60).flatmap(
        lambda n: st.tuples(st.integers(0, n), st.just(n), st.integers(1, n - 1))
    )
)
@settings(deadline=None)
def test_a_larger_k_makes_one_pass_likelier_and_all_passes_less_likely(counts):
    passes, runs, k = counts

    assert pass_at_k(passes, runs, k) <= pass_at_k(passes, runs, k + 1)
    assert pass_hat_k(passes, runs, k) >= pass_hat_k(passes, runs, k + 1)
    assert pass_hat_k(passes, runs, k) <= passes / runs + 1e-12
    assert pass_at_k(passes, runs, k) >= passes / runs - 1e-12


def test_the_figures_of_the_paper_s_formula_come_out():
    # Chen et al. 2021, figure 3: 1 - prod(1 - k / (n - c + 1 .. n)).
    n, c, k = 200, 13, 10
    product = math.prod(1 - k / one for one in range(n - c + 1, n + 1))

    assert pytest.approx(1 - product) == pass_at_k(c, n, k)
