import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fakes.attempts import result
from quickstarted.comparison.effort import changes
from quickstarted.events import Usage


def _runs(turns, **fields):
    return [result("passed", turns=one, **fields) for one in turns]


def _of(metric, before, after):
    return next(change for change in changes(before, after) if change.metric == metric)


def test_figures_are_means_over_attempts_that_gave_evidence():
    before = [*_runs([10, 14]), result("infra_error", turns=99)]
    change = _of("turns", before, _runs([8, 9]))

    assert (change.before, change.after, change.difference) == (12, 8.5, -3.5)


def test_seconds_are_without_waiting_and_tokens_all_kinds():
    before = [result(duration_seconds=30.0, waited_seconds=10.0, tokens=Usage(input_tokens=5))]
    after = [result(duration_seconds=5.0, waited_seconds=0.0, tokens=Usage(output_tokens=9))]

    assert _of("seconds", before, after).difference == -15
    assert _of("tokens", before, after).difference == 4


def test_one_attempt_has_no_interval():
    assert _of("turns", _runs([3]), _runs([4, 5])).interval is None


def test_the_interval_is_near_scipy_s_bootstrap_widened_for_few_attempts():
    source = np.random.default_rng(7)
    before, after = source.normal(20, 4, 15).round(), source.normal(16, 4, 12).round()
    low, high = _of("turns", _runs(before.tolist()), _runs(after.tolist())).interval

    theirs = stats.bootstrap(
        (after, before),
        lambda a, b, axis: a.mean(axis=axis) - b.mean(axis=axis),
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=1,
    ).confidence_interval
    widened = math.sqrt(13.5 / 12.5)

    assert high - low == pytest.approx((theirs.high - theirs.low) * widened, rel=0.04)
    assert (low + high) / 2 == pytest.approx((theirs.low + theirs.high) / 2, abs=0.15)


samples = st.lists(st.integers(0, 40), min_size=1, max_size=9)


@given(samples, samples)
@settings(max_examples=60, deadline=None)
def test_exchanged_sides_mirror_the_change_and_the_same_input_gives_the_same(before, after):
    there = _of("turns", _runs(before), _runs(after))
    back = _of("turns", _runs(after), _runs(before))

    assert there == _of("turns", _runs(before), _runs(after))
    assert there.difference == pytest.approx(-back.difference)
    if there.interval is None:
        assert back.interval is None
        return
    assert there.interval == pytest.approx((-back.interval[1], -back.interval[0]), abs=2e-6)


@given(st.lists(st.integers(0, 40), min_size=2, max_size=9), st.integers(-5, 5))
@settings(max_examples=40, deadline=None)
def test_the_interval_holds_the_difference(turns, shift):
    change = _of("turns", _runs(turns), _runs([max(0, one + shift) for one in turns]))
    low, high = change.interval

    assert low - 1e-6 <= change.difference <= high + 1e-6


@pytest.mark.parametrize(
    ("costs", "names", "expected"),
    [
        ([1.0, 3.0], ["passed", "passed"], 2.0),
        # What failed and lost attempts cost is paid for the passes.
        ([1.0, 3.0, 2.0], ["passed", "docs_gap", "infra_error"], 6.0),
        ([1.0], ["docs_gap"], None),
        ([1.0, None], ["passed", "passed"], None),
        # Nothing is known of the cost of what was not made.
        ([1.0, None], ["passed", "skipped"], 1.0),
    ],
)
def test_cost_per_pass_is_all_that_was_paid(costs, names, expected):
    runs = [result(name, estimated_cost_usd=cost) for name, cost in zip(names, costs, strict=True)]

    assert _of("cost_per_pass_usd", runs, _runs([1])).before == expected


def test_an_unknown_cost_has_no_difference():
    unknown = [result("passed", estimated_cost_usd=None)] * 3
    change = _of("cost_per_pass_usd", unknown, _runs([1, 2]))

    assert (change.before, change.difference, change.interval) == (None, None, None)


def test_where_draws_have_no_pass_the_interval_has_no_end_on_that_side():
    dear = [result(name, estimated_cost_usd=1.0) for name in ("passed", "docs_gap", "docs_gap")]
    cheap = [result("passed", estimated_cost_usd=1.0 + n / 10) for n in range(3)]

    assert _of("cost_per_pass_usd", cheap, dear).interval == (pytest.approx(-0.1, abs=0.2), None)
    assert _of("cost_per_pass_usd", dear, cheap).interval[0] is None
    assert _of("cost_per_pass_usd", dear, dear).interval == (None, None)


def test_thousands_of_attempts_of_one_cell_are_drawn_in_parts():
    before = _runs([*range(10, 20)] * 30)
    change = _of("turns", before, _runs([*range(9, 19)] * 30))
    error = math.sqrt(2 * np.var(range(10)) / 300)

    assert change.difference == -1
    assert change.interval == pytest.approx((-1 - 1.96 * error, -1 + 1.96 * error), abs=0.04)
