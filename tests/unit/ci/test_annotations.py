"""Workflow commands, read as the runner of GitHub Actions reads them."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.attempts import result
from quickstarted.ci.annotations import (
    MOST_OF_A_LEVEL,
    Annotation,
    annotation_line,
    annotation_lines,
    annotations_of,
    silencing,
)
from quickstarted.ci.checkout import Checkout
from quickstarted.ci.outcomes import Outcome, TaskFile
from quickstarted.ci.sources import Place

COMMAND = re.compile(r"::(?P<name>\w+) (?P<properties>.*?)::(?P<data>.*)", re.DOTALL)


def read(line):
    """What the runner makes of a line: level, properties, message."""
    match = COMMAND.fullmatch(line)
    properties = dict(part.split("=", 1) for part in match["properties"].split(","))
    return match["name"], {k: unescape(v) for k, v in properties.items()}, unescape(match["data"])


def unescape(text):
    for code, char in (("%3A", ":"), ("%2C", ","), ("%0D", "\r"), ("%0A", "\n"), ("%25", "%")):
        text = text.replace(code, char)
    return text


@pytest.fixture
def checkout(tmp_path):
    return Checkout(root=tmp_path)


def outcome(checkout, kind="docs_gap", *, task="flask", attempt=1, agent="replay"):
    return Outcome(
        run=result(kind, task=task, attempt=attempt, agent=agent),
        lines=("headline", "  why:       it failed", "  check:     exit 1: no"),
        task_file=TaskFile(path=str(checkout.root / "tasks" / f"{task}.yaml")),
    )


def made(checkout, outcomes):
    return [read(line) for line in annotation_lines(annotations_of(outcomes, checkout))]


def test_a_gap_is_an_error_at_a_file_and_says_what_to_look_at(checkout):
    (found,) = made(checkout, [outcome(checkout)])

    assert (
        "error",
        {
            "file": "tasks/flask.yaml",
            "line": "1",
            "title": "flask: the documentation did not lead to the outcome that it promises",
        },
        "flask by replay #1\nwhy:       it failed\ncheck:     exit 1: no",
    ) == found


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("passed", []),
        ("skipped", []),
        ("docs_gap", ["error"]),
        ("harness_error", ["warning"]),
        ("infra_error", ["warning"]),
        ("budget_exhausted", ["warning"]),
        ("agent_refusal", ["warning"]),
    ],
)
def test_only_a_gap_is_an_error_and_what_gives_no_evidence_a_warning(checkout, kind, expected):
    assert expected == [level for level, _, _ in made(checkout, [outcome(checkout, kind)])]


@pytest.mark.parametrize(("arm", "expected"), [("docs", ["warning"]), ("no-docs", [])])
def test_a_failure_that_does_not_count_is_at_most_a_warning(checkout, arm, expected):
    made_without = outcome(checkout)
    run = made_without.run.model_copy(update={"arm": arm})

    assert expected == [
        level for level, _, _ in made(checkout, [replace(made_without, run=run, counts=False)])
    ]


def test_attempts_of_a_task_with_one_ending_at_one_place_are_one_remark(checkout):
    outcomes = [outcome(checkout, attempt=number) for number in range(1, 9)]
    ((_, _, message),) = made(checkout, outcomes)

    assert (
        "flask by replay #1, flask by replay #2, flask by replay #3, flask by replay #4,"
        " flask by replay #5, and 3 further attempts" == message.split("\n")[0]
    )


def test_more_than_github_shows_are_counted_in_the_last(checkout):
    tasks = [f"task{number}" for number in range(MOST_OF_A_LEVEL + 3)]
    outcomes = [
        outcome(checkout, kind, task=task) for kind in ("docs_gap", "infra_error") for task in tasks
    ]
    found = made(checkout, outcomes)

    assert ["error"] * MOST_OF_A_LEVEL + ["warning"] * MOST_OF_A_LEVEL == [one[0] for one in found]
    assert "4 further remarks not shown" == found[MOST_OF_A_LEVEL - 1][1]["title"]


def test_as_many_as_github_shows_are_all_there(checkout):
    outcomes = [outcome(checkout, task=f"task{n}") for n in range(MOST_OF_A_LEVEL)]

    assert all("file" in one[1] for one in made(checkout, outcomes))


@given(st.text(), st.text(), st.text())
def test_what_an_attempt_printed_neither_ends_the_command_nor_begins_another(title, message, file):
    line = annotation_line(
        Annotation(level="error", title=title, message=message, place=Place(file, 3))
    )

    assert not {"\n", "\r"} & set(line)
    assert ("error", {"file": file, "line": "3", "title": title}, message) == read(line)


def test_the_log_is_silenced_by_a_word_that_nobody_can_know():
    first, second = silencing(), silencing()

    assert first != second
    assert first[0].removeprefix("::stop-commands::") == first[1].strip(":")
    assert 32 == len(first[1].strip(":"))
