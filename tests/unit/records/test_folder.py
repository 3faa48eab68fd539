"""What a call finds in its results folder, and what of it counts with `--resume`."""

import json
from dataclasses import replace

import pytest

from fakes.records import TWO_TASKS as PLANS
from fakes.records import below, opened
from fakes.results_folders import RUN_ID, cut_short, key_of, lost, made_of, write_all
from quickstarted.records import Opening, open_folder, read_call


@pytest.mark.parametrize("make", [lambda _: None, lambda out: out.mkdir()])
def test_with_nothing_to_go_on_with_everything_is_made(tmp_path, make):
    out = tmp_path / "out"
    make(out)
    folder = opened(out)

    assert (PLANS, [], {}, []) == (folder.missing, folder.done, folder.tries, folder.notes)


def test_what_is_whole_counts_and_the_rest_is_made_in_the_order_of_the_plan(tmp_path):
    write_all(tmp_path, [PLANS[3], PLANS[0]])
    folder = opened(tmp_path)

    assert [PLANS[1], PLANS[2]] == folder.missing
    assert [
        PLANS[0].result("flask/replay/1/trace.jsonl"),
        PLANS[3].result("django/replay/2/trace.jsonl"),
    ] == folder.done


def test_without_resume_what_is_there_is_kept_aside(tmp_path):
    write_all(tmp_path, PLANS)
    (tmp_path / "results.json").write_text("{}")
    folder = opened(tmp_path, resume=False)
    kept = ", ".join(str(tmp_path / name) for name in ("flask.1", "django.1", "results.json.1"))

    assert (PLANS, [], [f"earlier results are kept as {kept}"]) == (
        folder.missing,
        folder.done,
        folder.notes,
    )
    assert not (tmp_path / "flask").exists()


@pytest.mark.parametrize(
    "made",
    [
        cut_short(PLANS[0]),
        replace(PLANS[0], ending={"stop_reason": "max_spend", "classification": "skipped"}),
    ],
    ids=["interrupted", "max_spend"],
)
def test_an_attempt_that_ended_because_its_call_did_is_kept_aside_and_made(tmp_path, made):
    made.write(tmp_path)
    folder = opened(tmp_path)

    assert (PLANS, {}) == (folder.missing, folder.tries)
    assert ["flask/replay/1.1"] == below(tmp_path)


@pytest.mark.parametrize(
    "ending",
    [
        {"stop_reason": "nothing_to_run", "classification": "skipped", "passed": None},
        {"stop_reason": "fault", "classification": "harness_error", "passed": None},
        {"stop_reason": "completed", "classification": "docs_gap", "passed": False},
        {"stop_reason": "fault", "classification": "infra_error", "passed": None},
    ],
    ids=lambda ending: ending["classification"],
)
def test_any_other_ending_counts(tmp_path, ending):
    replace(PLANS[0], ending=ending).write(tmp_path)

    assert [ending["classification"]] == [run.classification for run in opened(tmp_path).done]


def test_what_is_not_whole_is_kept_aside_under_the_next_free_number(tmp_path):
    for name in ("1", "1.1"):
        PLANS[0].write_at(tmp_path / f"flask/replay/{name}", ["result.json", "run.json"])
    folder = opened(tmp_path)

    assert PLANS == folder.missing
    assert ["flask/replay/1.1", "flask/replay/1.2"] == below(tmp_path)
    assert not folder.results.attempt("flask", "replay", 1).trace.exists()


@pytest.mark.parametrize("name", ["result.json", "run.json"])
def test_a_damaged_file_is_told_of_and_its_attempt_is_made_again(tmp_path, name):
    folder = PLANS[0].write(tmp_path)
    (folder.path / name).write_text('{"schema_version": 1')
    found = opened(tmp_path)

    assert PLANS == found.missing
    assert [f"flask/replay/1: {name} is not whole; it counts as not made"] == found.notes
    assert ["flask/replay/1.1"] == below(tmp_path)


@pytest.mark.parametrize("without", [(), ("result.json",), ("result.json", "run.json")])
def test_what_is_of_another_task_gives_way(tmp_path, without):
    (other,) = made_of([key_of(task="other")])
    other.write_at(tmp_path / "flask/replay/1", without)
    folder = opened(tmp_path)

    assert PLANS == folder.missing
    assert ["flask/replay/1.1"] == below(tmp_path)
    assert folder.results.attempt("flask", "replay", 1).path.is_dir()


def test_a_task_may_be_called_as_an_older_result_is(tmp_path):
    PLANS[0].write_at(tmp_path / "flask.1")
    (plan,) = made_of([key_of(task="flask.1")])
    folder = opened(tmp_path, [plan], nested=False)

    assert [plan] == folder.missing
    assert ["flask.1.1"] == below(tmp_path)


def test_an_attempt_whose_process_was_killed_before_its_result_is_adopted(tmp_path):
    attempt = PLANS[0].write(tmp_path, without=["result.json"])
    folder = opened(tmp_path)

    assert [attempt] == folder.adopted
    assert ["1 attempt had no result yet; it was made from the trace"] == folder.notes
    assert PLANS[0].result().model_dump(mode="json") == json.loads(attempt.result.read_bytes())
    assert (folder.done, []) == (opened(tmp_path).done, opened(tmp_path).adopted)


def test_attempts_that_are_no_longer_planned_are_kept_and_not_counted(tmp_path):
    write_all(tmp_path, made_of([key_of(number) for number in range(1, 6)]))
    folder = opened(tmp_path, PLANS[:1])

    assert ([], 1) == (folder.missing, len(folder.done))
    assert [
        (
            "no part of this call, so kept and not counted: 4 attempts (flask, replay, attempt 2;"
            " flask, replay, attempt 3; flask, replay, attempt 4; and 1 more)"
        )
    ] == folder.notes
    assert len(below(tmp_path)) == 5


class TestDepths:
    """A call with more attempts than the one before it."""

    def test_a_single_finished_attempt_counts_where_it_is(self, tmp_path):
        PLANS[0].write(tmp_path, nested=False)
        folder = opened(tmp_path)

        assert ["flask/trace.jsonl"] == [run.trace for run in folder.done]
        assert tmp_path / "flask/replay/2" == folder.results.attempt("flask", "replay", 2).path

    def test_a_single_unfinished_one_gives_way(self, tmp_path):
        PLANS[0].write(tmp_path, nested=False, without=["result.json", "run.json"])
        opened(tmp_path)

        assert ["flask.1"] == below(tmp_path)

    def test_a_single_one_joins_those_that_lie_deeper(self, tmp_path):
        write_all(tmp_path, PLANS[:1])
        folder = opened(tmp_path, [PLANS[0], PLANS[1]], nested=False)

        assert tmp_path / "django/replay/1" == folder.results.attempt("django", "replay", 1).path

    def test_one_of_another_agent_stays_where_it_is(self, tmp_path):
        PLANS[0].write(tmp_path, nested=False)
        (other,) = made_of([key_of(agent="claude")])
        folder = opened(tmp_path, [other], nested=False)

        assert [other] == folder.missing
        assert ["flask"] == below(tmp_path)
        assert tmp_path / "flask/claude/1" == folder.results.attempt("flask", "claude", 1).path

    def test_one_without_anything_beside_it_lies_in_its_tasks_folder(self, tmp_path):
        folder = opened(tmp_path, PLANS[:1], nested=False)

        assert tmp_path / "flask" == folder.results.attempt("flask", "replay", 1).path


class TestTries:
    """Attempts that were lost to infrastructure."""

    def test_one_with_tries_left_is_made_again_and_keeps_its_tries(self, tmp_path):
        lost(PLANS[0]).write(tmp_path)
        folder = opened(tmp_path, retries=1)

        assert PLANS == folder.missing
        assert [("infra_error", "flask/replay/1.1/trace.jsonl")] == [
            (one.classification, one.trace) for one in folder.tries[PLANS[0].key]
        ]

    def test_one_without_any_left_counts(self, tmp_path):
        replace(lost(PLANS[0]), of_result={"tries": 2}).write(tmp_path)

        assert PLANS[1:] == opened(tmp_path, retries=1).missing

    def test_an_adopted_attempt_keeps_the_tries_before_it(self, tmp_path):
        with open_folder(Opening(out=tmp_path, plans=PLANS, run_id=RUN_ID, backend="docker")):
            lost(PLANS[0]).write_at(tmp_path / "flask/replay/1.1")
            PLANS[0].write(tmp_path, without=["result.json"])
        for _ in range(2):
            (run,) = opened(tmp_path, retries=1).done

            assert (2, ["flask/replay/1.1/trace.jsonl"]) == (
                run.tries,
                [one.trace for one in run.earlier_tries],
            )

    def test_tries_that_a_killed_call_has_lost_are_not_forgotten(self, tmp_path):
        with open_folder(Opening(out=tmp_path, plans=PLANS, run_id=RUN_ID, backend="docker")):
            lost(PLANS[0]).write_at(tmp_path / "flask/replay/1.1")
            PLANS[0].write(tmp_path, without=["result.json", "run.json"])
        replace(lost(PLANS[0]), run_id="older").write_at(tmp_path / "flask/replay/1.2")
        folder = opened(tmp_path, retries=1)

        assert ["flask/replay/1.1/trace.jsonl"] == [one.trace for one in folder.tries[PLANS[0].key]]
        assert [RUN_ID] == read_call(tmp_path).earlier_run_ids
        assert folder.tries == opened(tmp_path, retries=1, run_id="r3").tries


def test_a_clock_that_was_set_back_between_attempts_changes_nothing(tmp_path):
    started = (2e9, 1e9, 3.0, 1.5e9)
    write_all(tmp_path, [replace(one, started=at) for one, at in zip(PLANS, started, strict=True)])
    folder = opened(tmp_path)

    assert [plan.key for plan in PLANS] == [run.key for run in folder.done]
    assert list(started) == [run.started for run in folder.done]
