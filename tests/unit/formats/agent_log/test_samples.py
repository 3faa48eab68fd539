"""Every sample of the format: valid ones pass, each invalid one fails by its own rule."""

import json

import pytest

from fakes.agent_logs import LOG, SAMPLES, checked, codes, sample, withheld
from fakes.golden import GOLDEN, golden
from quickstarted.formats.agent_log import RULES, check_log

VALID = sorted(path.name for path in (SAMPLES / "valid").iterdir())
INVALID = sorted(path.name for path in (SAMPLES / "invalid").iterdir())
EDGE = sorted(path.name for path in (GOLDEN / "formats" / "edge").iterdir())
CODE_OF = {
    "at-naive": "at-not-utc",
    "blank-line-inside": "blank-line",
    "elapsed-drift-2001ms": "elapsed-drift",
    "elapsed-string": "elapsed-not-number",
    "run-start-twice": "run-start-not-first",
    "seq-bool": "seq-not-integer",
    "seq-float": "seq-not-integer",
    "seq-starts-at-1": "seq-start",
    "unknown-type": "type-unknown",
    "withheld-not-true": "withheld-not-exact",
    "withheld-with-more-keys": "withheld-not-exact",
}
"""Where it is not the sample's own name."""
FOLLOWS = {
    "elapsed-goes-back": {"elapsed-drift"},
    "no-model-response": {"no-action"},
    "response-duplicate-id": {"action-unknown-call"},
    "response-no-id": {"action-unknown-call"},
}
"""What cannot but be wrong too."""


def told(report):
    problems = [one.as_json() for one in report.problems]
    return json.dumps({"verdict": report.verdict, "problems": problems}, indent=1) + "\n"


def test_there_are_samples():
    assert (6, 32) == (len(VALID), len(INVALID))


@pytest.mark.parametrize("name", VALID)
def test_a_valid_log_has_no_error(name):
    report = check_log(sample("valid", name))

    assert 0 == report.errors
    assert golden(f"formats/told/agent-log-valid/{name}.json", told(report)) == told(report)


@pytest.mark.parametrize("name", INVALID)
def test_an_invalid_log_is_rejected_by_the_rule_that_it_breaks(name):
    report = check_log(sample("invalid", name))
    errors = {one.code for one in report.problems if one.severity == "error"}

    assert "reject" == report.verdict
    assert {CODE_OF.get(name, name)} == errors - FOLLOWS.get(name, set())
    assert golden(f"formats/told/agent-log-invalid/{name}.json", told(report)) == told(report)


@pytest.mark.parametrize("name", EDGE)
def test_an_odd_file_is_rejected_with_the_message_that_is_expected(name):
    report = check_log(GOLDEN / "formats" / "edge" / name)

    assert "reject" == report.verdict
    assert golden(f"formats/told/agent-log-edge/{name}.json", told(report)) == told(report)


def test_the_full_sample_withheld_is_the_withheld_sample():
    made, notes = withheld(sample("valid", "full").read_bytes())

    assert sample("valid", "withheld").read_bytes() == made
    assert [] == notes


@pytest.mark.parametrize("name", VALID)
def test_a_valid_log_stays_valid_when_it_is_withheld_and_twice_is_once(name):
    made, _ = withheld(sample("valid", name).read_bytes())

    assert (made, []) == withheld(made)
    assert "reject" != checked(made).verdict
    assert "withheld-partly" not in codes(checked(made))


def test_every_rule_has_a_code_of_its_own():
    assert len(RULES) == len({rule.code for rule in RULES})


def test_every_sample_is_called_as_the_format_says():
    assert {LOG} == {path.name for path in SAMPLES.glob("*/*/*")}
