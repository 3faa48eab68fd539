import pytest

from fakes.attempts import result
from quickstarted.events import Usage
from quickstarted.results import Spread, SuiteResult, cell_result, exit_code, suite_result
from quickstarted.verdict import Classification


def _results(*classifications, **fields):
    return [result(name, **fields) for name in classifications]


@pytest.mark.parametrize(
    ("classifications", "code", "strict"),
    [
        (["passed"], 0, 0),
        (["passed", "infra_error", "budget_exhausted"], 0, 0),
        (["passed", "docs_gap"], 1, 1),
        (["docs_gap"], 1, 1),
        (["docs_gap", "infra_error"], 1, 1),
        (["infra_error"], 2, 1),
        (["harness_error", "skipped", "agent_refusal", "budget_exhausted"], 2, 1),
        ([], 2, 1),
    ],
)
def test_the_exit_code_names_who_must_act(classifications, code, strict):
    runs = _results(*classifications)

    assert (code, strict) == (exit_code(runs), exit_code(runs, strict_inconclusive=True))


def test_a_rate_is_over_evidence_only():
    cell = cell_result(
        _results(
            "passed", "passed", "docs_gap", "infra_error", "infra_error", "harness_error", "skipped"
        )
    )

    assert (
        cell.attempts,
        cell.evidential_runs,
        cell.passes,
        cell.pass_rate,
        cell.skipped,
    ) == (7, 3, 2, 2 / 3, 1)
    assert cell.discarded == {Classification.INFRA_ERROR: 2, Classification.HARNESS_ERROR: 1}
    assert cell.interval == pytest.approx((0.2076596, 0.9385081), abs=1e-6)


def test_without_evidence_there_is_no_rate_and_no_effort():
    cell = cell_result(_results("infra_error", turns=99))

    assert (cell.pass_rate, cell.interval, cell.effort.turns) == (None, None, None)


def test_effort_is_over_evidence_and_without_waiting():
    runs = [
        result("passed", turns=2, duration_seconds=12.0, waited_seconds=2.0, docs_pages_read=1),
        result("docs_gap", turns=6, duration_seconds=30.0, docs_pages_read=4),
        result("infra_error", turns=50, duration_seconds=900.0),
    ]
    effort = cell_result(runs).effort

    assert effort.turns == Spread(median=4, low=2, high=6)
    assert effort.seconds == Spread(median=20, low=10, high=30)
    assert effort.pages == Spread(median=2.5, low=1, high=4)


def test_tokens_are_all_that_were_spent_also_by_attempts_that_are_no_evidence():
    spent = Usage(input_tokens=1, output_tokens=2, cache_read_tokens=3)
    cell = cell_result(_results("passed", "infra_error", tokens=spent))

    assert cell.tokens == Usage(input_tokens=2, output_tokens=4, cache_read_tokens=6)
    assert cell.effort.tokens == Spread(median=6, low=6, high=6)


@pytest.mark.parametrize(
    ("costs", "expected"), [((0.25, 0.5), 0.75), ((0.25, None), None), ((None, None), None)]
)
def test_a_cost_is_known_only_when_every_attempt_has_a_price(costs, expected):
    runs = [result(estimated_cost_usd=cost) for cost in costs]

    assert expected == cell_result(runs).estimated_cost_usd


def test_cells_are_by_task_agent_and_affordances_in_the_order_of_the_runs():
    runs = [
        result(task="b"),
        result(task="a"),
        result(task="b", agent="claude:m"),
        result(task="b", affordance_policy="none"),
        result(task="b"),
    ]
    suite = suite_result(runs, created=5.0)

    assert [(c.task, c.agent, c.affordance_policy, c.attempts) for c in suite.cells] == [
        ("b", "replay", "all", 2),
        ("a", "replay", "all", 1),
        ("b", "claude:m", "all", 1),
        ("b", "replay", "none", 1),
    ]
    assert runs == suite.runs


@pytest.mark.parametrize(
    ("enforced", "all_were"), [([], True), ([True], True), ([True, False], False)]
)
def test_one_attempt_that_was_not_enforced_makes_the_document_say_so(enforced, all_were):
    runs = [result(enforced=one) for one in enforced]

    assert all_were is suite_result(runs, created=1.0).enforced


def test_the_document_survives_json_and_says_its_version():
    suite = suite_result(_results("passed", "docs_gap", "infra_error"), created=5.0)
    text = suite.model_dump_json()

    assert suite == SuiteResult.model_validate_json(text)
    assert '"schema_version":1' in text
