"""The results of shards, joined: as if one call had made all attempts."""

import json
import os
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.records import THREE_EACH as PLANS
from fakes.records import joined, steady
from fakes.results_folders import Made, key_of, lost
from fakes.results_folders import write_call as call
from fakes.results_folders import write_shards as shards
from quickstarted.errors import UsageError
from quickstarted.records import Opening, open_folder, read_call
from quickstarted.records.lock import locked
from quickstarted.results import TryResult

ENDINGS = [
    {},
    {"passed": False, "classification": "docs_gap"},
    {"passed": None, "classification": "infra_error", "stop_reason": "fault"},
]


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


def test_a_shard_without_any_attempt_is_one_all_the_same(tmp_path):
    folders = shards(tmp_path, PLANS[:1], 2)

    assert [PLANS[0].key] == [run.key for run in joined(folders, tmp_path / "out").suite.runs]


def test_all_that_is_in_an_attempts_folder_comes_along(tmp_path):
    (folder,) = shards(tmp_path, PLANS, 1)
    attempt = folder / "flask/replay/1"
    (attempt / "output/deep").mkdir(parents=True)
    (attempt / "output/deep/1.txt").write_text("long")
    (attempt / "output/link").symlink_to("deep/1.txt")
    os.mkfifo(attempt / "output/pipe")
    joined([folder], tmp_path / "out")
    copy = tmp_path / "out/flask/replay/1/output"

    assert ["deep", "link"] == sorted(path.name for path in copy.iterdir())
    assert ("long", Path("deep/1.txt")) == (
        (copy / "link").read_text(),
        (copy / "link").readlink(),
    )


def test_a_single_attempt_that_others_joined_later_lies_beside_them(tmp_path):
    plans = [PLANS[0], PLANS[2]]
    call(tmp_path / "one", plans[:1], plans[:1], nested=False)
    call(tmp_path / "one", plans, plans, resume=True)
    joined([tmp_path / "one"], tmp_path / "out")

    assert (tmp_path / "one/flask/trace.jsonl").exists()
    assert ["flask/replay/1", "flask/replay/2"] == sorted(
        path.parent.relative_to(tmp_path / "out").as_posix()
        for path in (tmp_path / "out").rglob("trace.jsonl")
    )
    assert not (tmp_path / "out/flask/replay/1/replay").exists()


def test_what_a_killed_merge_has_left_half_goes(tmp_path):
    folders = shards(tmp_path, PLANS, 2)
    (tmp_path / "out/.merging/3/output").mkdir(parents=True)
    joined(folders, tmp_path / "out")

    assert not (tmp_path / "out/.merging").exists()
    assert read_call(tmp_path / "out").merged_from == ["r-shard-1", "r-shard-2"]
