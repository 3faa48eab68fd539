"""
OpenAI's real SDK understands what the scripted Responses API says, as it would the service.
"""

from __future__ import annotations

import json

import openai
import pytest

from contract.responses_clients import BASH, CLIENTS, HELLO, KEY, MODEL
from fakes.responses_api import ScriptedResponsesApi
from fakes.responses_api_checks import Model
from fakes.responses_api_replies import (
    Call,
    Error,
    Reasoning,
    Refusal,
    Text,
    Turn,
    Usage,
    bash,
    say,
)

WHOLE = Turn(
    (
        Reasoning("First the list, then the file."),
        Text("Two calls at once, é and 𝄞."),
        Call("bash", {"command": "ls -l"}, call_id="call_one"),
        Call("read_docs", {"url": "https://docs.example/", "n": [1, {"a": None}]}),
    ),
    usage=Usage(70, 11, cached_tokens=40, cache_write_tokens=13, reasoning_tokens=5),
)


@pytest.fixture(params=CLIENTS, name="kind")
def _kind(request):
    return CLIENTS[request.param]


@pytest.fixture(params=["create", "final"], name="ask")
def _ask(request, kind):
    """Asks the API once, for a document or for a stream that the SDK's helper reads."""

    def ask(api, **more):
        return getattr(kind(api), request.param)(**more)

    return ask


def test_a_turn_arrives_with_every_item_as_it_was_written(ask):
    with ScriptedResponsesApi([WHOLE], api_key=KEY) as api:
        response = ask(api)
    api.assert_done()
    reasoning, message, first, second = response.output

    assert "First the list, then the file." == reasoning.summary[0].text
    assert reasoning.encrypted_content
    assert "Two calls at once, é and 𝄞." == message.content[0].text == response.output_text
    assert ("call_one", "bash") == (first.call_id, first.name)
    assert {"command": "ls -l"} == json.loads(first.arguments)
    assert {"url": "https://docs.example/", "n": [1, {"a": None}]} == json.loads(second.arguments)
    assert ("completed", MODEL) == (response.status, response.model)


def test_all_counters_of_usage_arrive(ask):
    with ScriptedResponsesApi([WHOLE]) as api:
        usage = ask(api).usage

    assert (70, 11, 81) == (usage.input_tokens, usage.output_tokens, usage.total_tokens)
    assert 40 == usage.input_tokens_details.cached_tokens
    assert 13 == usage.input_tokens_details.cache_write_tokens
    assert 5 == usage.output_tokens_details.reasoning_tokens


def test_a_refusal_arrives_as_one(ask):
    with ScriptedResponsesApi([Turn((Refusal("No, and that is all of it."),))]) as api:
        (message,) = ask(api).output

    assert "No, and that is all of it." == message.content[0].refusal


def test_a_reply_may_be_empty(ask):
    with ScriptedResponsesApi([Turn()]) as api:
        response = ask(api)

    assert ("completed", []) == (response.status, response.output)


@pytest.mark.parametrize("reason", ["max_output_tokens", "content_filter"])
def test_an_incomplete_response_says_why(kind, reason):
    with ScriptedResponsesApi([say("Well.", incomplete=reason)]) as api:
        response = kind(api).create()

    assert ("incomplete", reason) == (response.status, response.incomplete_details.reason)


def test_a_failed_response_has_a_code(kind):
    with ScriptedResponsesApi([Turn(failed="server_error")]) as api:
        response = kind(api).create()

    assert ("failed", "server_error") == (response.status, response.error.code)


def test_five_megabytes_of_arguments_arrive_whole(kind):
    seen = []
    with ScriptedResponsesApi([bash("x" * 5_000_000)]) as api:
        kind(api).events(seen)
    (done,) = [one for one in seen if one.type == "response.function_call_arguments.done"]

    assert {"command": "x" * 5_000_000} == json.loads(done.arguments)


def test_a_stream_has_the_service_s_events_in_the_service_s_order(kind):
    seen = []
    turn = Turn((Reasoning("Hm."), Text("Hi."), Call("bash", {"command": "ls"})))
    with ScriptedResponsesApi([turn]) as api:
        kind(api).events(seen)

    assert list(range(len(seen))) == [event.sequence_number for event in seen]
    assert [
        *("created", "in_progress"),
        *("output_item.added", "reasoning_summary_part.added", "reasoning_summary_text.delta"),
        *("reasoning_summary_text.done", "reasoning_summary_part.done", "output_item.done"),
        *("output_item.added", "content_part.added", "output_text.delta", "output_text.done"),
        *("content_part.done", "output_item.done"),
        *("output_item.added", "function_call_arguments.delta", "function_call_arguments.delta"),
        *("function_call_arguments.done", "output_item.done", "completed"),
    ] == [event.type.removeprefix("response.") for event in seen]
    assert "" == seen[14].item.arguments
    assert [] == seen[0].response.output


def test_arguments_that_are_no_json_arrive_as_they_are(kind):
    seen = []
    with ScriptedResponsesApi([Turn((Call("bash", raw='{"command": ls]'),))]) as api:
        kind(api).events(seen)

    assert '{"command": ls]' == seen[-1].response.output[0].arguments


def test_a_conversation_goes_on_with_what_the_sdk_sends_back(kind):
    script = [WHOLE, Turn((Reasoning(), Call("bash", {"command": "pwd"}))), say("Done.")]
    with ScriptedResponsesApi(script, api_key=KEY) as api:
        items = [HELLO]
        for _ in script:
            response = kind(api).create(input=items)
            calls = [one.call_id for one in response.output if one.type == "function_call"]
            items += [one.to_dict(mode="json") for one in response.output]
            items += [
                {"type": "function_call_output", "call_id": one, "output": "out"} for one in calls
            ]
    api.assert_done()

    assert "Done." == response.output_text


def test_requests_are_recorded_with_headers_and_body(ask):
    with ScriptedResponsesApi([say("One.")]) as api:
        ask(api, instructions="Be brief.")
    (recorded,) = api.requests

    assert ("POST", "/v1/responses") == (recorded.method, recorded.path)
    assert f"Bearer {KEY}" == recorded.headers["authorization"]
    assert "Be brief." == recorded.body["instructions"]


def call(name="call_1"):
    return {"type": "function_call", "call_id": name, "name": "bash", "arguments": "{}"}


def output(name="call_1"):
    return {"type": "function_call_output", "call_id": name, "output": "x"}


REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "made up"}
REFUSED = {
    "a parameter unknown": ({"extra_body": {"max_tokens": 9}}, "unknown_parameter"),
    "no input": ({"input": []}, "missing_required_parameter"),
    "a model unknown": ({"model": "gpt-0"}, "model_not_found"),
    "max_output_tokens too small": ({"max_output_tokens": 3}, "invalid_value"),
    "max_output_tokens too large": ({"max_output_tokens": 999_999}, "invalid_value"),
    "a role unknown": ({"input": [{**HELLO, "role": "tool"}]}, "invalid_value"),
    "an item unknown": ({"input": [{"type": "hologram"}]}, "invalid_value"),
    "a field unknown": ({"input": [HELLO, {**call(), "x": 1}, output()]}, "unknown_parameter"),
    "an answer's part in a question": (
        {"input": [{"role": "user", "content": [{"type": "output_text", "text": "x"}]}]},
        "invalid_value",
    ),
    "a call without output": ({"input": [HELLO, call()]}, "invalid_value"),
    "an output without call": ({"input": [HELLO, output()]}, "invalid_value"),
    "two outputs of a call": ({"input": [HELLO, call(), output(), output()]}, "invalid_value"),
    "arguments that are no text": (
        {"input": [HELLO, {**call(), "arguments": {}}, output()]},
        "invalid_value",
    ),
    "reasoning made up": (
        {"input": [HELLO, REASONING, call(), output()]},
        "invalid_encrypted_content",
    ),
    "a tool with an odd name": ({"tools": [{**BASH, "name": "a b"}]}, "invalid_value"),
    "a schema that is none": (
        {"tools": [{**BASH, "parameters": {"type": 5}}]},
        "invalid_function_parameters",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_service_refuses_is_refused_by_code(kind, case):
    more, code = REFUSED[case]
    with (
        ScriptedResponsesApi([], models={MODEL: Model()}) as api,
        pytest.raises(openai.BadRequestError) as e,
    ):
        kind(api).create(**more)
    api.assert_done(refused=[code])

    assert ("invalid_request_error", code) == (e.value.type, e.value.code)


def test_reasoning_that_is_not_encrypted_is_not_found(kind):
    item = {**REASONING, "encrypted_content": None}
    with ScriptedResponsesApi([]) as api, pytest.raises(openai.NotFoundError):
        kind(api).create(input=[HELLO, item, call(), output()])


def test_reasoning_that_nothing_follows_is_refused(kind):
    with ScriptedResponsesApi([Turn((Reasoning(),))]) as api:
        (item,) = kind(api).create().output
        with pytest.raises(openai.BadRequestError, match="without its following item"):
            kind(api).create(input=[HELLO, item.to_dict(mode="json"), HELLO])


def test_a_model_that_does_not_reason_refuses_to_encrypt_by_parameter(kind):
    with (
        ScriptedResponsesApi([], models={MODEL: Model(reasons=False)}) as api,
        pytest.raises(openai.BadRequestError) as e,
    ):
        kind(api).create(include=["reasoning.encrypted_content"])

    assert "include" == e.value.param


def test_a_wrong_key_is_refused(kind):
    with (
        ScriptedResponsesApi([], api_key=KEY) as api,
        pytest.raises(openai.AuthenticationError) as e,
    ):
        kind(api, api_key="sk-wrong").create()

    assert "invalid_api_key" == e.value.code


def test_an_error_may_be_of_any_status_code_and_type(kind):
    error = Error(429, code="insufficient_quota", type="insufficient_quota", message="Broke.")
    with ScriptedResponsesApi([error]) as api, pytest.raises(openai.RateLimitError) as e:
        kind(api).create()

    assert ("insufficient_quota", "insufficient_quota") == (e.value.code, e.value.type)
    assert "Broke." in e.value.message
    assert e.value.request_id.startswith("req_")
