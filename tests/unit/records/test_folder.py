"""What a call finds in its results folder, and what of it counts with `--resume`."""

import json
import os
from dataclasses import replace

import pytest

from fakes.results_folders import (
    IMAGE_ID,
    RUN_ID,
    Made,
    cut_short,
    key_of,
    lost,
    made_of,
    write_all,
)
from quickstarted.errors import ImageFault, UsageError
from quickstarted.records import Opening, open_folder, read_call

PLANS = made_of([key_of(number, task=task) for number in (1, 2) for task in ("flask", "django")])


def opened(out, plans=PLANS, **fields):
    """What the folder says once it is open."""
    usual = {"run_id": "r2", "backend": "docker", "nested": True, "resume": True}
    with open_folder(Opening(out=out, plans=plans, **(usual | fields))) as folder:
        return folder


def below(out):
    return sorted(path.parent.relative_to(out).as_posix() for path in out.rglob("trace.jsonl"))


def refused(out, plans, **fields):
    before = below(out)
    with pytest.raises(UsageError) as caught:
        opened(out, plans, **fields)
    assert before == below(out), "nothing is touched"
    assert caught.value.exit_code == 3
    return caught.value.message


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

    def test_tries_that_a_killed_call_has_lost_are_not_forgotten(self, tmp_path):
        with open_folder(Opening(out=tmp_path, plans=PLANS, run_id=RUN_ID, backend="docker")):
            lost(PLANS[0]).write_at(tmp_path / "flask/replay/1.1")
            PLANS[0].write(tmp_path, without=["result.json", "run.json"])
        replace(lost(PLANS[0]), run_id="older").write_at(tmp_path / "flask/replay/1.2")
        folder = opened(tmp_path, retries=1)

        assert ["flask/replay/1.1/trace.jsonl"] == [one.trace for one in folder.tries[PLANS[0].key]]
        assert [RUN_ID] == read_call(tmp_path).earlier_run_ids
        assert folder.tries == opened(tmp_path, retries=1, run_id="r3").tries


@pytest.mark.parametrize(
    ("then", "now", "said"),
    [
        ({"task_source": "a"}, {"task_source": "b"}, "the task file"),
        ({"check_source": "a"}, {"check_source": "b"}, "the check"),
        (
            {"workspace_hash": "sha256:1"},
            {"workspace_hash": "sha256:2"},
            "the content of the workspace",
        ),
        ({}, {"workspace_hash": "sha256:2"}, "the content of the workspace"),
        (
            {"docs_sites": {"https://a/": "/x"}, "docs_site_hashes": {"https://a/": "sha256:1"}},
            {"docs_sites": {"https://a/": "/y"}, "docs_site_hashes": {"https://a/": "sha256:2"}},
            "the site for https://a/",
        ),
        (
            {"docs_sites": {"https://a/": "https://b/"}},
            {},
            "the site for https://a/: https://b/, now none",
        ),
        ({"arm_hash": "sha256:1"}, {"arm_hash": "sha256:2"}, "the content of the arm's folder"),
        ({"prompt_hash": "sha256:1"}, {"prompt_hash": "sha256:2"}, "what the agent is told"),
        ({"model": "m-1"}, {"model": "m-2"}, "the model: m-1, now m-2"),
        ({"image": "a:1"}, {"image": "a:2"}, "the image: a:1, now a:2"),
        (
            {"budgets": {"max_turns": 1, "max_seconds": 2}},
            {"budgets": {"max_turns": 1, "max_seconds": 3, "max_cost_usd": 1}},
            "the budgets (max_seconds, max_cost_usd)",
        ),
        (
            {"resources": {"pids": 1}},
            {"resources": {"pids": 2}},
            "the limits of the sandbox (pids)",
        ),
        (
            {"respect_robots": True},
            {"respect_robots": False},
            "whether robots.txt is obeyed: obeyed, now ignored",
        ),
        (
            {"harness_version": "0.1"},
            {"harness_version": "0.2"},
            "quickstarted's version: 0.1, now 0.2",
        ),
        ({"backend": "docker"}, {"backend": "local"}, "the backend: docker, now local"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_another_experiment_is_refused_with_what_is_different(tmp_path, then, now, said):
    replace(PLANS[0], of_record=then).write(tmp_path)
    message = refused(tmp_path, [replace(PLANS[0], of_record=now)])

    assert message.splitlines()[1:] == [f"  flask, replay (1 attempt): {said}"]


@pytest.mark.parametrize(
    "different",
    [
        {"prices": {"source": "x"}},
        {"task_path": "elsewhere/flask.yaml"},
        {"docs_freshness": "refresh"},
        {"arm_folder": "/elsewhere"},
    ],
    ids=lambda different: next(iter(different)),
)
def test_what_changes_no_attempt_is_not_refused(tmp_path, different):
    PLANS[0].write(tmp_path)

    assert len(opened(tmp_path, [replace(PLANS[0], of_record=different)]).done) == 1


def test_a_site_in_another_folder_with_the_same_content_is_the_same_site(tmp_path):
    then, now = (
        {"docs_sites": {"https://a/": folder}, "docs_site_hashes": {"https://a/": "sha256:1"}}
        for folder in ("/x", "/y")
    )
    replace(PLANS[0], of_record=then).write(tmp_path)

    assert len(opened(tmp_path, [replace(PLANS[0], of_record=now)]).done) == 1


def test_a_refusal_is_short_whatever_has_changed(tmp_path):
    plans = made_of([key_of(number, task=f"t{task}") for task in range(20) for number in (1, 2)])
    write_all(tmp_path, plans)
    lines = refused(
        tmp_path, [replace(one, of_record={"model": "m"}) for one in plans]
    ).splitlines()

    assert lines[1] == "  t0, replay (2 attempts): the model: none, now m"
    assert (8, "  and 14 more") == (len(lines), lines[-1])


class TestImages:
    """An image's name may have come to stand for another image."""

    @pytest.mark.parametrize(
        ("image_id", "digest", "then"),
        [(IMAGE_ID, None, None), ("sha256:other", "b@sha256:d", "a@sha256:d")],
    )
    def test_the_same_image_by_id_or_by_digest_is_no_change(self, tmp_path, image_id, digest, then):
        replace(PLANS[0], image_digest=then).write(tmp_path)
        folder = opened(tmp_path, made_of([key_of(), key_of(2)]))

        folder.check_images(lambda _: Image(image_id, digest))

        assert [key_of(2)] == [plan.key for plan in folder.missing]

    def test_another_image_is_refused(self, tmp_path):
        PLANS[0].write(tmp_path)
        folder = opened(tmp_path, made_of([key_of(), key_of(2)]))
        with pytest.raises(UsageError) as caught:
            folder.check_images(lambda _: Image("sha256:2222222222222", "p@sha256:3333333333333"))

        assert caught.value.message.splitlines()[1:] == [
            (
                "  flask, replay (1 attempt): the image python:3.12: sha256:111111111111, now"
                " sha256:333333333333"
            )
        ]

    def test_only_cells_with_attempts_of_both_kinds_are_asked_about(self, tmp_path):
        write_all(tmp_path, [PLANS[0], PLANS[2]])
        asked = []
        opened(tmp_path).check_images(asked.append)

        assert [] == asked

    def test_an_image_that_cannot_be_had_is_left_to_the_attempts(self, tmp_path):
        PLANS[0].write(tmp_path)
        folder = opened(tmp_path)
        asked = []

        def refuse(plan: Made):
            asked.append(plan.key)
            raise ImageFault("no such image")

        folder.check_images(refuse)

        assert [key_of(2)] == asked


class Image:
    def __init__(self, image_id, digest):
        self.image_id, self.digest = image_id, digest


def test_the_call_is_written_before_anything_is_made(tmp_path):
    opened(tmp_path, PLANS[1::2], whole=PLANS, shard=(2, 2), run_id="r7")
    call = read_call(tmp_path)

    assert ([plan.key for plan in PLANS], [plan.key for plan in PLANS[1::2]]) == (
        call.whole_plan,
        call.own_plan,
    )
    assert ("r7", os.getpid(), (2, 2)) == (
        call.run_id,
        call.pid,
        (call.shard.number, call.shard.of),
    )


def test_shards_have_one_digest_and_other_plans_have_others(tmp_path):
    digests = []
    for name, plans, whole in [
        ("a", PLANS[::2], PLANS),
        ("b", PLANS[1::2], PLANS),
        ("c", PLANS, PLANS),
        ("d", PLANS[:3], PLANS[:3]),
        ("e", PLANS, [replace(one, of_record={"task_source": "other"}) for one in PLANS]),
    ]:
        opened(tmp_path / name, plans, whole=whole)
        digests.append(read_call(tmp_path / name).plan_digest)

    assert digests[0] == digests[1] == digests[2]
    assert len(set(digests)) == 3


def test_a_call_that_cannot_be_read_is_told_of(tmp_path):
    PLANS[0].write(tmp_path)
    (tmp_path / "call.json").write_text("{")

    assert ["call.json is not whole; what the earlier call was to do is not known"] == opened(
        tmp_path
    ).notes


def test_a_clock_that_was_set_back_between_attempts_changes_nothing(tmp_path):
    started = (2e9, 1e9, 3.0, 1.5e9)
    write_all(tmp_path, [replace(one, started=at) for one, at in zip(PLANS, started, strict=True)])
    folder = opened(tmp_path)

    assert [plan.key for plan in PLANS] == [run.key for run in folder.done]
    assert list(started) == [run.started for run in folder.done]
