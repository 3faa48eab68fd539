"""What holds for every trace: documents are valid, and say what the trace says."""

import json
import tempfile
from collections import Counter
from pathlib import Path

import atif
import pytest
from hypothesis import HealthCheck, given, settings

from fakes.conversions import converted, value
from fakes.har_schema import har_problems
from fakes.otlp import parsed
from fakes.traces import traces
from quickstarted.errors import UsageError
from quickstarted.events import AgentTurn, RunEnd, SuccessCheck, ToolCall, ToolResult
from quickstarted.formats.agent_log import check_log
from quickstarted.formats.export import TARGETS
from quickstarted.formats.export.attempt import usage_of
from quickstarted.formats.export.calls import ANSWERS, Calls
from quickstarted.formats.trajectory import check_trajectories
from quickstarted.formats.trajectory.importing import ImportOptions, ModelSink, import_file

MANY = settings(
    max_examples=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


def of(kind, events):
    return [event for event in events if isinstance(event, kind)]


def checked(content):
    """The problems that `trajectory check` has with a document."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        path.write_bytes(content)
        report = check_trajectories(path)
    return [one.code for one in report.problems if one.severity == "error"]


def imported(content):
    """A document, imported again; and what the import had to say against it."""
    sink = ModelSink()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        path.write_bytes(content)
        import_file(path, sink, ImportOptions())
    (trajectory,) = sink.trajectories
    return trajectory


@MANY
@given(traces())
def test_a_trajectory_passes_the_strict_check(events):
    assert [] == checked(converted(events, "trajectory")[0])


@MANY
@given(traces())
def test_a_trajectory_keeps_calls_results_tokens_and_the_verdict(events):
    made = value(events, "trajectory")
    kinds = Counter(one["metadata"]["event"] for one in made["events"])
    outputs = [
        one.get("output") for one in made["events"] if one["metadata"]["event"] == "tool_result"
    ]

    assert len(of(ToolCall, events)) == kinds["tool_call"]
    assert [one.output for one in of(ToolResult, events)] == outputs
    assert [usage_of(one) for one in of(AgentTurn, events)] == [
        one["metadata"]["usage"] for one in made["events"] if one["event_type"] == "llm.response"
    ]
    assert [one.classification for one in of(RunEnd, events)] == [
        made["metadata"][key]["classification"] for key in ("verdict",) if key in made["metadata"]
    ]


@MANY
@given(traces())
def test_every_event_of_a_trace_is_in_its_trajectory(events):
    told = {one["metadata"]["event"] for one in value(events, "trajectory")["events"]}

    assert {event.type for event in events} == told


@MANY
@given(traces())
def test_atif_is_taken_by_its_own_models(events):
    content, _ = converted(events, "atif")
    made = atif.Trajectory.model_validate_json(content)

    assert made.steps
    assert made.final_metrics.total_steps == len(made.steps)


@MANY
@given(traces())
def test_by_way_of_atif_calls_results_tokens_and_the_verdict_are_kept(events):
    trajectory = imported(converted(events, "atif")[0])
    kinds = [one.event_type.value for one in trajectory.events]
    answers = Calls()
    outputs = []
    for event in events:
        if isinstance(event, ToolCall):
            answers.add(event)
        elif isinstance(event, ANSWERS):
            is_answer = answers.answer(event) is not None
            outputs += [event.output] if is_answer and isinstance(event, ToolResult) else []
    turns = [one for one in trajectory.events if one.metadata.get("llm_call_count") == 1]
    ended = of(RunEnd, events)
    extra = trajectory.metadata["extra"]

    assert len(of(ToolCall, events)) == kinds.count("tool.call")
    assert Counter(outputs) == Counter(
        one.output or ""
        for one in trajectory.events
        if one.event_type.value == "tool.result" and one.metadata["extra"]["event"] == "tool_result"
    )
    assert [
        (one.input_tokens, one.output_tokens, one.cache_read_tokens, one.cache_write_tokens)
        for one in of(AgentTurn, events)
    ] == [
        tuple(
            one.metadata["usage"].get(key, 0)
            for key in (
                "input_tokens",
                "output_tokens",
                "cache_read_input_tokens",
                "cache_write_input_tokens",
            )
        )
        for one in turns
    ]
    assert [one.passed for one in ended] == [
        extra[key]["passed"] for key in ("verdict",) if key in extra
    ]


@MANY
@given(traces())
def test_spans_are_read_by_the_protocols_own_parser_and_hang_together(events):
    spans = parsed(converted(events, "otlp")[0])
    ids = [span.span_id for span in spans]
    (root,) = [span for span in spans if not span.parent_span_id]

    assert len(set(ids)) == len(ids)
    assert {span.parent_span_id for span in spans} <= {b"", *ids}
    assert {16} == {len(span.trace_id) for span in spans}
    assert all(span.start_time_unix_nano <= span.end_time_unix_nano for span in spans)
    assert len(of(ToolCall, events)) == sum(span.name.startswith("execute_tool ") for span in spans)
    assert root.name.startswith("invoke_agent ")


@MANY
@given(traces())
def test_har_is_valid_against_its_schema(events):
    made = value(events, "har")
    egress = [one for one in events if one.type.startswith("egress_")]
    requests = [one for one in egress if one.method != "DNS"]

    assert [] == har_problems(made)
    assert len(requests) == len(made["log"]["entries"])
    assert len(egress) - len(requests) == made["log"]["_quickstarted"]["refused_lookups"]


def is_of_a_model(events):
    """Whether a tool was called after a model had spoken."""
    turns = [at for at, event in enumerate(events) if isinstance(event, AgentTurn)]
    return bool(turns) and bool(of(ToolCall, events[turns[0] :]))


@MANY
@given(traces().filter(is_of_a_model))
def test_an_agent_log_has_no_error_but_that_of_a_run_without_end(events):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "agent-log.jsonl"
        path.write_bytes(converted(events, "agent-log")[0])
        report = check_log(path)
    errors = {one.code for one in report.problems if one.severity == "error"}

    assert (set() if of(RunEnd, events) else {"no-run-end"}) == errors


@MANY
@given(traces().filter(lambda events: not is_of_a_model(events)))
def test_what_no_model_asked_for_is_no_agent_log(events):
    with pytest.raises(UsageError, match="has no call of a"):
        converted(events, "agent-log")


@MANY
@given(traces())
def test_a_message_of_a_tool_follows_the_one_that_called_it(events):
    content, _ = converted(events, "messages")
    made = json.loads(content)
    called = Counter()
    for message in made["messages"]:
        called.update(one["id"] for one in message.get("tool_calls", []))
        if message["role"] == "tool":
            called[message["tool_call_id"]] -= 1

    assert all(count >= 0 for count in called.values())
    assert 1 == content.count(b"\n")


@pytest.mark.parametrize("target", [name for name in TARGETS if name != "agent-log"])
@settings(max_examples=15, deadline=None)
@given(events=traces())
def test_a_document_is_the_same_each_time_and_cannot_drive_a_terminal(target, events):
    content, _ = converted(events, target)

    assert converted(events, target)[0] == content
    assert content.isascii()
    assert set() == {byte for byte in content if byte < 0x20 or byte == 0x7F} - {0x0A}


@settings(max_examples=15, deadline=None)
@given(traces())
def test_the_check_is_told_in_the_summary(events):
    made = value(events, "trajectory")["metadata"]
    checks = [one.passed for one in of(SuccessCheck, events)]

    assert checks == [made[key]["passed"] for key in ("success_check",) if key in made]
