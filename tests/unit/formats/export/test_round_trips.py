"""What is converted and read again has every call, result, token count and verdict of its trace."""

import json
from collections import Counter

import pytest
from hypothesis import HealthCheck, given, settings

from fakes.conversions import document
from fakes.golden import TRACES
from fakes.imports import imported_bytes
from fakes.traces import traces, written
from quickstarted.formats.trajectory import check_trajectories

NAMES = sorted(path.stem for path in TRACES.glob("*.jsonl"))
TOKENS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_write_input_tokens",
}
VERDICT = ("passed", "classification", "stop_reason")


def of_trace(path):
    """Calls, results, tokens and verdict, as they stand in the lines of the trace *path*."""
    calls, results, tokens, verdict = [], Counter(), Counter(), None
    for line in path.read_bytes().splitlines(keepends=True):
        if not line.endswith(b"\n"):
            break
        event = json.loads(line)
        match event["type"]:
            case "tool_call":
                asked = {key: event.get(key) for key in ("command", "url", "path")}
                asked["restart"] = event.get("restart") or None
                calls.append((event["tool"], said(asked)))
            case "tool_result":
                results[event["output"], event["exit_code"]] += 1
            case "agent_turn":
                tokens.update({theirs: event.get(ours, 0) for ours, theirs in TOKENS.items()})
            case "run_end":
                verdict = said({key: event.get(key) for key in VERDICT})
    return calls, results, +tokens, verdict


def said(fields):
    return {key: value for key, value in fields.items() if value is not None}


def of_trajectory(made):
    """The same of a trajectory, whichever way it came to be."""
    calls, results, tokens = [], Counter(), Counter()
    for event in made["events"]:
        told = event["metadata"]
        told = {**told, **told.get("extra", {})}
        if event["event_type"] == "tool.call":
            calls.append((told["tool"], event["input"]))
        elif told.get("event") == "tool_result":
            results[event.get("output") or "", told["exit_code"]] += 1
        elif event["event_type"] == "llm.response":
            usage = told.get("usage", {})
            tokens.update({name: usage.get(name, 0) for name in TOKENS.values()})
    whole = {**made["metadata"], **made["metadata"].get("extra", {})}
    verdict = whole.get("verdict")
    return calls, results, +tokens, said(verdict) if verdict else None


def by_way_of_atif(trace):
    content, _ = document(trace, "atif")
    ((made,), report) = imported_bytes(content)
    assert ["atif"] == [run.source_format for run in report.runs]
    return made


def problems_of(content, folder):
    path = folder / "run.json"
    path.write_bytes(content)
    return [one.code for one in check_trajectories(path).problems]


@pytest.mark.parametrize("name", NAMES)
def test_a_trajectory_passes_the_check_and_has_all_of_its_trace(tmp_path, name):
    content, _ = document(TRACES / f"{name}.jsonl", "trajectory")

    assert [] == problems_of(content, tmp_path)
    assert of_trace(TRACES / f"{name}.jsonl") == of_trajectory(json.loads(content))


@pytest.mark.parametrize("name", NAMES)
def test_a_trajectory_by_way_of_atif_passes_the_check_and_has_all_of_its_trace(tmp_path, name):
    made = by_way_of_atif(TRACES / f"{name}.jsonl")

    assert [] == problems_of(json.dumps(made).encode(), tmp_path)
    assert of_trace(TRACES / f"{name}.jsonl") == of_trajectory(made)


@settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(events=traces())
def test_whatever_was_called_is_called_the_same_in_both(tmp_path, events):
    trace = written(tmp_path, events)
    calls, *_ = of_trace(trace)

    assert calls == of_trajectory(json.loads(document(trace, "trajectory")[0]))[0]
    assert calls == of_trajectory(by_way_of_atif(trace))[0]
