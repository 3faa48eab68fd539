"""Sums of tokens and money, which say what they could not count."""

import pytest

from fakes.attempts import agent_turn, result, run_end, run_start
from quickstarted.events import ApiRetry, Usage
from quickstarted.results import CallFacts, PriceSource, exit_code, suite_result, summarise
from quickstarted.results.costs import Costs, total_usd


def retry(**fields):
    return ApiRetry(ts=1.0, turn=1, attempt=1, sleep=0.0, error="gone", **fields)


@pytest.mark.parametrize(
    ("calls", "usd", "unpriced"),
    [
        ([], 0.0, []),
        ([agent_turn(cost_usd=0.1), agent_turn(cost_usd=0.2), retry(cost_usd=0.3)], 0.6, []),
        ([agent_turn(cost_usd=0.1), agent_turn(model="b")], None, ["b"]),
        ([agent_turn(model="b"), agent_turn(model="a"), agent_turn(model="b")], None, ["a", "b"]),
        ([agent_turn(model="b", input_tokens=0, output_tokens=0)], None, ["b"]),
        ([retry()], 0.0, []),
        ([retry(input_tokens=1)], None, ["a model without a name"]),
        ([retry(input_tokens=1, model="b")], None, ["b"]),
        ([agent_turn(cost_usd=1e-9)], 0.0, []),
    ],
)
def test_a_sum_is_none_as_soon_as_one_call_has_no_price(calls, usd, unpriced):
    costs = Costs()
    for call in calls:
        costs.add(call)

    assert (usd, unpriced) == (costs.usd, costs.unpriced)


@pytest.mark.parametrize(
    ("costs", "total"),
    [([], 0.0), ([0.1, 0.2], 0.3), ([0.1, None], None), ([0.0, 0.0], 0.0)],
)
def test_a_total_is_none_as_soon_as_one_part_is(costs, total):
    assert total == total_usd(costs)


def test_a_trace_tells_its_costs_by_itself():
    prices = {"source": "prices.yaml", "date": "2026-11-30"}
    made = summarise(
        [
            run_start(prices=prices, arm="skill", arm_hash="sha256:1"),
            agent_turn(cost_usd=0.5),
            run_end(),
        ]
    )

    assert (0.5, [], PriceSource(source="prices.yaml", date="2026-11-30")) == (
        made.estimated_cost_usd,
        made.unpriced_models,
        made.prices,
    )
    assert ("skill", "sha256:1") == (made.condition.arm, made.condition.arm_hash)


def test_a_pass_costs_what_all_attempts_of_its_cell_did():
    runs = [
        result("passed", estimated_cost_usd=0.5),
        result("docs_gap", estimated_cost_usd=0.25),
        result("infra_error", estimated_cost_usd=0.05),
        result("passed", estimated_cost_usd=0.2),
    ]
    (cell,) = suite_result(runs, created=1.0).cells

    assert (1.0, 0.5) == (cell.estimated_cost_usd, cell.cost_per_pass_usd)


@pytest.mark.parametrize(
    "runs",
    [
        [result("docs_gap", estimated_cost_usd=0.5)],
        [
            result("passed", estimated_cost_usd=0.5),
            result("passed", estimated_cost_usd=None, unpriced_models=["b"]),
        ],
    ],
    ids=["no pass", "no price"],
)
def test_without_a_pass_or_a_price_there_is_no_cost_per_pass(runs):
    (cell,) = suite_result(runs, created=1.0).cells

    assert cell.cost_per_pass_usd is None


def test_arms_and_their_contents_are_never_pooled():
    arms = [("docs", None), ("no-docs", None), ("skill", "sha256:1"), ("skill", "sha256:2")]
    runs = [result("passed", arm=arm, arm_hash=digest) for arm, digest in arms * 2]

    assert [(*arm, 2) for arm in arms] == [
        (cell.arm, cell.arm_hash, cell.attempts) for cell in suite_result(runs, created=1.0).cells
    ]


def test_a_call_says_how_far_it_came():
    facts = CallFacts(planned=3, stopped="max_spend", max_spend_usd=2.0)
    turn = {"turns": 1, "tokens": Usage(input_tokens=1)}
    source = PriceSource(source="a", date=None)
    runs = [
        result("passed", estimated_cost_usd=1.0, prices=source, **turn),
        result("passed", estimated_cost_usd=0.5, prices=source, **turn),
    ]
    suite = suite_result(runs, created=1.0, call=facts)

    assert (3, "max_spend", 2.0, 1.5, [source]) == (
        suite.attempts_planned,
        suite.stopped,
        suite.max_spend_usd,
        suite.estimated_cost_usd,
        suite.prices,
    )


@pytest.mark.parametrize(
    ("runs", "code"),
    [
        ([("passed", "docs"), ("docs_gap", "no-docs")], 0),
        ([("docs_gap", "docs"), ("passed", "no-docs")], 1),
        ([("infra_error", "docs"), ("passed", "no-docs")], 2),
        ([("docs_gap", "no-docs")], 1),
        ([("passed", "no-docs")], 0),
        ([("docs_gap", "skill"), ("passed", "docs")], 1),
    ],
)
def test_what_fails_without_documentation_is_no_gap_in_it(runs, code):
    assert code == exit_code(result(name, arm=arm) for name, arm in runs)
