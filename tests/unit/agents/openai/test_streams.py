"""Streams whose events are not what the Responses API documents, read without a connection."""

from __future__ import annotations

import pytest

from quickstarted.agents.model.vendor import ServiceTrouble, Stop
from quickstarted.agents.openai.stream import Assembly, Broken

RESPONSE = {"model": "gpt-x", "status": "completed", "output": []}
CALL = {"type": "function_call", "call_id": "c", "name": "bash", "arguments": "{}"}
TEXT = {"type": "output_text", "text": "Hi."}
MESSAGE = {"type": "message", "role": "assistant", "content": [TEXT]}


def event(kind, **fields):
    return {"type": f"response.{kind}", **fields}


def created(**fields):
    return event("created", response={**RESPONSE, "status": "in_progress", **fields})


def done(item, index=0):
    return event("output_item.done", output_index=index, item=item)


def completed(**fields):
    return event("completed", response={**RESPONSE, **fields})


def assembled(*events):
    assembly = Assembly("asked-for")
    for one in events:
        assembly.take(one)
    return assembly


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param(5, id="a number"),
        pytest.param(None, id="nothing"),
        pytest.param([1], id="a list"),
        pytest.param({"type": 5}, id="a type that is a number"),
        pytest.param({}, id="no type"),
        pytest.param(event("created"), id="no response"),
        pytest.param(created(model=5), id="a model that is a number"),
        pytest.param(event("output_item.done", output_index=0), id="no item"),
        pytest.param(done({**CALL}, "0"), id="an index that is text"),
        pytest.param(done({"id": "x"}), id="an item of no type"),
        pytest.param(done({**CALL, "call_id": None}), id="a call without id"),
        pytest.param(done({**CALL, "name": 5}), id="a name that is a number"),
        pytest.param(done({**CALL, "arguments": {}}), id="arguments that are no text"),
        pytest.param(done({"type": "message"}), id="a message without content"),
        pytest.param(done({**MESSAGE, "content": [5]}), id="a part that is a number"),
        pytest.param(done({**MESSAGE, "content": [{**TEXT, "text": 5}]}), id="a number for text"),
        pytest.param(done({**MESSAGE, "content": [{"type": "refusal"}]}), id="no refusal"),
        pytest.param(completed(usage={"input_tokens": -1}), id="a negative count"),
        pytest.param(completed(usage={"input_tokens": "7"}), id="a count that is text"),
        pytest.param(completed(output=[{}]), id="an output of no type"),
        pytest.param(
            event("incomplete", response={**RESPONSE, "incomplete_details": {"reason": 5}}),
            id="a reason that is a number",
        ),
        pytest.param(event("failed", response={**RESPONSE, "error": 5}), id="an odd error"),
    ],
)
def test_an_event_that_cannot_be_read_says_where(odd):
    with pytest.raises(ValueError, match=r"^(response\.\w|an event without a type)") as caught:
        assembled(odd)

    assert "pydantic" not in str(caught.value)


@pytest.mark.parametrize(
    "events",
    [
        pytest.param([completed()], id="nothing but the end"),
        pytest.param([event("weather", degrees=3), completed()], id="a new event"),
        pytest.param([created(mood="good"), completed(mood="good")], id="new fields"),
        pytest.param([done({"type": "hologram", "x": 1}), completed()], id="a new item"),
        pytest.param(
            [done({**MESSAGE, "content": [{"type": "smell"}]}), completed()], id="a new part"
        ),
        pytest.param([completed(), 5], id="something after the end"),
        pytest.param([completed(usage=None)], id="no usage"),
        pytest.param([completed(status="tired")], id="a new status"),
        pytest.param(
            [event("incomplete", response={**RESPONSE, "incomplete_details": {"reason": "tired"}})],
            id="a new reason to be incomplete",
        ),
    ],
)
def test_what_is_missing_or_new_changes_nothing(events):
    reply = assembled(*events).reply()

    assert (Stop.DONE, ()) == (reply.stop, reply.tool_uses)


def test_a_stream_that_ends_before_the_reply_is_trouble():
    with pytest.raises(ServiceTrouble, match="ended before the reply did"):
        assembled(created(), done(CALL)).reply()


@pytest.mark.parametrize(
    ("events", "code"),
    [
        ([{"type": "error", "code": "server_error", "message": "No."}], "server_error"),
        ([{"type": "error", "message": "No."}], None),
        (
            [event("failed", response={**RESPONSE, "error": {"code": "x", "message": "No."}})],
            "x",
        ),
        ([event("failed", response={**RESPONSE, "status": "failed"})], None),
    ],
)
def test_a_failure_in_the_middle_has_its_code(events, code):
    with pytest.raises(Broken) as caught:
        assembled(created(), *events)

    assert code == caught.value.trouble.code


def test_items_are_taken_in_their_order_whichever_comes_first():
    other = {**CALL, "call_id": "d"}

    reply = assembled(done(other, 1), done(CALL, 0), completed()).reply()

    assert ["c", "d"] == [use.call_id for use in reply.tool_uses]


def test_items_of_the_end_fill_in_what_did_not_come_before():
    other = {**CALL, "call_id": "d", "arguments": '{"x'}

    assembly = assembled(done(CALL, 0), completed(output=[CALL, other]))

    assert ["", "d"] == ["" if use.call_id == "c" else "d" for use in assembly.reply().tool_uses]
    assert ["{}", "{}"] == [item["arguments"] for item in assembly.items]
    assert "cut off" in assembly.reply().tool_uses[1].problem


def test_the_model_is_the_one_that_was_asked_for_until_the_service_names_one():
    assert "asked-for" == assembled(completed(model="")).reply().model
    assert "gpt-x" == assembled(created(), completed(model="")).reply().model
