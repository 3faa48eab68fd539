"""The results of shards, joined: as if one call had made all attempts."""

import json
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.results_folders import (
    Made,
    cut_short,
    key_of,
    lost,
    made_of,
)
from fakes.results_folders import write_call as call
from fakes.results_folders import write_shards as shards
from quickstarted.console.tables import suite_markdown
from quickstarted.errors import UsageError
from quickstarted.records import Opening, open_folder, read_call
from quickstarted.records.lock import locked
from quickstarted.records.merge import Merge, merge
from quickstarted.results import CallFacts, TryResult, suite_result

PLANS = made_of([key_of(number, task=task) for number in (1, 2, 3) for task in ("flask", "django")])
ENDINGS = [
    {},
    {"passed": False, "classification": "docs_gap"},
    {"passed": None, "classification": "infra_error", "stop_reason": "fault"},
]
VOLATILE = ("created", "started", "run_id")


def joined(folders, out, **fields):
    return merge(Merge(folders=folders, out=out, run_id="m", **fields), suite_markdown)


def refused(folders, out, **fields):
    with pytest.raises(UsageError) as caught:
        joined(folders, out, **fields)
    assert not (out / "results.json").exists()
    return caught.value.message


def steady(out):
    """`results.json` without what two runs of the same never have in common."""

    def without(value):
        if isinstance(value, dict):
            return {name: without(one) for name, one in value.items() if name not in VOLATILE}
        return [without(one) for one in value] if isinstance(value, list) else value

    return without(json.loads((out / "results.json").read_bytes()))


def files(out):
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.glob("*/**/*")
        if path.is_file()
    }


@settings(max_examples=25, deadline=None)
@given(
    number=st.integers(1, 4),
    endings=st.lists(st.sampled_from(ENDINGS), min_size=1, max_size=9),
    order=st.randoms(use_true_random=False),
)
def test_the_union_of_shards_is_the_unsharded_run(number, endings, order):
    cells = [key_of(task="flask"), key_of(task="flask", arm="no-docs"), key_of(task="a")]
    plans = [
        Made(key=cells[place % 3].cell.attempt(place // 3 + 1), ending=ending)
        for place, ending in enumerate(endings)
    ]
    with tempfile.TemporaryDirectory() as name:
        base = Path(name)
        own = [place % number for place in range(len(plans))]
        order.shuffle(own)
        folders = [base / f"shard-{one + 1}" for one in range(number)]
        for one, folder in enumerate(folders):
            part = [plan for plan, place in zip(plans, own, strict=True) if place == one]
            call(folder, part, plans, shard=(one + 1, number))
        order.shuffle(folders)
        call(base / "whole", plans, plans)
        merged = joined(folders, base / "merged")

        assert [plan.key for plan in plans] == [run.key for run in merged.suite.runs]
        assert files(base / "whole") == files(base / "merged")
        ours, theirs = steady(base / "merged"), steady(base / "whole")
        for document in (ours, theirs):
            for run in document["runs"]:
                run["trace"] = run["trace"].rpartition("/")[0]
        assert {**theirs, "runs": ours["runs"]} == ours


def test_files_are_hard_links_and_the_shards_stay_as_they_are(tmp_path):
    folders = shards(tmp_path, PLANS, 2)
    before = [files(folder) for folder in folders]
    joined(folders, tmp_path / "out")

    assert before == [files(folder) for folder in folders]
    trace = "flask/replay/1/trace.jsonl"
    assert (tmp_path / "out" / trace).samefile(folders[0] / trace)


def test_across_file_systems_they_are_copies():
    with tempfile.TemporaryDirectory(dir="/dev/shm") as far, tempfile.TemporaryDirectory() as near:
        folders = shards(Path(far), PLANS, 2)
        joined(folders, Path(near, "out"))

        assert {name for folder in folders for name in files(folder)} == set(
            files(Path(near, "out"))
        )


def test_a_missing_shard_is_refused_by_its_number(tmp_path):
    folders = shards(tmp_path, PLANS, 3)

    assert ["attempts are missing:", "  shard 2/3"] == refused(
        [folders[0], folders[2]], tmp_path / "out"
    ).splitlines()


def test_attempts_that_a_shard_has_not_made_are_refused_by_their_names(tmp_path):
    made = [cut_short(PLANS[0]), *PLANS[2:]]
    call(tmp_path / "one", PLANS, PLANS, make=made)

    assert [
        "attempts are missing:",
        f"  {tmp_path / 'one'}: 2 attempts (flask, replay, attempt 1; django, replay, attempt 1)",
    ] == refused([tmp_path / "one"], tmp_path / "out").splitlines()


def test_what_is_missing_is_in_the_results_where_that_is_allowed(tmp_path):
    folders = shards(tmp_path, PLANS, 3)
    merged = joined(folders[1:], tmp_path / "out", allow_missing=True)
    document = json.loads((tmp_path / "out/results.json").read_bytes())

    assert ["missing: shard 1/3"] == merged.notes
    assert [("flask", 1), ("django", 2)] == [
        (one["task"], one["attempt"]) for one in document["missing"]
    ]
    assert (6, 4) == (document["attempts_planned"], len(document["runs"]))
    assert (
        "**2 attempts missing**: `flask` 1, `django` 2." in (tmp_path / "out/suite.md").read_text()
    )


def test_the_same_attempt_in_two_folders_is_refused_by_its_name(tmp_path):
    folders = shards(tmp_path, PLANS, 3)
    again = shutil.copytree(folders[1], tmp_path / "again")

    assert [
        "2 attempts made in more than one of the folders:",
        f"  django, replay, attempt 1: {folders[1]}/django/replay/1, {again}/django/replay/1",
        f"  flask, replay, attempt 3: {folders[1]}/flask/replay/3, {again}/flask/replay/3",
    ] == refused([*folders, again], tmp_path / "out").splitlines()


def test_a_folder_is_joined_once_and_never_into_itself(tmp_path):
    folders = shards(tmp_path, PLANS, 2)

    assert "is given more than once" in refused([folders[0], folders[0]], tmp_path / "out")
    with pytest.raises(UsageError, match="is one of the folders that are to be joined"):
        joined(folders, folders[1])


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (
            [replace(one, of_record={"task_source": "other"}) for one in PLANS],
            ["  flask, replay: the task file", "  django, replay: the task file"],
        ),
        (
            [one for one in PLANS if one.key.task == "flask"],
            ["  django, replay: only in {folder}"],
        ),
        (PLANS[:4], ["  6 and 4 attempts, or another order"]),
        (PLANS[::-1], ["  6 and 6 attempts, or another order"]),
    ],
    ids=["task", "cells", "repeat", "order"],
)
def test_shards_of_different_plans_are_refused_with_what_is_different(tmp_path, other, said):
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    call(mine, PLANS[:2], PLANS, shard=(1, 2))
    call(theirs, other[2:], other, shard=(2, 2))
    lines = refused([mine, theirs], tmp_path / "out").splitlines()

    assert f"{mine} and {theirs} are parts of different plans:" == lines[0]
    if len(said) == 1 and "order" in said[0]:
        assert said == lines[1:]
    else:
        assert {line.format(folder=mine) for line in said} <= set(lines[1:])


def test_an_attempt_that_was_made_of_something_else_than_its_call_says_is_refused(tmp_path):
    made = [replace(PLANS[0], of_record={"check_source": "false"}), *PLANS[1:]]
    call(tmp_path / "one", PLANS, PLANS, make=made)

    assert f"  {tmp_path / 'one'}/flask/replay/1: the check" in refused(
        [tmp_path / "one"], tmp_path / "out"
    )


def test_a_folder_without_a_call_is_refused(tmp_path):
    PLANS[0].write(tmp_path / "old")

    assert f"{tmp_path / 'old'}: no call.json in it" in refused(
        [tmp_path / "old"], tmp_path / "out"
    )


@pytest.mark.parametrize("content", [b"", b'{"schema_version": 1', b"[]"])
def test_a_call_that_cannot_be_read_is_refused(tmp_path, content):
    (folder,) = shards(tmp_path, PLANS, 1)
    (folder / "call.json").write_bytes(content)

    assert f"{folder}: call.json is " in refused([folder], tmp_path / "out")


def test_a_damaged_result_is_told_of_and_missing(tmp_path):
    (folder,) = shards(tmp_path, PLANS, 1)
    (folder / "flask/replay/1/result.json").write_text("{")
    merged = joined([folder], tmp_path / "out", allow_missing=True)

    assert f"{folder}: flask/replay/1: result.json is not whole; it counts as not made" in (
        merged.notes
    )
    assert ["flask"] == [one.task for one in merged.suite.missing]


def test_an_attempt_without_a_result_gets_one_in_the_target_alone(tmp_path):
    (folder,) = shards(tmp_path, PLANS, 1)
    (folder / "flask/replay/1/result.json").unlink()
    joined([folder], tmp_path / "out")

    assert (tmp_path / "out/flask/replay/1/result.json").exists()
    assert not (folder / "flask/replay/1/result.json").exists()


def test_lost_tries_come_along_and_are_found_from_where_they_are(tmp_path):
    early = lost(PLANS[0])
    tries = [early.result().as_try("../1.1/trace.jsonl")]
    made = replace(PLANS[0], of_result={"tries": 2, "earlier_tries": tries})
    call(tmp_path / "one", PLANS[:1], PLANS[:1], make=[made])
    early.write_at(tmp_path / "one/flask/replay/1.1")
    merged = joined([tmp_path / "one"], tmp_path / "out")

    (found,) = merged.suite.runs[0].earlier_tries
    assert "flask/replay/1.1/trace.jsonl" == found.trace
    assert (tmp_path / "out" / found.trace).exists()
    assert tries == [
        TryResult.model_validate(one)
        for one in json.loads((tmp_path / "out/flask/replay/1/result.json").read_bytes())[
            "earlier_tries"
        ]
    ]


def test_a_lost_try_never_takes_the_place_of_an_older_result(tmp_path):
    early = lost(PLANS[0])
    tries = [early.result().as_try("../flask.1/trace.jsonl")]
    made = replace(PLANS[0], of_result={"tries": 2, "earlier_tries": tries})
    call(tmp_path / "one", PLANS[:1], PLANS[:1], make=[made], nested=False)
    early.write_at(tmp_path / "one/flask.1")
    replace(PLANS[0], run_id="older").write(tmp_path / "out", nested=False)
    merged = joined([tmp_path / "one"], tmp_path / "out")

    (found,) = merged.suite.runs[0].earlier_tries
    assert "flask.2/trace.jsonl" == found.trace
    assert "older" in (tmp_path / "out/flask.1/result.json").read_text()
    assert merged.suite == joined([tmp_path / "one"], tmp_path / "out").suite.model_copy(
        update={"created": merged.suite.created}
    )


def test_an_older_result_in_the_target_is_kept_aside(tmp_path):
    folders = shards(tmp_path, PLANS, 2)
    replace(PLANS[0], run_id="older").write(tmp_path / "out")
    merged = joined(folders, tmp_path / "out")

    assert [f"earlier results are kept as {tmp_path / 'out/flask.1'}"] == merged.notes
    assert "older" in (tmp_path / "out/flask.1/replay/1/result.json").read_text()


def test_joining_again_changes_nothing_and_copies_nothing(tmp_path):
    folders = shards(tmp_path, PLANS, 2)
    joined(folders, tmp_path / "out")
    before = {path: path.stat().st_ino for path in (tmp_path / "out").glob("*/**/*")}
    merged = joined(folders[::-1], tmp_path / "out")

    assert [] == merged.notes
    assert before == {path: path.stat().st_ino for path in (tmp_path / "out").glob("*/**/*")}


def test_a_call_can_go_on_with_what_was_joined(tmp_path):
    folders = shards(tmp_path, PLANS, 3)
    joined(folders[1:], tmp_path / "out", allow_missing=True)
    with open_folder(
        Opening(
            out=tmp_path / "out",
            plans=PLANS,
            run_id="r9",
            backend="docker",
            nested=True,
            resume=True,
        )
    ) as folder:
        assert [PLANS[0].key, PLANS[3].key] == [plan.key for plan in folder.missing]


def test_the_target_is_locked(tmp_path):
    folders = shards(tmp_path, PLANS, 2)
    with (
        locked(tmp_path / "out", "r"),
        pytest.raises(UsageError, match="another call writes to"),
    ):
        joined(folders, tmp_path / "out")


def test_a_call_that_stops_when_its_cells_are_decided_lacks_nothing(tmp_path):
    plans = PLANS[::2]
    opening = Opening(
        out=tmp_path / "one",
        plans=plans,
        run_id="r",
        backend="docker",
        nested=True,
        may_stop_early=True,
    )
    with open_folder(opening) as folder:
        runs = [plans[0].result(str(plans[0].write(tmp_path / "one").trace))]
        suite = suite_result(runs, created=1.0, call=CallFacts(planned=1))
        folder.results.write_suite(suite, suite_markdown(suite))
    merged = joined([tmp_path / "one"], tmp_path / "out")

    assert (1, 1, []) == (
        merged.suite.attempts_planned,
        len(merged.suite.runs),
        merged.suite.missing,
    )


def test_images_that_differ_within_a_cell_are_told_of(tmp_path):
    made = [PLANS[0], replace(PLANS[2], image_id="sha256:2"), *PLANS[3:], PLANS[1]]
    call(tmp_path / "one", PLANS, PLANS, make=made)
    merged = joined([tmp_path / "one"], tmp_path / "out")

    assert ["flask, replay: its attempts ran on 2 different images"] == merged.notes


def test_what_a_killed_merge_has_left_half_goes(tmp_path):
    folders = shards(tmp_path, PLANS, 2)
    (tmp_path / "out/.merging/3/output").mkdir(parents=True)
    joined(folders, tmp_path / "out")

    assert not (tmp_path / "out/.merging").exists()
    assert read_call(tmp_path / "out").merged_from == ["r-shard-1", "r-shard-2"]
