"""What each event of a trace becomes in a trajectory."""

import json

import pytest

from fakes import attempts
from fakes.conversions import converted, document, value
from fakes.traces import written
from quickstarted.events import (
    AffordanceWithheld,
    AgentFinal,
    Fault,
    FetchBlocked,
    FetchError,
    Setup,
    ToolCall,
    UnknownEvent,
)
from quickstarted.formats.trajectory import MAX_UPLOAD_BYTES, check_value

START, END = attempts.run_start(), attempts.run_end()
PAGE = "https://docs.example/"
READ = ToolCall(ts=1001, tool="read_docs", url=PAGE)


def events_of(*middle):
    return value([START, *middle, END], "trajectory")["events"][1:-1]


def test_a_call_hangs_below_the_turn_that_asked_and_its_result_below_the_call():
    turn, call, result = events_of(
        attempts.agent_turn(text="Now install."),
        attempts.tool_call("pip install x", call_id="c1"),
        attempts.tool_result(2, output="no", call_id="c1"),
    )

    assert (None, turn["event_id"], call["event_id"]) == (
        turn.get("parent_event_id"),
        call["parent_event_id"],
        result["parent_event_id"],
    )
    assert ("Now install.", {"command": "pip install x"}, "no", "exit code 2", 1000.0) == (
        turn["output"],
        call["input"],
        result["output"],
        result["error"],
        result["duration_ms"],
    )


def test_results_out_of_order_find_their_calls_by_name():
    made = events_of(
        attempts.tool_call("a", call_id="c1"),
        attempts.tool_call("b", call_id="c2"),
        attempts.tool_result(output="of b", call_id="c2"),
        attempts.tool_result(output="of a", call_id="c1"),
    )

    assert {"of a": "a", "of b": "b"} == {
        one["output"]: parent["input"]["command"]
        for one in made[2:]
        for parent in made[:2]
        if parent["event_id"] == one["parent_event_id"]
    }


def test_requests_hang_below_the_command_that_made_them():
    call, allowed, blocked, failed = events_of(
        attempts.tool_call("pip install x", scope=3),
        attempts.egress_allowed(scope=3),
        attempts.egress_blocked("docs.example", scope=3),
        attempts.egress_error(scope=3),
    )

    assert [
        ("observation", None),
        ("guardrail", "not_allowlisted"),
        ("error", "no answer"),
    ] == [(one["event_type"], one.get("error")) for one in (allowed, blocked, failed)]
    assert {call["event_id"]} == {one["parent_event_id"] for one in (allowed, blocked, failed)}


def test_a_page_that_was_read_is_a_result_with_its_address():
    _, page = events_of(READ, attempts.docs_fetch(PAGE, content_type="text/html"))

    assert "tool.result" == page["event_type"]
    assert [
        {
            "uri": PAGE,
            "modality": "file",
            "media_type": "text/html",
            "metadata": {"content_hash": "sha256:00"},
        }
    ] == page["artifacts"]


def test_an_address_that_is_none_of_the_web_is_no_artifact():
    _, page = events_of(READ, attempts.docs_fetch("file:///etc/passwd"))

    assert ([], "file:///etc/passwd") == (page["artifacts"], page["metadata"]["url"])


@pytest.mark.parametrize(
    ("event", "kind", "error"),
    [
        (FetchBlocked(ts=1002, url=PAGE, reason="no_docs"), "guardrail", "no_docs"),
        (AffordanceWithheld(ts=1002, url=PAGE), "guardrail", "affordance_withheld"),
        (FetchError(ts=1002, url=PAGE, error="404"), "error", "404"),
    ],
)
def test_a_page_that_was_not_read_is_what_stopped_it_and_a_result(event, kind, error):
    call, stop, result = events_of(READ, event)

    assert [(kind, error), ("tool.result", error)] == [
        (one["event_type"], one["error"]) for one in (stop, result)
    ]
    assert {call["event_id"]} == {one["parent_event_id"] for one in (stop, result)}
    assert stop["event_id"] == result["metadata"]["stopped_by"]


def test_what_stopped_a_page_that_nobody_asked_for_is_no_result():
    (stop,) = events_of(FetchBlocked(ts=1002, url=PAGE, reason="no_docs"))

    assert "guardrail" == stop["event_type"]


@pytest.mark.parametrize(
    ("event", "kind", "agent", "module"),
    [
        (Setup(ts=1001, command="x", exit_code=0, output="o"), "tool.result", "harness", "setup"),
        (Fault(ts=1001, component="sandbox", error="gone"), "error", "harness", "fault"),
        (AgentFinal(ts=1001, text="done"), "agent.step", "replay", "final"),
        (UnknownEvent(ts=1001, type="dream", of="sheep"), "observation", "harness", "dream"),
        (attempts.success_check(1), "observation", "harness", "success_check"),
    ],
)
def test_other_events_have_a_type_and_a_module(event, kind, agent, module):
    (made,) = events_of(event)

    assert (kind, agent, module) == (made["event_type"], made["agent_name"], made["module"])


def test_fields_of_newer_versions_are_kept_apart():
    (made,) = events_of(UnknownEvent(ts=1001, type="dream", event="x", output=1))

    assert {"event": "x", "output": 1} == made["metadata"]["native"]


def test_what_is_nested_too_deeply_for_readers_is_text(tmp_path):
    trace = written(tmp_path, [START])
    with trace.open("ab") as stream:
        stream.write(b'{"ts":1001,"type":"deep","of":' + b"[" * 300 + b"]" * 300 + b"}\n")
    content, _ = document(trace, "trajectory")

    assert b"[" * 80 in content
    assert 2 == check_value(json.loads(content), lambda _, message: pytest.fail(message))


def test_more_than_an_upload_takes_is_said():
    output = "x" * (MAX_UPLOAD_BYTES // 2)
    results = [attempts.tool_result(output=output) for _ in range(2)]
    _, notes = converted([START, *results, END], "trajectory")

    assert ["checkers and uploads take 26,214,400"] == [one.split("; ")[1] for one in notes]


def test_the_verdict_tokens_and_cost_are_in_the_metadata():
    turns = [attempts.agent_turn(cost_usd=0.25), attempts.agent_turn(2, cost_usd=0.5)]
    made = value([START, *turns, attempts.success_check(), END], "trajectory")["metadata"]

    assert {"passed": True, "classification": "passed", "stop_reason": "completed"} == made[
        "verdict"
    ]
    assert (30, 0.75, True) == (
        made["usage"]["total_tokens"],
        made["cost_usd"],
        made["success_check"]["passed"],
    )
