import pytest

from fakes.attempts import result
from quickstarted.results import PassesOfK, TryResult, cell_result


def test_attempts_of_different_models_are_not_one_number():
    runs = [
        result("passed", models_reported=["a"]),
        result("passed", models_reported=["a"]),
        result("docs_gap", models_reported=["b"], turns=9, estimated_cost_usd=1.0),
    ]
    cell = cell_result(runs)

    assert (cell.pass_rate, cell.interval, cell.effort.turns) == (None, None, None)
    assert cell.cost_per_pass_usd is None
    assert (cell.evidential_runs, cell.passes) == (3, 2)
    assert [(one.models_reported, one.passes, one.evidential_runs) for one in cell.by_models] == [
        (["a"], 2, 2),
        (["b"], 0, 1),
    ]
    assert cell.by_models[1].interval == pytest.approx((0.0, 0.793450685623))
    assert {one.refused for one in cell.of_k} == {"the attempts report different models"}


def test_what_a_lost_attempt_reports_mixes_nothing():
    runs = [
        result("passed", models_reported=["a"]),
        result("infra_error", models_reported=["b"]),
        result("infra_error", models_reported=[]),
    ]
    cell = cell_result(runs)

    assert (cell.pass_rate, cell.by_models) == (1.0, [])


def test_k_attempts_are_refused_where_too_few_gave_evidence():
    runs = [result("passed"), result("docs_gap"), result("infra_error"), result("infra_error")]

    assert cell_result(runs).of_k == [
        PassesOfK(k=2, pass_at_k=1.0, pass_hat_k=0.0),
        PassesOfK(
            k=3,
            pass_at_k=None,
            pass_hat_k=None,
            refused="2 of 4 attempts gave evidence, and it takes 3",
        ),
    ]


def test_one_attempt_says_nothing_of_several():
    assert cell_result([result("passed")]).of_k == []


@pytest.mark.parametrize(
    ("runs", "expected"),
    [
        ([], []),
        ([("docs_gap", "a b")], []),
        ([("passed", "a b")], []),
        ([("docs_gap", "a b"), ("docs_gap", "b c")], ["b"]),
        ([("docs_gap", "a b"), ("passed", "a")], ["b"]),
        ([("docs_gap", "a b"), ("passed", "a b")], []),
        # Of two shared pages, that comes first which fewer passing attempts have read.
        (
            [("docs_gap", "a b c"), ("docs_gap", "a b"), ("passed", "a"), ("passed", "")],
            ["b", "a"],
        ),
        ([("docs_gap", "b a"), ("docs_gap", "a b")], ["b", "a"]),
        # Attempts without evidence say nothing of pages.
        ([("docs_gap", "a"), ("infra_error", "a"), ("budget_exhausted", "a")], []),
        ([("docs_gap", ""), ("docs_gap", "a")], []),
    ],
)
def test_suspect_are_pages_that_failed_attempts_share_and_passing_ones_do_not(runs, expected):
    made = [result(name, docs_pages=pages.split()) for name, pages in runs]

    assert expected == (cell_result(made).suspect_pages if made else [])


@pytest.mark.parametrize(("lost", "expected"), [(0.5, (1.5, 0.75)), (None, (None, None))])
def test_lost_tries_are_paid_for_too(lost, expected):
    tried = TryResult(
        classification="infra_error",
        fault=None,
        started=1.0,
        duration_seconds=1.0,
        estimated_cost_usd=lost,
        trace="t/1.1/trace.jsonl",
    )
    runs = [
        result("passed", estimated_cost_usd=0.75, earlier_tries=[tried]),
        result("passed", estimated_cost_usd=0.25),
    ]
    cell = cell_result(runs)

    assert expected == (cell.estimated_cost_usd, cell.cost_per_pass_usd)
