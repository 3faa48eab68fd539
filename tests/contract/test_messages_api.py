"""
The vendor's real SDK understands what the scripted Messages API says, as it would the service.
"""

from __future__ import annotations

import json

import anthropic
import pytest

from contract.vendor_clients import (
    CLIENTS,
    HELLO,
    KEY,
    MODEL,
    assistant,
    connect,
    text,
    tool_result,
    user,
)
from fakes.messages_api import Model, ScriptedMessagesApi
from fakes.messages_api_replies import (
    RedactedThinking,
    Text,
    Thinking,
    ToolUse,
    Turn,
    Usage,
    bash,
    call,
    say,
)

ADAPTIVE = {"type": "adaptive"}
WHOLE_TURN = Turn(
    (
        Thinking("First the list, then the file."),
        RedactedThinking("b3BhcXVl"),
        Text("Two calls at once, é and 𝄞."),
        ToolUse("bash", {"command": "ls -l", "restart": False}, id="toolu_one"),
        ToolUse("read_docs", {"url": "https://docs.example/", "n": [1, {"a": None}]}),
    ),
    usage=Usage(7, 11, cache_creation_input_tokens=13, cache_read_input_tokens=17),
)


@pytest.fixture(params=CLIENTS, name="kind")
def _kind(request):
    return CLIENTS[request.param]


@pytest.fixture(params=["create", "stream"], name="way")
def _way(request):
    """Asked for as one document, or as a stream."""
    return request.param


@pytest.fixture(name="ask")
def _ask(kind, way):
    """Asks the API once."""

    def ask(api, **more):
        return getattr(kind(api), way)(**more)

    return ask


def test_a_turn_arrives_with_every_block_as_it_was_written(ask):
    with ScriptedMessagesApi([WHOLE_TURN], api_key=KEY) as api:
        message = ask(api)
    thinking, redacted, said, first, second = message.content

    assert "First the list, then the file." == thinking.thinking
    assert thinking.signature
    assert "b3BhcXVl" == redacted.data
    assert "Two calls at once, é and 𝄞." == said.text
    assert ("toolu_one", "bash") == (first.id, first.name)
    assert {"command": "ls -l", "restart": False} == first.input
    assert {"url": "https://docs.example/", "n": [1, {"a": None}]} == second.input
    assert second.id.startswith("toolu_")
    assert ("tool_use", "assistant", "message") == (message.stop_reason, message.role, message.type)
    assert message.id.startswith("msg_")
    api.assert_done()


def test_all_counters_of_usage_arrive(ask):
    with ScriptedMessagesApi([WHOLE_TURN]) as api:
        usage = ask(api).usage

    assert 7 == usage.input_tokens
    assert 11 == usage.output_tokens
    assert 13 == usage.cache_creation_input_tokens
    assert 13 == usage.cache_creation.ephemeral_5m_input_tokens
    assert 17 == usage.cache_read_input_tokens
    assert "standard" == usage.service_tier


def test_tokens_of_thinking_are_told_apart_where_the_script_does(ask):
    with ScriptedMessagesApi([say("Done.", usage=Usage(thinking_tokens=9))]) as api:
        message = ask(api)

    assert 9 == message.usage.output_tokens_details.thinking_tokens


@pytest.mark.parametrize(
    "stop",
    [
        "end_turn",
        "tool_use",
        "max_tokens",
        "stop_sequence",
        "refusal",
        "pause_turn",
        "model_context_window_exceeded",
    ],
)
def test_every_reason_to_stop_can_be_given(ask, stop):
    with ScriptedMessagesApi([say("Well.", stop_reason=stop)]) as api:
        message = ask(api)

    assert stop == message.stop_reason


def test_a_refusal_says_why(ask):
    why = {"type": "refusal", "category": "cyber", "explanation": "No."}
    with ScriptedMessagesApi([Turn(stop_reason="refusal", stop_details=why)]) as api:
        message = ask(api)

    assert [] == message.content
    assert ("cyber", "No.") == (message.stop_details.category, message.stop_details.explanation)


def test_the_stop_sequence_is_named(ask):
    turn = say("One", stop_reason="stop_sequence", stop_sequence="END")
    with ScriptedMessagesApi([turn]) as api:
        message = ask(api, stop_sequences=["END"])

    assert "END" == message.stop_sequence


@pytest.mark.parametrize(("told", "expected"), [(None, MODEL), ("claude-other", "claude-other")])
def test_the_model_is_echoed_unless_the_script_names_another(ask, told, expected):
    with ScriptedMessagesApi([say("Hello.", model=told)]) as api:
        message = ask(api)

    assert expected == message.model


@pytest.mark.parametrize("content", [(), (Text(""),)])
def test_a_reply_may_be_empty(ask, content):
    with ScriptedMessagesApi([Turn(content)]) as api:
        message = ask(api)

    assert "end_turn" == message.stop_reason
    assert "" == "".join(block.text for block in message.content)


def test_five_megabytes_of_input_arrive_whole(ask):
    big = "x" * 5_000_000
    with ScriptedMessagesApi([bash(big)]) as api:
        message = ask(api)

    assert {"command": big} == message.content[0].input


def test_a_stream_has_the_service_s_events_in_the_service_s_order(kind):
    turn = Turn((Thinking("Hm."), Text("Hi."), ToolUse("bash", {"command": "ls"})))
    seen = []
    with ScriptedMessagesApi([turn]) as api:
        kind(api).events(seen)
    named = [(event.type, getattr(event, "index", None)) for event in seen]
    deltas = [event.delta.type for event in seen if event.type == "content_block_delta"]

    assert ("message_start", None) == named[0]
    assert [("message_delta", None), ("message_stop", None)] == named[-2:]
    for index in (0, 1, 2):
        own = [name for name, at in named if at == index]
        assert ("content_block_start", "content_block_stop") == (own[0], own[-1])
        assert {"content_block_delta"} == set(own[1:-1])
    assert sorted(at for _, at in named[1:-2]) == [at for _, at in named[1:-2]]
    assert ["thinking_delta", "signature_delta", "text_delta"] == deltas[:3]
    assert {"input_json_delta"} == set(deltas[3:])
    assert seen[0].message.stop_reason is None
    assert [] == seen[0].message.content


def test_a_tool_s_input_is_streamed_in_pieces(kind):
    seen = []
    with ScriptedMessagesApi([bash("echo one two three four five six seven")]) as api:
        kind(api).events(seen)
    pieces = [event.delta.partial_json for event in seen if event.type == "content_block_delta"]

    assert "" == pieces[0]
    assert len(pieces) > 3
    assert {"command": "echo one two three four five six seven"} == json.loads("".join(pieces))


def test_malformed_input_arrives_as_it_is(kind):
    seen = []
    turn = Turn((ToolUse("bash", raw=('{"command": ', "ls]")),))
    with ScriptedMessagesApi([turn]) as api:
        kind(api).events(seen)
    pieces = [event.delta.partial_json for event in seen if event.type == "content_block_delta"]

    assert ["", '{"command": ', "ls]"] == pieces
    assert "tool_use" == seen[-2].delta.stop_reason


def test_the_sdk_s_own_helper_gives_up_on_malformed_input(kind):
    turn = Turn((ToolUse("bash", raw=('{"command": ', "ls]")),))
    with (
        ScriptedMessagesApi([turn]) as api,
        pytest.raises(ValueError, match="Unable to parse tool parameter JSON"),
    ):
        kind(api).stream()


def test_input_cut_off_by_max_tokens_is_no_whole_document(kind):
    turn = Turn((ToolUse("bash", raw=('{"command": "ls',)),), stop_reason="max_tokens")
    with ScriptedMessagesApi([turn]) as api:
        message = kind(api).stream()

    assert "max_tokens" == message.stop_reason


def test_a_trickle_arrives_whole(ask):
    with ScriptedMessagesApi([say("drop by drop", event_pause_s=0.01)]) as api:
        message = ask(api)

    assert "drop by drop" == message.content[0].text


def test_a_conversation_goes_on_with_what_the_sdk_sends_back(ask):
    script = [WHOLE_TURN, call("bash", {"command": "pwd"}), say("Done.")]
    with ScriptedMessagesApi(script, api_key=KEY) as api:
        messages = [HELLO]
        for _ in script:
            message = ask(api, messages=messages, thinking=ADAPTIVE)
            calls = [block.id for block in message.content if block.type == "tool_use"]
            messages += [message.to_param(), user(*(tool_result(one) for one in calls))]
    api.assert_done()

    assert "Done." == message.content[0].text
    assert [1, 3, 5] == [len(one.body["messages"]) for one in api.requests]


def test_a_paused_turn_is_taken_back_as_the_last_message(ask):
    with ScriptedMessagesApi([say("On it ", stop_reason="pause_turn"), say("Done.")]) as api:
        paused = ask(api)
        ask(api, messages=[HELLO, paused.to_param()])
    api.assert_done()

    assert "assistant" == api.requests[1].body["messages"][-1]["role"]


def test_requests_are_recorded_with_headers_body_and_time(ask):
    with ScriptedMessagesApi([say("One."), say("Two.")]) as api:
        ask(api, system="Be brief.")
        ask(api)
    first, second = api.requests

    assert ("POST", "/v1/messages") == (first.method, first.path)
    assert f"Bearer {KEY}" == first.headers["authorization"]
    assert "2026-10-21" == first.headers["anthropic-version"]
    assert "Be brief." == first.body["system"]
    assert [HELLO] == first.body["messages"]
    assert first.arrived_s < second.arrived_s


@pytest.mark.parametrize("way", ["create", "stream"])
def test_a_connection_is_kept_alive(way):
    with (
        ScriptedMessagesApi([say("One."), say("Two.")]) as api,
        connect(api) as client,
    ):
        asked = {"model": MODEL, "max_tokens": 9, "messages": [HELLO], "stream": way == "stream"}
        for _ in range(2):
            list(client.messages.create(**asked))
    api.assert_done()

    assert [1, 1] == [one.connection for one in api.requests]


def test_models_are_listed_with_what_they_take():
    old = Model(thinking=frozenset({"enabled", "disabled"}), max_output_tokens=64_000)
    with (
        ScriptedMessagesApi([], api_key=KEY, models={"new": Model(), "old": old}) as api,
        connect(api) as client,
    ):
        listed = [one.id for one in client.models.list()]
        found = client.models.retrieve("old")
        with pytest.raises(anthropic.NotFoundError):
            client.models.retrieve("none")

    assert ["new", "old"] == listed
    assert 64_000 == found.max_tokens
    assert not found.capabilities.thinking.types.adaptive.supported
    assert found.capabilities.thinking.types.enabled.supported
    api.assert_done(refused=["not_found_error"])


def test_tokens_are_counted_without_the_script():
    with (
        ScriptedMessagesApi([]) as api,
        connect(api) as client,
    ):
        counted = client.messages.count_tokens(model=MODEL, messages=[HELLO])
    api.assert_done()

    assert counted.input_tokens > 0


def test_a_system_message_may_come_in_the_middle(ask):
    with ScriptedMessagesApi([say("Yes.")]) as api:
        ask(api, messages=[HELLO, {"role": "system", "content": [text("Be brief.")]}])
    api.assert_done()


def test_prefill_is_taken_by_a_model_that_takes_it(ask):
    models = {MODEL: Model(prefill=True)}
    with ScriptedMessagesApi([say(" four.")], models=models) as api:
        ask(api, messages=[HELLO, assistant(text("Two and two is"))])
    api.assert_done()
