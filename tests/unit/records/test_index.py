"""What is found in a results folder, whatever has happened to it."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fakes.results_folders import cut_short, key_of, made_of, write_all
from quickstarted.records import index_of


def found_in(out):
    return {key: one.place for key, one in index_of(out).found.items()}


@pytest.fixture(name="one")
def _one(tmp_path):
    (made,) = made_of([key_of()])
    made.write(tmp_path)
    return tmp_path / "flask/replay/1"


def test_attempts_are_found_at_both_depths_with_their_traces_relative_to_the_folder(tmp_path):
    made = made_of([key_of(), key_of(task="django"), key_of(2, task="django", agent="claude:m")])
    made[0].write(tmp_path, nested=False)
    write_all(tmp_path, made[1:])
    index = index_of(tmp_path)

    assert {
        made[0].key: "flask/trace.jsonl",
        made[1].key: "django/replay/1/trace.jsonl",
        made[2].key: "django/claude@m/2/trace.jsonl",
    } == {key: one.result.trace for key, one in index.found.items()}
    assert ([], []) == (index.problems, index.unfinished)


def test_conditions_are_told_apart(tmp_path):
    keys = [key_of(), key_of(affordances="none"), key_of(arm="skill"), key_of(arm="no-docs")]
    write_all(tmp_path, made_of(keys))

    assert set(keys) == set(found_in(tmp_path))


def test_a_folder_that_is_not_there_or_is_a_file_holds_nothing(tmp_path):
    (tmp_path / "file").touch()

    assert {} == found_in(tmp_path / "none")
    assert {} == found_in(tmp_path / "file")
    assert [f"{tmp_path / 'file'}: cannot be read: Not a directory; left out"] == index_of(
        tmp_path / "file"
    ).problems


@pytest.mark.parametrize("name", ["flask.1", "flask.12"])
def test_an_older_result_that_was_kept_aside_does_not_count(tmp_path, name):
    (made,) = made_of([key_of()])
    made.write(tmp_path, nested=False)
    shutil.copytree(tmp_path / "flask", tmp_path / name)
    index = index_of(tmp_path)

    assert {made.key: "flask"} == found_in(tmp_path)
    assert [name] == [one.place for one in index.aside[made.key]]
    assert [] == index.problems


def test_a_task_may_be_called_as_if_it_was_kept_aside(tmp_path):
    (made,) = made_of([key_of(task="flask.1")])
    made.write(tmp_path, nested=False)

    assert {made.key: "flask.1"} == found_in(tmp_path)


def test_lost_tries_stand_in_the_order_of_their_numbers(tmp_path, one):
    for number in (10, 2, 1):
        shutil.copytree(one, one.with_name(f"1.{number}"))

    assert [f"flask/replay/1.{number}" for number in (1, 2, 10)] == [
        found.place for found in index_of(tmp_path).aside[key_of()]
    ]


def test_a_whole_folder_that_was_kept_aside_is_so_with_all_that_is_in_it(tmp_path, one):
    (tmp_path / "flask").rename(tmp_path / "flask.3")
    index = index_of(tmp_path)

    assert ({}, []) == (index.found, index.problems)
    assert ["flask.3/replay/1"] == [found.place for found in index.aside[key_of()]]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "result.json is empty"),
        (b'{"schema_version": 1, "task": "fl', "result.json is not whole"),
        (b"\0" * 4096, "result.json is not whole"),
        (b"[]", "result.json is of another version or another program: "),
        (b'{"schema_version": 2}', "result.json is of another version or another program: "),
    ],
)
def test_a_result_that_cannot_be_used_is_told_of_and_counts_as_not_made(
    tmp_path, one, content, why
):
    (one / "result.json").write_bytes(content)
    index = index_of(tmp_path)

    assert {} == index.found
    (problem,) = index.problems
    assert problem.startswith(f"flask/replay/1: {why}")
    assert problem.endswith("; it counts as not made")
    assert [("flask/replay/1", key_of())] == [(left.place, left.key) for left in index.unfinished]


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: path.symlink_to(path)])
def test_what_is_no_file_is_told_of_and_holds_nobody_up(tmp_path, one, make):
    (one / "result.json").unlink()
    make(one / "result.json")

    assert [True] == [left.is_damaged for left in index_of(tmp_path).unfinished]


def test_the_result_of_another_task_is_told_of_and_counts_nowhere(tmp_path):
    (made,) = made_of([key_of(task="django")])
    made.write_at(tmp_path / "flask/replay/1")
    index = index_of(tmp_path)

    assert {} == index.found
    assert ["flask/replay/1: holds django, replay, attempt 1; left out"] == index.problems


def test_the_same_attempt_at_both_depths_counts_once(tmp_path):
    (made,) = made_of([key_of()])
    made.write(tmp_path, nested=False)
    made.write(tmp_path, nested=True)
    index = index_of(tmp_path)

    assert {made.key: "flask"} == found_in(tmp_path)
    assert ["flask/replay/1: the same attempt as flask; left out"] == index.problems


def test_a_folder_that_may_not_be_read_is_told_of_and_the_others_are_found():
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        out.chmod(0o755)
        write_all(out, made_of([key_of(), key_of(task="django")]))
        (out / "flask").chmod(0)
        # Root may read everything: this is what nobody sees.
        os.seteuid(65534 if os.getuid() == 0 else os.getuid())
        try:
            index = index_of(out)
        finally:
            os.seteuid(os.getuid())
            (out / "flask").chmod(0o755)

    assert {key_of(task="django")} == set(index.found)
    assert ["flask: cannot be read: Permission denied; left out"] == index.problems


class TestWithoutResult:
    """Attempts of an older version, and of processes that were killed."""

    def test_one_whose_trace_is_whole_is_summarised_from_it(self, tmp_path):
        (made,) = made_of([key_of()])
        made.write(tmp_path, without=["result.json"])
        (found,) = index_of(tmp_path).found.values()

        assert (True, made.result("flask/replay/1/trace.jsonl")) == (found.is_adopted, found.result)
        assert not (tmp_path / "flask/replay/1/result.json").exists()

    def test_one_that_was_cut_off_is_unfinished(self, tmp_path):
        (made,) = made_of([key_of()])
        folder = made.write(tmp_path, without=["result.json"])
        folder.trace.write_bytes(folder.trace.read_bytes()[:-10])
        index = index_of(tmp_path)

        assert ({}, []) == (index.found, index.problems)
        assert [("flask/replay/1", "its trace has no end", made.key)] == [
            (left.place, left.why, left.key) for left in index.unfinished
        ]

    def test_one_without_its_record_is_unfinished(self, tmp_path):
        made_of([key_of()])[0].write(tmp_path, without=["result.json", "run.json"])

        assert ["it has no run.json"] == [left.why for left in index_of(tmp_path).unfinished]

    @pytest.mark.parametrize(
        ("damage", "why"),
        [
            (b"not json\n", "trace.jsonl is damaged: "),
            (b"", "trace.jsonl is damaged: the trace has no run_start"),
        ],
    )
    def test_one_whose_trace_is_damaged_is_told_of(self, tmp_path, damage, why):
        folder = made_of([key_of()])[0].write(tmp_path, without=["result.json"])
        last = folder.trace.read_bytes().splitlines(keepends=True)[-1]
        folder.trace.write_bytes(damage + last)

        assert [why in line for line in index_of(tmp_path).problems] == [True]

    def test_a_torn_one_that_was_kept_aside_is_nobodys_business(self, tmp_path):
        folder = cut_short(made_of([key_of()])[0]).write_at(tmp_path / "flask/replay/1.1")
        folder.result.unlink()
        folder.trace.write_bytes(b"")
        index = index_of(tmp_path)

        assert ([], [], {}) == (index.problems, index.unfinished, index.found)


NAMES = ("trace.jsonl", "run.json", "result.json")


@settings(max_examples=60, deadline=None)
@given(
    data=st.data(),
    names=st.sets(st.sampled_from(NAMES), min_size=1),
    how=st.sampled_from(["cut", "overwritten", "gone", "zeros"]),
)
def test_whatever_becomes_of_files_looking_never_fails_and_believes_none_that_is_torn(
    data, names, how
):
    (one, other) = made_of([key_of(), key_of(2)])
    with tempfile.TemporaryDirectory() as name:
        out = Path(name)
        folder = one.write(out).path
        other.write(out)
        for changed in names:
            content = (folder / changed).read_bytes()
            at = data.draw(st.integers(0, len(content) - 1))
            (folder / changed).write_bytes(
                {
                    "cut": content[:at],
                    "overwritten": content[:at] + b"\xff\x00{" + content[at + 3 :],
                    "gone": content,
                    "zeros": content[:at] + bytes(len(content) - at),
                }[how]
            )
            if how == "gone":
                (folder / changed).unlink()
        index = index_of(out)

    assert other.result("flask/replay/2/trace.jsonl") == index.found.pop(other.key).result
    assert [one.result("flask/replay/1/trace.jsonl")] * len(index.found) == [
        found.result for found in index.found.values()
    ]
