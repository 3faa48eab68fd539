"""A trace becomes a trajectory that has every call, result, token and the verdict of it."""

import json
from collections import Counter
from io import BytesIO

import pytest

from fakes.golden import TRACES
from fakes.imports import imported, of_type, problems_of
from quickstarted.formats.export.atif import write_atif
from quickstarted.formats.export.attempt import Attempt
from quickstarted.formats.trajectory import check_trajectories
from quickstarted.formats.trajectory.importing import ImportOptions, LinesSink, import_file
from quickstarted.trace import read_trace

NAMES = sorted(path.stem for path in TRACES.glob("*.jsonl"))
TOKENS = {
    "input_tokens": "input_tokens",
    "output_tokens": "output_tokens",
    "cache_read_tokens": "cache_read_input_tokens",
    "cache_write_tokens": "cache_write_input_tokens",
}
RESULTS = {"tool_result", "docs_fetch", "fetch_blocked", "fetch_error", "affordance_withheld"}


def events_of(name, *kinds):
    whole = read_trace(TRACES / f"{name}.jsonl", on_torn=lambda _: None)
    return [event for event in whole if not kinds or event.type in kinds]


@pytest.fixture(name="trip", params=NAMES)
def _trip(request):
    (made,), _ = imported(TRACES / f"{request.param}.jsonl")
    return request.param, made


def test_what_a_trace_becomes_is_valid_and_every_event_is_in_it(trip, tmp_path):
    name, made = trip
    path = tmp_path / "run.jsonl"
    with path.open("wb") as stream:
        import_file(TRACES / f"{name}.jsonl", LinesSink(stream), ImportOptions())
    told = {event["metadata"]["source_index"] for event in made["events"]}

    assert [] == problems_of(made)
    assert "valid" == check_trajectories(path).verdict
    assert set(range(len(events_of(name)))) == told


def test_every_call_and_result_is_kept(trip):
    name, made = trip
    called = [(one.command, one.url) for one in events_of(name, "tool_call")]
    inputs = [event["input"] for event in of_type(made, "tool.call")]
    outputs = [event["output"] for event in of_type(made, "tool.result")]

    assert called == [(one.get("command"), one.get("url")) for one in inputs]
    assert Counter(one.output for one in events_of(name, "tool_result")) <= Counter(
        output for output in outputs if output is not None
    )


def test_every_result_that_has_a_call_is_under_it(trip):
    _, made = trip
    calls = {event["event_id"]: event for event in of_type(made, "tool.call")}
    for result in of_type(made, "tool.result"):
        if result["metadata"]["event"] == "tool_result":
            call = calls[result["parent_event_id"]]
            assert call["metadata"].get("scope") == result["metadata"].get("scope")


def test_every_token_is_kept(trip):
    name, made = trip
    spent, kept = Counter(), Counter()
    for turn in events_of(name, "agent_turn"):
        spent.update({ours: getattr(turn, theirs) for theirs, ours in TOKENS.items()})
    for answer in of_type(made, "llm.response"):
        kept.update({ours: answer["metadata"]["usage"][ours] for ours in TOKENS.values()})

    assert spent == kept


def test_the_verdict_is_kept(trip):
    name, made = trip
    ends = events_of(name, "run_end")
    verdict = made["metadata"].get("verdict")

    assert bool(ends) == bool(verdict)
    for end in ends:
        assert (end.passed, end.classification, end.stop_reason) == (
            verdict["passed"],
            verdict["classification"],
            verdict["stop_reason"],
        )


@pytest.mark.parametrize("name", ["passed", "docs_gap", "harness_error", "infra_error"])
def test_an_atif_document_keeps_what_its_trace_has(name, tmp_path):
    target = BytesIO()
    write_atif(Attempt(TRACES / f"{name}.jsonl"), target)
    path = tmp_path / "run.json"
    path.write_bytes(target.getvalue())
    (made,), report = imported(path)
    (direct,), _ = imported(TRACES / f"{name}.jsonl")

    assert ["atif"] == [run.source_format for run in report.runs]
    assert [] == problems_of(made)
    for kind, key in (("tool.call", "input"), ("tool.result", "output"), ("tool.result", "error")):
        assert values(direct, kind, key) == values(made, kind, key)
    for count in TOKENS.values():
        assert tokens(direct, count) == tokens(made, count)
    assert direct["metadata"]["verdict"] == made["metadata"]["extra"]["verdict"]


def values(run, kind, key):
    return Counter(json.dumps(event[key]) for event in of_type(run, kind))


def tokens(run, name):
    answers = of_type(run, "llm.response")
    return sum(event["metadata"].get("usage", {}).get(name, 0) for event in answers)
