import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.attempts import result
from quickstarted.condition import Condition
from quickstarted.errors import StorageFault
from quickstarted.results import (
    AttemptKey,
    ResultsDir,
    RunRecord,
    RunResult,
    SetAside,
    safe_name,
    suite_result,
)
from quickstarted.results.layout import place_of, rebased


def test_a_single_attempt_lies_in_the_task_s_folder(tmp_path):
    folder = ResultsDir(tmp_path / "out").attempt("flask", "claude:m", 1)

    assert tmp_path / "out/flask/trace.jsonl" == folder.trace
    assert folder.path.is_dir()


def test_several_lie_one_depth_for_all_of_them(tmp_path):
    results = ResultsDir(tmp_path, nested=True)

    assert tmp_path / "flask/claude@m/3" == results.attempt("flask", "claude:m", 3).path
    assert tmp_path / "flask/replay/1" == results.attempt("flask", "replay", 1).path


def test_the_agent_s_folder_names_a_condition_other_than_the_default(tmp_path):
    results = ResultsDir(tmp_path, nested=True)
    none = Condition(affordances="none")

    assert tmp_path / "flask/claude/1" == results.attempt("flask", "claude", 1, Condition()).path
    assert (
        tmp_path / "flask/claude+affordances-none/1"
        == results.attempt("flask", "claude", 1, none).path
    )


def test_an_older_result_is_kept_aside_and_never_overwritten(tmp_path):
    results = ResultsDir(tmp_path)
    kept = []
    for text in ("first", "second", "third"):
        kept += results.set_aside(["flask"])
        results.attempt("flask", "replay", 1).trace.write_text(text)

    assert [
        SetAside(tmp_path / "flask", tmp_path / "flask.1"),
        SetAside(tmp_path / "flask", tmp_path / "flask.2"),
    ] == kept
    assert [
        (tmp_path / name / "trace.jsonl").read_text() for name in ("flask.1", "flask.2", "flask")
    ] == ["first", "second", "third"]


def test_only_what_the_new_run_would_write_is_moved(tmp_path):
    for name in ("flask", "django"):
        ResultsDir(tmp_path).attempt(name, "replay", 1).trace.touch()
    (tmp_path / "results.json").write_text("{}")
    (tmp_path / "notes.txt").write_text("mine")
    ResultsDir(tmp_path).set_aside(["flask", "flask"])

    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "django",
        "flask.1",
        "notes.txt",
        "results.json.1",
    ]


def test_nothing_is_there_so_nothing_is_moved(tmp_path):
    assert ResultsDir(tmp_path / "new").set_aside(["flask"]) == []


def test_a_folder_that_holds_a_trace_is_not_taken(tmp_path):
    results = ResultsDir(tmp_path)
    results.attempt("flask", "replay", 1).trace.touch()
    with pytest.raises(StorageFault, match="give each its own --out"):
        results.attempt("flask", "replay", 1)


def test_a_file_in_the_way_is_named(tmp_path):
    (tmp_path / "out").write_text("a file")
    with pytest.raises(StorageFault, match="cannot write"):
        ResultsDir(tmp_path / "out").attempt("flask", "replay", 1)


@pytest.mark.parametrize(
    ("agent", "expected"),
    [
        ("replay", "replay"),
        ("claude:claude-x-4.5", "claude@claude-x-4.5"),
        ("claude-code", "claude-code"),
    ],
)
def test_names_of_agents_stay_readable(agent, expected):
    assert expected == safe_name(agent)


@given(st.text(st.characters(), min_size=1, max_size=300))
def test_any_agent_has_a_folder_name_that_every_file_system_takes(agent):
    name = safe_name(agent)

    assert 0 < len(name) <= 80
    assert name.isascii()
    assert not set(name) & set('/\\:*?"<>| \n\0')
    assert not name.startswith((".", "-"))
    assert not name.endswith(".")


@given(st.lists(st.text("ab:/@-. ", min_size=1, max_size=6), min_size=2, max_size=2, unique=True))
def test_two_agents_never_share_a_folder(agents):
    first, second = agents

    assert safe_name(first) != safe_name(second)


def test_results_and_tables_are_written_beside_each_other(tmp_path):
    results = ResultsDir(tmp_path)
    folder = results.attempt("flask", "replay", 1)
    suite = suite_result([result(trace=results.relative(folder.trace))], created=1.0)
    results.write_suite(suite, "# Results\n")

    document = json.loads((tmp_path / "results.json").read_text())
    assert (document["schema_version"], document["runs"][0]["trace"]) == (1, "flask/trace.jsonl")
    assert (tmp_path / "suite.md").read_text() == "# Results\n"


def test_what_is_needed_to_run_again_is_beside_the_trace(tmp_path):
    record = RunRecord(
        harness_version="0.1.0",
        task="flask",
        task_path="tasks/flask.yaml",
        task_source="name: flask\n",
        check_source="true\n",
        agent="replay",
        model=None,
        attempt=1,
        affordance_policy="all",
        prompt_hash=None,
        backend="docker",
        enforced=True,
        policy={"allow": [], "docs_hosts": [], "private_hosts": []},
        image="python:3.13-slim",
        image_id="sha256:1",
        image_digest=None,
        architecture="amd64",
        docs_sites={},
        resources={"pids": 1000},
        budgets={"max_turns": 20},
    )
    folder = ResultsDir(tmp_path).attempt("flask", "replay", 1)
    folder.write_run(record)
    folder.write_report("# flask\n")

    assert record == RunRecord.model_validate_json((folder.path / "run.json").read_text())
    assert folder.report.read_text() == "# flask\n"


def test_an_attempts_own_result_names_its_files_from_where_it_is(tmp_path):
    results = ResultsDir(tmp_path, nested=True)
    folder = results.attempt("flask", "replay", 1)
    lost = result().as_try("flask/replay/1.1/trace.jsonl")
    made = result().model_copy(
        update={"trace": "flask/replay/1/trace.jsonl", "earlier_tries": [lost], "tries": 2}
    )
    folder.write_result(made)
    own = RunResult.model_validate_json(folder.result.read_bytes())

    assert ("trace.jsonl", ["../1.1/trace.jsonl"]) == (
        own.trace,
        [one.trace for one in own.earlier_tries],
    )
    assert made == rebased(own, "flask/replay/1/trace.jsonl")


def test_where_an_attempt_lies_is_said_without_making_it():
    key = AttemptKey("flask", "claude:m", "none", "skill", 3)

    assert ("flask", "flask/claude@m+affordances-none+skill/3") == (
        place_of(key, nested=False),
        place_of(key, nested=True),
    )
