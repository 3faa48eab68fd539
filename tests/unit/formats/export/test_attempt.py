"""Traces as sources: what they are called, what they lack, what is refused."""

import json

import pytest

from fakes import attempts
from fakes.conversions import document, value
from fakes.traces import written
from quickstarted.errors import TraceInvalid
from quickstarted.formats.export import TARGETS
from quickstarted.trace import encode

START, END = attempts.run_start(run_id="r-1"), attempts.run_end()
GOAL = "Serve a page"
RECORD = {
    "schema_version": 1,
    "harness_version": "0.1.0",
    "task": "flask",
    "task_path": "flask.yaml",
    "task_source": f"name: flask\ngoal: {GOAL}\n",
    "check_source": "true",
    "agent": "replay",
    "model": None,
    "attempt": 1,
    "affordance_policy": "all",
    "prompt_hash": None,
    "backend": "docker",
    "enforced": True,
    "policy": {},
    "image": "x",
    "image_id": "",
    "image_digest": None,
    "architecture": "",
    "docs_sites": {},
    "resources": {},
    "budgets": {},
}


def trace_id(**fields):
    return value([attempts.run_start(**{"run_id": "r-1", **fields}), END], "trajectory")["trace_id"]


def test_an_attempt_has_the_same_id_in_every_format():
    assert trace_id() == value([START, END], "atif")["trajectory_id"]
    assert {trace_id()} == {
        span["traceId"]
        for span in value([START, END], "otlp")["resourceSpans"][0]["scopeSpans"][0]["spans"]
    }


@pytest.mark.parametrize(
    "fields", [{"attempt": 2}, {"task": "x"}, {"arm": "no-docs"}, {"ts": 1001.0}, {"run_id": None}]
)
def test_another_attempt_has_another_id(fields):
    assert trace_id(**fields) != trace_id()


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "does not begin with run_start"),
        (b'{"ts": 1, "typ', "does not begin with run_start"),
        (encode(END), "does not begin with run_start"),
        (encode(attempts.run_start(-1.0)), "no time from 1970 on"),
        (encode(START) + encode(attempts.run_end(1e30)), "no time from 1970 on"),
        (encode(START) + b"{}\n" + encode(END), ":2: not an event"),
    ],
)
def test_what_is_no_trace_is_refused(tmp_path, target, content, message):
    trace = tmp_path / "trace.jsonl"
    trace.write_bytes(content)

    with pytest.raises(TraceInvalid, match=message):
        document(trace, target)


@pytest.mark.parametrize(
    ("record", "goal"),
    [
        (RECORD, GOAL),
        (None, None),
        ({}, None),
        (RECORD | {"task": "another"}, None),
        (RECORD | {"task_source": "- goal: list"}, None),
        (RECORD | {"task_source": "goal: [" * 2000}, None),
        (RECORD | {"task_source": "goal: 7"}, None),
    ],
)
def test_the_goal_is_that_of_the_record_beside_the_trace(tmp_path, record, goal):
    trace = written(tmp_path, [START, END])
    if record is not None:
        (tmp_path / "run.json").write_text(json.dumps(record))
    content, _ = document(trace, "trajectory")

    assert goal == json.loads(content).get("goal")
