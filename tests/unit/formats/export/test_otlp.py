"""Spans with the names of OpenTelemetry's GenAI conventions."""

import pytest

from fakes import attempts
from fakes.conversions import converted
from fakes.otlp import attributes, parsed
from quickstarted.events import ApiRetry, ToolCall
from quickstarted.formats.export.calls import MAX_REMEMBERED

START = attempts.run_start(agent="claude", model="model-a")
ERROR = 2


def spans(*events, end=True):
    ended = [attempts.run_end()] if end else []
    made = parsed(converted([START, *events, *ended], "otlp")[0])
    return {span.name: span for span in made}


def test_a_turn_is_a_span_of_its_length_with_its_tokens():
    turn = attempts.agent_turn(
        ts=1005.5, duration=2.5, cache_read_tokens=100, cache_write_tokens=7, text="Now install."
    )
    span = spans(turn)["chat model-a"]
    told = attributes(span)

    assert (1003.0, 1005.5) == (span.start_time_unix_nano / 1e9, span.end_time_unix_nano / 1e9)
    assert {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "model-a",
        "gen_ai.response.model": "model-a",
        "gen_ai.response.finish_reasons": ["tool_use"],
        "gen_ai.usage.input_tokens": 117,
        "gen_ai.usage.output_tokens": 5,
        "gen_ai.usage.cache_read.input_tokens": 100,
        "gen_ai.usage.cache_creation.input_tokens": 7,
        "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text",'
        '"content":"Now install."}],"finish_reason":"tool_call"}]',
        "quickstarted.turn": 1,
    } == told


def test_a_call_lasts_until_its_result_and_has_its_requests_below_it():
    made = spans(
        attempts.tool_call("pip install x", ts=1002, call_id="c1", scope=1),
        attempts.egress_allowed(scope=1),
        attempts.tool_result(3, ts=1004, call_id="c1", output="no", cwd="/w"),
    )
    call, request = made["execute_tool bash"], made["GET"]
    told = attributes(call)

    assert call.span_id == request.parent_span_id
    assert made["invoke_agent claude"].span_id == call.parent_span_id
    assert 2_000_000_000 == call.end_time_unix_nano - call.start_time_unix_nano
    assert (ERROR, "exit code 3", "nonzero_exit", 3, "c1", "no") == (
        call.status.code,
        call.status.message,
        told["error.type"],
        told["process.exit.code"],
        told["gen_ai.tool.call.id"],
        told["gen_ai.tool.call.result"],
    )
    assert '{"command":"pip install x"}' == told["gen_ai.tool.call.arguments"]


@pytest.mark.parametrize(
    ("event", "name", "kind"),
    [
        (attempts.egress_blocked("x", method="GET"), "GET", "not_allowlisted"),
        (attempts.egress_error(), "GET", "connect_failed"),
        (
            ApiRetry(ts=1002, turn=1, attempt=1, sleep=1, error="busy", status=529),
            "chat model-a",
            "529",
        ),
        (ToolCall(ts=1002, tool="fly", refused="no such tool"), "execute_tool fly", "refused"),
        (attempts.success_check(1), "success_check", "nonzero_exit"),
    ],
)
def test_what_failed_is_an_error_with_its_type(event, name, kind):
    span = spans(event)[name]

    assert (ERROR, kind) == (span.status.code, attributes(span)["error.type"])


def test_the_attempt_has_the_verdict_and_what_happened_at_a_moment():
    root = spans(attempts.docs_fetch())["invoke_agent claude"]
    told = attributes(root)

    assert ["docs_fetch", "run_end"] == [event.name for event in root.events]
    assert 0 == root.status.code
    assert (
        '{"passed":true,"classification":"passed","stop_reason":"completed"}'
        == (told["quickstarted.verdict"])
    )


def test_an_attempt_without_end_lasts_until_its_last_event_and_is_an_error():
    root = spans(attempts.docs_fetch(ts=1003), end=False)["invoke_agent claude"]

    assert (3_000_000_000, "the trace is not whole: there is no run_end") == (
        root.end_time_unix_nano - root.start_time_unix_nano,
        root.status.message,
    )


def test_no_call_is_lost_where_too_many_are_waited_for():
    calls = [attempts.tool_call(f"c{at}", call_id=f"{at}") for at in range(MAX_REMEMBERED + 3)]
    made = parsed(converted([START, *calls, attempts.run_end()], "otlp")[0])

    assert len(calls) == sum(span.name == "execute_tool bash" for span in made)


def test_a_number_beyond_64_bits_is_text():
    made = spans(attempts.agent_turn(turn=2**70))

    assert str(2**70) == attributes(made["chat model-a"])["quickstarted.turn"]
