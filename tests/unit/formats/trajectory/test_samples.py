"""Every sample of the format: those that are right, the questionable ones, and the odd files."""

import json

import pytest

from fakes.golden import GOLDEN, golden
from quickstarted.formats.trajectory import RULES, check_trajectories

FORMATS = GOLDEN / "formats"
VALID = sorted(path.name for path in (FORMATS / "agenttrajectory").glob("*.json*"))
QUESTIONABLE = {
    "artifact-without-uri": "field-missing",
    "bad-event-type": "unknown-choice",
    "bad-modality": "unknown-choice",
    "duplicate-event-id": "event-id-duplicate",
    "error-is-object": "wrong-type",
    "event-trace-id-mismatch": "event-trace-id-differs",
    "event-without-trace-id": "event-trace-id-missing",
    "events-null": "wrong-type",
    "no-events": "events-missing",
    "no-trace-id": "trace-id-missing",
    "parent-cycle": "parent-cycle",
    "parent-missing": "parent-unknown",
    "step-index-fraction": "wrong-type",
    "timestamp-epoch-ns": "timestamp-invalid",
    "timestamp-naive": "timestamp-no-offset",
    "trace-id-number": "wrong-type",
}
EDGE = sorted(path.name for path in (FORMATS / "edge").iterdir())


def told(report):
    problems = [one.as_json() for one in report.problems]
    kept = {"verdict": report.verdict, "trajectories": report.trajectories, "problems": problems}
    return json.dumps(kept, indent=1) + "\n"


@pytest.mark.parametrize("name", VALID)
def test_a_sample_that_is_right_is_valid(name):
    assert [] == list(check_trajectories(FORMATS / "agenttrajectory" / name).problems)


def test_each_questionable_sample_has_its_rule():
    names = {path.stem for path in (FORMATS / "agenttrajectory" / "questionable").iterdir()}

    assert names == set(QUESTIONABLE)
    assert set(QUESTIONABLE.values()) <= {rule.code for rule in RULES}


@pytest.mark.parametrize(("name", "code"), QUESTIONABLE.items())
def test_a_questionable_sample_is_invalid_by_one_rule(name, code):
    report = check_trajectories(FORMATS / "agenttrajectory" / "questionable" / f"{name}.json")

    assert ("invalid", [code]) == (report.verdict, [one.code for one in report.problems])
    assert golden(f"formats/told/questionable/{name}.json", told(report)) == told(report)


@pytest.mark.parametrize("name", EDGE)
def test_an_odd_file_has_the_message_that_is_expected(name):
    text = told(check_trajectories(FORMATS / "edge" / name))

    assert golden(f"formats/told/trajectory-edge/{name}.json", text) == text
