"""Attempts on disk win over tables that a killed call did not bring up to date."""

from __future__ import annotations

import pytest

from fakes.results_folders import key_of, lost, made_of, write_call
from quickstarted.records.left_behind import left_behind
from quickstarted.results import GateRule, SuiteResult


@pytest.fixture(name="plan")
def _plan():
    return made_of(key_of(number) for number in (1, 2, 3))


def document_of(out):
    return SuiteResult.model_validate_json((out / "results.json").read_text())


def test_the_tables_of_a_call_that_has_ended_are_its_results(tmp_path, plan):
    write_call(tmp_path, plan, plan)
    assert left_behind(tmp_path, document_of(tmp_path)) is None


def test_attempts_that_the_tables_do_not_have_are_read(tmp_path, plan):
    write_call(tmp_path, plan, plan)
    document = document_of(tmp_path)
    left = left_behind(tmp_path, document.model_copy(update={"runs": document.runs[:1]}))

    assert [1, 2, 3] == [run.attempt for run in left.suite.runs]
    assert (3, []) == (left.suite.attempts_planned, left.problems)


def test_an_attempt_that_was_made_again_after_the_tables_is_read(tmp_path, plan):
    write_call(tmp_path, plan, plan)
    document = document_of(tmp_path)
    runs = [*document.runs[:2], lost(plan[2]).result()]
    (tmp_path / ".lock").write_text('{"pid": 1}')
    left = left_behind(tmp_path, document.model_copy(update={"runs": runs}))

    assert ["passed"] * 3 == [run.classification.value for run in left.suite.runs]


def test_tables_that_have_all_of_a_call_that_is_still_running_stay(tmp_path, plan):
    write_call(tmp_path, plan, plan)
    (tmp_path / ".lock").write_text('{"pid": 1}')

    assert left_behind(tmp_path, document_of(tmp_path)) is None


def test_what_the_call_did_not_name_does_not_count(tmp_path, plan):
    other = made_of([key_of(task="other")])[0]
    write_call(tmp_path, plan, plan)
    other.write(tmp_path)
    document = document_of(tmp_path)
    left = left_behind(tmp_path, document.model_copy(update={"runs": []}))

    assert {"flask"} == {run.task for run in left.suite.runs}


def test_without_tables_all_that_is_there_counts(tmp_path, plan):
    write_call(tmp_path, plan, plan, make=plan[:2])
    (tmp_path / "results.json").unlink()

    assert [1, 2] == [run.attempt for run in left_behind(tmp_path, None).suite.runs]
    (tmp_path / "call.json").unlink()
    assert [1, 2] == [run.attempt for run in left_behind(tmp_path, None).suite.runs]


def test_where_there_is_nothing_nothing_is_left(tmp_path):
    assert left_behind(tmp_path, None) is None
    assert left_behind(tmp_path / "not there", None) is None


@pytest.mark.parametrize(("shard", "judged"), [(None, True), ((1, 1), False)])
def test_cells_are_judged_as_the_call_would_have(tmp_path, plan, shard, judged):
    rule = GateRule(min_pass_rate=1.0)
    write_call(tmp_path, plan, plan, gate=rule, shard=shard)
    (tmp_path / "results.json").unlink()
    suite = left_behind(tmp_path, None).suite

    assert rule == suite.gate
    assert judged == (suite.cells[0].gate is not None)
