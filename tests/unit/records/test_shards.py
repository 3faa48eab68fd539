"""Which results folders may be joined, and what is said of those that may not."""

import shutil
from dataclasses import replace

import pytest

from fakes.records import THREE_EACH as PLANS
from fakes.records import joined
from fakes.records import not_joined as refused
from fakes.results_folders import cut_short
from fakes.results_folders import write_call as call
from fakes.results_folders import write_shards as shards
from quickstarted.console.tables import suite_markdown
from quickstarted.errors import UsageError
from quickstarted.records import Opening, open_folder
from quickstarted.results import CallFacts, suite_result


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
