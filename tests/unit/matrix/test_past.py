import json

import pytest

from quickstarted.errors import UsageError
from quickstarted.matrix.past import PastAttempt, kept_documents, read_past
from quickstarted.results import CellKey

RUN = {
    "task": "flask",
    "agent": "claude",
    "affordance_policy": "none",
    "arm": "skill",
    "classification": "passed",
    "duration_seconds": 12.5,
    "estimated_cost_usd": 0.25,
    "something": {"of": "a later version"},
}


def document(path, *runs):
    path.write_text(json.dumps({"schema_version": 9, "cells": [], "runs": list(runs)}))
    return path


def test_attempts_are_read_whatever_else_the_document_has(tmp_path):
    (attempt,) = read_past(document(tmp_path / "results.json", RUN))

    assert CellKey("flask", "claude", "none", "skill") == attempt.cell
    assert (12.5, 0.25, "passed") == (
        attempt.duration_seconds,
        attempt.estimated_cost_usd,
        attempt.classification,
    )


def test_an_attempt_of_an_older_version_has_no_condition_and_no_price(tmp_path):
    old = {name: RUN[name] for name in ("task", "agent", "classification", "duration_seconds")}

    (attempt,) = read_past(document(tmp_path / "results.json", old))

    assert CellKey("flask", "claude", "all", "docs") == attempt.cell
    assert attempt.estimated_cost_usd is None


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "{path} is not a document of results: Invalid JSON: EOF while parsing"),
        ("[]", "{path} is not a document of results: Input should be an object"),
        ("{}", "{path} is not a document of results: runs: Field required"),
        ('{"runs": [{"task": 3}]}', "{path} is not a document of results: runs.0.task: Input"),
    ],
)
def test_what_is_no_document_of_results_is_refused(tmp_path, content, said):
    path = tmp_path / "results.json"
    path.write_text(content)

    with pytest.raises(UsageError) as caught:
        read_past(path)

    assert caught.value.message.startswith(said.format(path=path))


def test_what_cannot_be_read_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"nothing\.json: cannot be read: No such file"):
        read_past(tmp_path / "nothing.json")


def test_documents_that_were_kept_aside_are_found_the_newest_first(tmp_path):
    for name in ("results.json.2", "results.json", "results.json.10", "results.json.x", "x.json"):
        document(tmp_path / name, RUN)
    (tmp_path / "results.json.3").mkdir()

    names = [path.name for path in kept_documents(tmp_path)]

    assert ["results.json", "results.json.10", "results.json.2"] == names


def test_of_those_kept_aside_the_newest_ten_are_looked_at(tmp_path):
    for number in range(1, 31):
        document(tmp_path / f"results.json.{number}", RUN)

    numbers = [int(path.suffix[1:]) for path in kept_documents(tmp_path)]

    assert list(range(30, 20, -1)) == numbers


def test_a_folder_that_is_not_there_has_no_documents(tmp_path):
    assert [] == kept_documents(tmp_path / "nothing")


@pytest.mark.parametrize(
    ("classification", "came"),
    [
        ("passed", True),
        ("docs_gap", True),
        ("budget_exhausted", True),
        ("agent_refusal", True),
        ("harness_error", False),
        ("infra_error", False),
        ("skipped", False),
    ],
)
def test_attempts_that_were_lost_say_nothing_of_what_one_takes(classification, came):
    attempt = PastAttempt(**{**RUN, "classification": classification})

    assert came == attempt.came_to_an_end
