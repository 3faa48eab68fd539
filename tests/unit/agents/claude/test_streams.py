"""Streams whose events are not what the service documents: the attempt ends all the same."""

from __future__ import annotations

import json

import pytest

from fakes.messages_api_replies import Page, Text, ToolUse, Turn, bash, say
from fakes.scripted_http import Repeat

USAGE = {"input_tokens": 1, "output_tokens": 1}
MESSAGE = {
    "id": "m",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [],
    "stop_reason": None,
    "stop_sequence": None,
    "usage": USAGE,
}
START = {"type": "message_start", "message": MESSAGE}
STOP = {"type": "message_stop"}
TEXT = {"type": "text", "text": ""}
TOOL = {"type": "tool_use", "id": "t1", "name": "bash", "input": {}}


def message(**fields):
    return {"type": "message_start", "message": {**MESSAGE, **fields}}


def block(content, index=0):
    return {"type": "content_block_start", "index": index, "content_block": content}


def delta(content, index=0):
    return {"type": "content_block_delta", "index": index, "delta": content}


def text(said):
    return delta({"type": "text_delta", "text": said})


def closed(index=0):
    return {"type": "content_block_stop", "index": index}


def ends(reason="end_turn", *, usage=USAGE, **more):
    return {"type": "message_delta", "delta": {"stop_reason": reason, **more}, "usage": usage}


def stream(*events):
    lines = [f"event: message_start\ndata: {json.dumps(event)}\n\n" for event in events]
    return Page("".join(lines), content_type="text/event-stream")


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([message(usage={"input_tokens": "7"}), ends(), STOP], id="a count is text"),
        pytest.param([message(usage={"input_tokens": -7}), ends(), STOP], id="a negative count"),
        pytest.param([message(usage={"input_tokens": 1.5}), ends(), STOP], id="half a token"),
        pytest.param([message(model=5), ends(), STOP], id="the model is a number"),
        pytest.param([{"type": "message_start", "message": None}, ends(), STOP], id="no message"),
        pytest.param([START, block(None), closed(), ends(), STOP], id="no block"),
        pytest.param([START, block({"text": "x"}), ends(), STOP], id="a block of no type"),
        pytest.param([START, block({"type": "text"}), ends(), STOP], id="a text without text"),
        pytest.param([START, block({**TEXT, "text": 5}), ends(), STOP], id="a number for text"),
        pytest.param([START, block(TEXT, None), ends(), STOP], id="a block of no index"),
        pytest.param([START, block(TEXT, [1]), ends(), STOP], id="an index that is a list"),
        pytest.param([START, block({**TOOL, "id": None}), ends(), STOP], id="a call without id"),
        pytest.param([START, block({**TOOL, "id": 5}), ends(), STOP], id="a number for id"),
        pytest.param([START, block({**TOOL, "name": None}), ends(), STOP], id="a call of no tool"),
        pytest.param([START, block({**TOOL, "name": 5}), ends(), STOP], id="a number for name"),
        pytest.param([START, block({**TOOL, "input": [1]}), ends(), STOP], id="input is a list"),
        pytest.param([START, delta({"type": "text_delta", "text": "x"})], id="a block not begun"),
        pytest.param([START, block(TOOL), text("x"), ends(), STOP], id="text for a call"),
        pytest.param([START, block(TEXT), delta(None), ends(), STOP], id="no delta"),
        pytest.param([START, block(TEXT), text(5), ends(), STOP], id="a number for more text"),
        pytest.param(
            [START, block(TOOL), delta({"type": "input_json_delta", "partial_json": 5}), STOP],
            id="a number for JSON",
        ),
        pytest.param([START, {"type": "message_delta", "delta": None}, STOP], id="no end"),
        pytest.param([START, ends(5), STOP], id="a number for the reason"),
        pytest.param([START, ends("refusal", stop_details=5), STOP], id="a number for details"),
        pytest.param(
            [START, ends("refusal", stop_details={"explanation": 5}), STOP], id="a number for why"
        ),
        pytest.param([START, ends(None), STOP], id="no reason to stop"),
        pytest.param([[1, 2]], id="an event that is a list"),
        pytest.param([5], id="an event that is a number"),
        pytest.param([None], id="an event that is nothing"),
    ],
)
def test_a_stream_that_cannot_be_read_is_tried_again_and_then_infra_error(attempts, events):
    attempted = attempts.run(Repeat(stream(*events), 6))

    assert ("model_unavailable", "infra_error") == attempted.ending
    assert "the service's stream" in attempted.result.fault.error
    assert "pydantic" not in attempted.result.fault.error


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([message(usage=None), ends(), STOP], id="no usage"),
        pytest.param([START, ends(usage=None), STOP], id="no usage at the end"),
        pytest.param([message(model=None), ends(), STOP], id="no model"),
        pytest.param([START, block({"type": "hologram", "x": 1}), ends(), STOP], id="a new block"),
        pytest.param(
            [START, block(TEXT), delta({"type": "shade_delta", "shade": 1}), ends(), STOP],
            id="a new delta",
        ),
        pytest.param([START, {"type": "weather"}, ends(), STOP], id="a new event"),
        pytest.param([START, ends("tired"), STOP], id="a new reason to stop"),
        pytest.param([START, ends(), STOP, [1]], id="something after the end"),
        pytest.param(
            [
                START,
                block({"type": "thinking", "thinking": "", "signature": ""}),
                delta({"type": "thinking_delta", "thinking": "Hm."}),
                delta({"type": "signature_delta", "signature": "s"}),
                ends(),
                STOP,
            ],
            id="only thinking",
        ),
    ],
)
def test_what_is_missing_or_new_in_a_stream_changes_nothing(attempts, events):
    attempted = attempts.run(bash("touch done"), stream(*events))

    assert ("completed", "passed") == attempted.ending


def test_what_comes_after_the_end_is_no_part_of_the_reply(attempts):
    late = stream(START, ends(), STOP, block({**TOOL, "input": {"command": "touch done"}}))

    attempted = attempts.run(late)

    assert ("completed", "docs_gap") == attempted.ending
    assert [] == attempted.of_type("tool_call")


def test_a_count_that_is_left_out_keeps_its_value(attempts):
    begun = message(usage={"input_tokens": 7, "cache_read_input_tokens": 30})

    attempted = attempts.run(stream(begun, ends(usage={"output_tokens": 5}), STOP))

    tokens = attempted.result.tokens
    assert (7, 30, 5) == (tokens.input_tokens, tokens.cache_read_tokens, tokens.output_tokens)


def test_a_text_without_text_is_not_said_back(attempts):
    empty = Turn(content=(Text(""), Text(" \n"), ToolUse("bash", {"command": "touch done"})))

    attempted = attempts.run(empty, say("Done."))

    assert ("completed", "passed") == attempted.ending
    said = attempted.requests[1].body["messages"][1]["content"]
    assert ["tool_use"] == [one["type"] for one in said]


def test_half_a_character_in_a_name_or_an_id_is_made_plain(attempts):
    odd = {"type": "tool_use", "id": "t\ud800", "name": "ba\udfffsh", "input": {"a\ud800": 1}}

    attempted = attempts.run(
        stream(START, block(odd), ends("tool_use"), STOP),
        bash("touch done"),
        say("Done."),
        done=False,
    )

    (refused, *_) = attempted.of_type("tool_call")
    assert "there is no tool of this name" in refused.refused
    assert 1 < len(attempted.requests)


def test_a_call_whose_block_is_not_closed_is_carried_out_with_its_input(attempts):
    piece = {"type": "input_json_delta", "partial_json": '{"command": "touch done"}'}
    unclosed = stream(START, block(TOOL), delta(piece), ends("tool_use"), STOP)

    attempted = attempts.run(unclosed, stream(START, ends(), STOP))

    assert ["touch done"] == [call.command for call in attempted.of_type("tool_call")]


@pytest.mark.parametrize("depth", [300, 5000])
def test_input_that_is_nested_deep_ends_nothing(attempts, depth):
    raw = '{"command": "true", "x": ' + "[" * depth + "]" * depth + "}"
    deep = Turn(content=(ToolUse("bash", raw=(raw,)),))

    attempted = attempts.run(deep, bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
