import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from fakes.attempts import result
from quickstarted.errors import UsageError
from quickstarted.figures import SequentialPlan
from quickstarted.figures.design import Goal, failures_tail, fewest_failures, fixed
from quickstarted.figures.sequential import evidence_in_order

RULES = [(0.3, 0.1), (0.5, 0.2), (0.8, 0.2), (0.9, 0.2), (0.9, 0.1), (0.95, 0.2), (1.0, 0.2)]


@pytest.mark.parametrize(("rate", "margin"), RULES)
def test_error_rates_are_held_exactly(rate, margin):
    plan = SequentialPlan(rate, margin)

    assert plan.error_rates.false_below <= 0.05
    assert plan.error_rates.missed <= 0.2
    assert plan.called_below(rate) == plan.error_rates.false_below
    assert 1 - plan.called_below(rate - margin) == pytest.approx(plan.error_rates.missed)


@pytest.mark.parametrize(("rate", "margin"), RULES)
def test_it_takes_fewer_attempts_on_the_average_than_a_fixed_number_that_is_as_sure(rate, margin):
    plan = SequentialPlan(rate, margin)
    needed = fixed(Goal(reached=rate, below=rate - margin, alpha=0.05, beta=0.2))

    assert needed is not None
    for true_rate in (rate, rate - margin, 1.0):
        assert plan.expected(true_rate) <= needed.attempts
    assert plan.most <= 1.5 * needed.attempts


@given(st.sampled_from(RULES), st.floats(0, 1), st.floats(0, 1))
@settings(deadline=None)
def test_a_lower_rate_is_never_called_below_less_often(rule, one, other):
    plan = SequentialPlan(*rule)
    low, high = sorted((one, other))

    assert plan.called_below(low) >= plan.called_below(high) - 1e-12


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ("", None),
        ("ppp", None),
        ("ppppppp", ("reached", 7)),
        ("ff", None),
        ("fff", ("below", 3)),
        ("pff", None),
        ("pfff", ("below", 4)),
        ("fppppppp", None),
        # What comes after a decision does not change it.
        ("pppppppffffff", ("reached", 7)),
        ("fffpppppppppppp", ("below", 3)),
    ],
)
def test_the_first_crossing_in_the_order_of_numbers_decides(outcomes, expected):
    assert expected == SequentialPlan(0.9).decide([one == "p" for one in outcomes])


@given(st.sampled_from(RULES), st.randoms(use_true_random=False), st.floats(0, 1))
@settings(deadline=None)
def test_as_many_attempts_as_it_may_take_always_decide(rule, source, rate):
    plan = SequentialPlan(*rule)
    outcomes = [source.random() < rate for _ in range(plan.most)]
    decision = plan.decide(outcomes)

    assert decision is not None
    assert decision == plan.decide(outcomes[: decision.attempts])
    assert plan.decide(outcomes[: decision.attempts - 1]) is None


@given(st.lists(st.booleans(), max_size=12))
@settings(deadline=None)
def test_fewest_more_is_the_shortest_way_to_a_decision(outcomes):
    plan = SequentialPlan(0.9)
    runs = [
        result("passed" if passed else "docs_gap", attempt=number)
        for number, passed in enumerate(outcomes, 1)
    ]
    fewest = plan.fewest_more(runs)

    assert (fewest == 0) == (plan.decide(outcomes) is not None)
    if 0 < fewest <= 6:
        assert any(
            plan.decide([*outcomes, *more])
            for more in itertools.product((True, False), repeat=fewest)
        )
    sooner = (
        more
        for less in range(min(fewest, 6))
        for more in itertools.product((True, False), repeat=less)
    )
    assert not any(plan.decide([*outcomes, *more]) for more in sooner)


def test_only_evidence_counts_and_nothing_after_a_gap():
    runs = [
        result("passed", attempt=1),
        result("infra_error", attempt=2),
        result("docs_gap", attempt=3),
        result("passed", attempt=5),
    ]
    shuffled = random.Random(1).sample(runs, 4)

    assert evidence_in_order(shuffled) == [True, False]


def test_lost_attempts_bring_no_decision_nearer():
    lost = [result("infra_error", attempt=number) for number in range(1, 9)]

    assert SequentialPlan(0.9).fewest_more(lost) == SequentialPlan(0.9).fewest_more([]) == 3


@given(st.sampled_from((0.5, 0.8, 0.9)), st.integers(1, 30))
@settings(deadline=None)
def test_with_too_few_attempts_alpha_is_held_all_the_same_and_the_misses_are_told(rate, longest):
    try:
        plan = SequentialPlan(rate, longest=longest)
    except UsageError:
        assert (1 - rate) ** longest > 0.05
        return

    assert plan.error_rates.false_below <= 0.05
    assert plan.most == longest


def test_a_wanted_rate_of_1_is_below_after_the_first_failure():
    plan = SequentialPlan(1.0)

    assert plan.decide([True, False]) == ("below", 2)
    assert plan.error_rates.false_below == 0


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"min_pass_rate": 0.0}, "cannot be tested"),
        ({"min_pass_rate": 1.1}, "cannot be tested"),
        ({"min_pass_rate": 0.9, "margin": 0.9}, "leaves nothing to find"),
        ({"min_pass_rate": 0.5, "margin": 0.01}, "cannot be told from"),
        ({"min_pass_rate": 0.9, "longest": 501}, "auto:501: a sequential test has at most 500"),
        ({"min_pass_rate": 0.9, "longest": 1}, "^1 attempt can never show"),
        ({"min_pass_rate": 0.5, "longest": 4}, "can never show"),
    ],
)
def test_a_test_that_is_none_is_refused(arguments, words):
    with pytest.raises(UsageError, match=words):
        SequentialPlan(**arguments)


def test_a_small_rate_has_a_margin_of_half_of_it():
    assert SequentialPlan(0.3).indifference == 0.15


def test_the_detectable_rate_is_found_in_four_of_five_cases():
    plan = SequentialPlan(0.9)

    assert plan.called_below(plan.detectable_rate) == pytest.approx(0.8, abs=1e-5)
    assert plan.detectable_rate >= 0.7


@given(st.integers(1, 60), st.floats(0.05, 1), st.integers(0, 60))
@settings(deadline=None)
def test_tails_are_those_of_scipy(attempts, rate, failures):
    expected = stats.binom.sf(failures - 1, attempts, 1 - rate)

    assert failures_tail(attempts, failures, rate) == pytest.approx(expected, abs=1e-9)


@given(st.integers(1, 60), st.floats(0.05, 1))
@settings(deadline=None)
def test_the_fewest_failures_that_show_a_lower_rate_are_those_of_scipy(attempts, rate):
    found = fewest_failures(attempts, rate, 0.05)
    tails = [stats.binom.sf(failures - 1, attempts, 1 - rate) for failures in range(attempts + 1)]
    expected = next((n for n, tail in enumerate(tails) if tail <= 0.05 + 1e-12), None)

    assert found == expected
