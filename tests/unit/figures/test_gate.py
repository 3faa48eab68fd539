import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.attempts import result
from quickstarted.figures import (
    SequentialPlan,
    any_false_below,
    gate_exit_code,
    gated,
    judge,
    plan_for,
    rule_for,
)
from quickstarted.results import SuiteResult, suite_result

NAMES = {"p": "passed", "f": "docs_gap", "i": "infra_error", "b": "budget_exhausted"}


def _runs(outcomes, **fields):
    return [
        result(NAMES[letter], attempt=number, **fields) for number, letter in enumerate(outcomes, 1)
    ]


@pytest.mark.parametrize(
    ("outcomes", "rate", "expected"),
    [
        ("", 0.9, ("undecided", "no_evidence")),
        ("iib", 0.9, ("undecided", "no_evidence")),
        ("f", 0.9, ("undecided", "too_few")),
        ("p", 0.9, ("undecided", "too_few")),
        ("ppf", 0.9, ("not_below", None)),
        ("pff", 0.9, ("below", None)),
        ("pffiii", 0.9, ("below", None)),
        ("pff", 0.8, ("not_below", None)),
        ("pff", 0.5, ("undecided", "too_few")),
        ("fffff", 0.5, ("below", None)),
        ("pf", 1.0, ("below", None)),
        ("pp", 1.0, ("not_below", None)),
    ],
)
def test_a_cell_is_below_where_its_attempts_show_it_and_only_there(outcomes, rate, expected):
    gate = judge(_runs(outcomes), rule_for(rate))

    assert expected == (gate.verdict, gate.undecided)


def test_what_could_have_been_found_and_how_many_it_takes_is_said():
    gate = judge(_runs("ppf"), rule_for(0.9))
    few = judge(_runs("pff"), rule_for(0.5))

    assert (gate.p_value, gate.detectable_rate, gate.false_below) == (0.271, 0.287141, 0.028)
    assert (few.detectable_rate, few.needed) == (None, 5)


def test_attempts_of_different_models_are_not_judged_together():
    runs = [result("passed", models_reported=["a"]), result("docs_gap", models_reported=["b"])]

    assert judge(runs, rule_for(0.9)).undecided == "models_differ"


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ("ppppppp", ("not_below", None, 7)),
        ("pppppppff", ("not_below", None, 7)),
        ("iifff", ("below", None, 3)),
        ("pppp", ("undecided", "too_few", 4)),
    ],
)
def test_a_sequential_test_uses_the_attempts_up_to_its_decision(outcomes, expected):
    gate = judge(_runs(outcomes), rule_for(0.9, SequentialPlan(0.9)))

    assert expected == (gate.verdict, gate.undecided, gate.evidential_runs)


def test_a_rule_has_all_of_its_plan():
    plan = SequentialPlan(0.9, 0.15, longest=30)

    assert plan_for(rule_for(0.9, plan)) == plan
    assert plan_for(rule_for(0.9)) is None


def _suite(*cells):
    return suite_result(
        [
            run
            for number, (outcomes, arm) in enumerate(cells)
            for run in _runs(outcomes, task=f"t{number}", arm=arm)
        ],
        created=1.0,
    )


@pytest.mark.parametrize(
    ("cells", "code", "strict"),
    [
        ([("ppf", "docs")], 0, 0),
        ([("ppf", "docs"), ("pff", "docs")], 1, 1),
        ([("ppf", "docs"), ("iii", "docs")], 2, 1),
        ([("pff", "docs"), ("iii", "docs")], 1, 1),
        # What fails without documentation is no fault of it.
        ([("ppp", "docs"), ("fff", "no-docs")], 0, 0),
        ([("fff", "no-docs")], 1, 1),
        ([], 2, 1),
    ],
)
def test_the_exit_code_is_that_of_the_worst_cell(cells, code, strict):
    suite = gated(_suite(*cells), rule_for(0.9))

    assert code == gate_exit_code(suite)
    assert strict == gate_exit_code(suite, strict_inconclusive=True)


def test_without_a_gate_any_failure_counts_as_before():
    assert gate_exit_code(_suite(("ppf", "docs"))) == 1


def test_several_cells_make_a_false_alarm_likelier_and_it_is_said_by_how_much():
    suite = gated(_suite(("ppp", "docs"), ("ppf", "docs")), rule_for(0.9))

    assert any_false_below(suite) == pytest.approx(1 - (1 - 0.028) ** 2)


@given(
    st.lists(st.text("pfib", max_size=12), max_size=4),
    st.sampled_from((0.3, 0.9, 1.0)),
    st.booleans(),
)
@settings(deadline=None)
def test_whatever_attempts_come_to_is_a_document_that_reads_as_it_was_written(cells, rate, auto):
    rule = rule_for(rate, SequentialPlan(rate) if auto else None)
    suite = gated(_suite(*((one, "docs") for one in cells)), rule)

    assert suite == SuiteResult.model_validate_json(suite.model_dump_json())
