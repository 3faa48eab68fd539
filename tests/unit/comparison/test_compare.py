import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.attempts import result
from quickstarted.comparison import Comparison, compare
from quickstarted.figures import SequentialPlan, gated, rule_for
from quickstarted.results import CallFacts, suite_result

NAMES = {"p": "passed", "f": "docs_gap", "i": "infra_error", "s": "skipped"}


def suite(**cells):
    """Outcomes of attempts by task."""
    return suite_result(
        [
            result(NAMES[letter], task=task, attempt=number)
            for task, outcomes in cells.items()
            for number, letter in enumerate(outcomes, 1)
        ],
        created=1.0,
    )


def test_a_cell_has_its_rates_their_difference_and_what_could_be_shown():
    cell = compare(suite(t="pppff"), suite(t="pppppi")).cells[0]

    assert (cell.before.pass_rate, cell.after.pass_rate) == (0.6, 1.0)
    assert (cell.after.evidential_runs, cell.after.attempts) == (5, 6)
    assert cell.difference == pytest.approx(0.4)
    assert cell.interval == pytest.approx((-0.1182, 0.7693), abs=1e-4)
    assert cell.p_value == cell.p_adjusted == pytest.approx(0.4444, abs=1e-4)
    assert (cell.shown, cell.detectable) == ("no_difference", 0.835)


def test_more_cells_need_more_to_be_shown():
    before, after = {"a": "ppppp", "b": "ppppp"}, {"a": "fffff", "b": "ppppp"}
    alone = compare(suite(a=before["a"]), suite(a=after["a"])).cells[0]
    beside = compare(suite(**before), suite(**after)).cells[0]

    assert beside.p_value == alone.p_value == pytest.approx(2 / 252)
    assert beside.p_adjusted == pytest.approx(4 / 252)
    assert (alone.shown, beside.shown) == ("worse", "worse")
    crowd = {f"t{n}": "ppppp" for n in range(6)}
    assert compare(suite(**before, **crowd), suite(**after, **crowd)).cells[0].shown == (
        "no_difference"
    )


def test_what_no_task_shows_by_itself_all_of_them_may():
    tasks = [f"t{n}" for n in range(8)]
    found = compare(suite(**dict.fromkeys(tasks, "ppp")), suite(**dict.fromkeys(tasks, "pff")))

    assert {cell.shown for cell in found.cells} == {"no_difference"}
    assert [(one.tasks, one.shown) for one in found.groups] == [(8, "worse")]
    assert found.groups[0].difference == pytest.approx(-2 / 3)
    assert found.is_worse


def test_tasks_of_different_models_are_not_put_together():
    def made(outcome):
        return suite_result(
            [
                result(outcome, task=task, models_reported=[model])
                for task, model in (("a", "x"), ("b", "x"), ("c", "y"))
            ],
            created=1.0,
        )

    groups = compare(made("passed"), made("docs_gap")).groups

    assert [(one.group.models_reported, one.tasks) for one in groups] == [(["x"], 2)]


def test_cells_without_a_counterpart_or_evidence_are_listed():
    found = compare(suite(a="p", b="i", c="p"), suite(b="p", c="p", d="p"))

    assert [cell.task for cell in found.only_before] == ["a"]
    assert [cell.task for cell in found.only_after] == ["d"]
    assert [cell.cell.task for cell in found.without_evidence] == ["b"]
    assert [cell.cell.task for cell in found.compared] == ["c"]


def test_a_cell_of_another_model_is_refused_and_the_others_are_not():
    def made(model):
        runs = [result(task="a", models_reported=[model]), result(task="b")]
        return suite_result(runs, created=1.0)

    found = compare(made("x"), made("y"))

    assert [cell.cell.task for cell in found.refused] == ["a"]
    assert found.refused[0].difference is None
    assert [cell.cell.task for cell in found.compared] == ["b"]


def test_without_documentation_nothing_is_the_documentation_s_fault():
    def made(docs, without):
        runs = [
            *(result(docs, attempt=n) for n in range(1, 11)),
            *(result(without, attempt=n, arm="no-docs") for n in range(1, 11)),
        ]
        return suite_result(runs, created=1.0)

    found = compare(made("passed", "passed"), made("passed", "docs_gap"))

    assert [cell.shown for cell in found.cells] == ["no_difference", "worse"]
    assert not found.is_worse


def test_what_differs_and_is_no_reason_not_to_compare_is_noted():
    def made(version):
        return suite_result([result(harness_version=version)], created=1.0)

    assert compare(made("0.6"), made("0.7")).notes == [
        "the version of quickstarted differs: 0.6 before, 0.7 after"
    ]


def test_a_run_that_was_stopped_and_one_that_was_repeated_until_decided_are_noted():
    stopped = suite_result(
        [result()], created=1.0, call=CallFacts(planned=5, stopped="interrupted")
    )
    decided = gated(suite_result([result()], created=1.0), rule_for(0.9, SequentialPlan(0.9)))

    early, until_decided = compare(stopped, decided).notes

    assert early == "the run before was stopped (interrupted) with 4 attempts not made"
    assert until_decided.startswith("the attempts after were repeated until decided")


outcomes = st.dictionaries(
    st.sampled_from("abcd"), st.text("pfis", min_size=1, max_size=7), max_size=4
)
MIRROR = {"better": "worse", "worse": "better", "no_difference": "no_difference", None: None}


@given(outcomes, outcomes)
@settings(max_examples=60, deadline=None)
def test_exchanged_runs_give_the_mirrored_comparison(one, other):
    there, back = compare(suite(**one), suite(**other)), compare(suite(**other), suite(**one))
    mirrored = {cell.cell: cell for cell in back.cells}

    assert (there.only_before, there.only_after) == (back.only_after, back.only_before)
    for cell in there.cells:
        exchanged = mirrored[cell.cell]
        assert (cell.before, cell.after) == (exchanged.after, exchanged.before)
        assert cell.p_adjusted == pytest.approx(exchanged.p_adjusted)
        assert cell.shown == MIRROR[exchanged.shown]
        assert cell.detectable == exchanged.detectable
        if cell.difference is not None:
            assert cell.difference == pytest.approx(-exchanged.difference)
            assert cell.interval == pytest.approx(tuple(-end for end in exchanged.interval[::-1]))


@given(outcomes, outcomes)
@settings(max_examples=60, deadline=None)
def test_whatever_was_run_makes_a_document_of_plain_json(one, other):
    found = compare(suite(**one), suite(**other))
    text = found.model_dump_json()

    json.loads(text, parse_constant=pytest.fail)
    assert Comparison.model_validate_json(text) == found


def test_a_run_compared_with_itself_has_changed_in_nothing():
    found = compare(suite(a="pppff", b="fffff"), suite(a="pppff", b="fffff"))

    assert [(cell.difference, cell.p_value) for cell in found.cells] == [(0, 1), (0, 1)]
    assert {change.difference for cell in found.cells for change in cell.effort} <= {0, None}
    assert not found.is_worse
    assert not found.is_better
