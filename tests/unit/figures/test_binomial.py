import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from quickstarted.figures.binomial import (
    attempts_needed,
    detectable_rate,
    false_below,
    is_below,
    most_passes_below,
    p_below,
)

counts = st.integers(1, 80).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
rates = st.sampled_from((0.3, 0.5, 0.8, 0.9, 0.95, 1.0))


@given(counts, rates)
@settings(deadline=None)
def test_the_p_value_is_that_of_scipy_s_binomial_test(passed, rate):
    passes, attempts = passed
    expected = stats.binomtest(passes, attempts, rate, alternative="less").pvalue

    assert p_below(passes, attempts, rate) == pytest.approx(expected, abs=1e-12)


@given(counts, rates)
@settings(deadline=None)
def test_fewer_passes_never_clear_a_cell(passed, rate):
    passes, attempts = passed
    bound = most_passes_below(attempts, rate, alpha=0.05)

    assert is_below(passes, attempts, rate, alpha=0.05) == (bound is not None and passes <= bound)


@given(st.integers(1, 200), rates)
@settings(deadline=None)
def test_a_good_cell_is_called_below_in_one_of_twenty_cases_at_most(attempts, rate):
    assert false_below(attempts, rate, alpha=0.05) <= 0.05 * (1 + 1e-9)


@given(st.integers(1, 200), rates)
@settings(deadline=None)
def test_the_detectable_rate_is_found_in_four_of_five_cases(attempts, rate):
    found = detectable_rate(attempts, rate, alpha=0.05)
    bound = most_passes_below(attempts, rate, alpha=0.05)
    if bound is None:
        assert found is None
        return

    assert found < rate
    assert stats.binom.cdf(bound, attempts, found) == pytest.approx(0.8, abs=1e-6)


@pytest.mark.parametrize(
    ("rate", "needed"), [(0.3, 9), (0.5, 5), (0.8, 2), (0.9, 2), (0.95, 1), (1.0, 1)]
)
def test_with_fewer_attempts_than_needed_no_outcome_shows_anything(rate, needed):
    assert attempts_needed(rate, alpha=0.05) == needed
    assert most_passes_below(needed, rate, alpha=0.05) is not None
    assert needed == 1 or most_passes_below(needed - 1, rate, alpha=0.05) is None


def test_a_p_value_that_is_alpha_exactly_counts_whatever_rounding_makes_of_it():
    # 1 - 0.95 is a little more than 0.05 in binary.
    assert is_below(0, 1, 0.95, alpha=0.05)
