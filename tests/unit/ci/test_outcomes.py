"""What is read of a results folder to tell of its attempts."""

import pytest

from fakes.attempts import docs_fetch, tool_call, tool_result
from fakes.ci_results import ResultsFolder
from quickstarted.ci.outcomes import TaskFile, read_outcomes
from quickstarted.figures import gated, rule_for

RECORD = {
    "task_path": "tasks/flask.yaml",
    "task_source": "name: flask",
    "docs_sites": {"https://docs.example/": "/site"},
    "a_field_of_another_version": 1,
}


def read(folder):
    return read_outcomes(folder.suite, folder.out)


def test_a_failed_attempt_says_what_to_look_at(tmp_path):
    folder = ResultsFolder(tmp_path)
    events = [tool_call("make x"), tool_result(2, output="no rule"), tool_call("ls"), tool_result()]
    folder.gap(events)
    (outcome,) = read(folder)

    assert "make x" == outcome.failed_command
    assert "  failed:    $ make x  exit 2: no rule" in outcome.lines
    assert f"  the run:   quickstarted show {tmp_path}/flask/replay/1" in outcome.lines


def test_pages_stand_in_the_order_of_their_last_reading(tmp_path):
    folder = ResultsFolder(tmp_path)
    folder.gap([docs_fetch(f"https://docs.example/{name}") for name in ("a", "b", "a")])

    assert ["b", "a"] == [page.url[-1] for page in read(folder)[0].pages]


def test_the_name_of_an_attempt_says_all_that_tells_it_apart(tmp_path):
    folder = ResultsFolder(tmp_path)
    folder.add(start={"agent": "claude", "affordance_policy": "none", "attempt": 2})

    assert "flask by claude, affordances none #2" == read(folder)[0].name


def test_the_task_is_known_from_the_record_of_the_first_attempt_of_its_cell(tmp_path):
    folder = ResultsFolder(tmp_path)
    folder.add(record=RECORD)
    folder.add(start={"attempt": 2})
    expected = TaskFile(
        path="tasks/flask.yaml", text="name: flask", sites={"https://docs.example/": "/site"}
    )

    assert [expected, expected] == [outcome.task_file for outcome in read(folder)]


def test_what_is_missing_or_broken_is_done_without(tmp_path):
    folder = ResultsFolder(tmp_path)
    folder.gap([tool_call("make x"), tool_result(2)])
    folder.gap([], start={"attempt": 2}, record=[])
    folder.gap([tool_call("make x"), tool_result(2)], start={"attempt": 3})
    (tmp_path / folder.runs[0].trace).unlink()
    torn = tmp_path / folder.runs[2].trace
    torn.write_bytes(torn.read_bytes()[:-20])
    (torn.parent / "run.json").write_text("{")
    first, second, third = read(folder)

    assert "[FAIL docs_gap] flask" in first.lines[0]
    assert "the documentation did not lead" in first.lines[1]
    assert TaskFile() == first.task_file == second.task_file == third.task_file
    assert "make x" == third.failed_command


def test_an_attempt_that_passed_is_a_headline_and_its_trace_is_not_read(tmp_path):
    folder = ResultsFolder(tmp_path)
    folder.add([docs_fetch()])
    (tmp_path / folder.runs[0].trace).write_text("not a trace")
    (outcome,) = read(folder)

    assert (1, ()) == (len(outcome.lines), outcome.pages)


def counted(folder, suite=None):
    return [outcome.is_gap for outcome in read_outcomes(suite or folder.suite, folder.out)]


def test_without_documentation_a_failure_counts_only_where_nothing_had_any(tmp_path):
    alone, beside = ResultsFolder(tmp_path / "alone"), ResultsFolder(tmp_path / "beside")
    for folder in (alone, beside):
        folder.gap(start={"arm": "no-docs"})
    beside.gap()

    assert [[True], [False, True]] == [counted(alone), counted(beside)]


def test_where_cells_are_held_to_a_rate_only_those_below_it_fail(tmp_path):
    folder = ResultsFolder(tmp_path)
    for task, gaps in (("good", 1), ("bad", 8)):
        for number in range(1, 11):
            make = folder.gap if number <= gaps else folder.add
            make(start={"task": task, "attempt": number})
    suite = gated(folder.suite, rule_for(0.9))

    assert [0, 8] == [sum(counted(folder, suite)[start : start + 10]) for start in (0, 10)]


def test_a_shard_judges_no_cell_by_its_rate(tmp_path):
    folder = ResultsFolder(tmp_path)
    folder.gap()

    assert [False] == counted(folder, folder.suite.model_copy(update={"gate": rule_for(0.9)}))


@pytest.mark.parametrize("absolute", [True, False])
def test_a_document_of_strangers_names_no_file_outside_its_folder(tmp_path, absolute):
    secret = ResultsFolder(tmp_path / "elsewhere")
    run = secret.gap([tool_call("a secret command"), tool_result(1)], record=RECORD)
    mine = ResultsFolder(tmp_path / "mine")
    outside = tmp_path / "elsewhere" / run.trace
    named = str(outside) if absolute else f"../elsewhere/{run.trace}"
    mine.runs = [run.model_copy(update={"trace": named})]
    (outcome,) = read(mine)

    assert ("", TaskFile()) == (outcome.failed_command, outcome.task_file)
    assert "secret" not in "".join(outcome.lines)
