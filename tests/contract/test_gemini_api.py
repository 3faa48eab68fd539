"""
Google's real SDK understands what the scripted Gemini API says, as it would the service.
"""

from __future__ import annotations

import pytest
from google.genai.errors import ClientError
from google.genai.types import Content, FunctionCall, FunctionResponse, GenerateContentConfig, Part

from contract.gemini_clients import CLIENTS, HELLO, KEY, MODEL, config, connect
from fakes.gemini_api import ScriptedGeminiApi
from fakes.gemini_api_checks import Model
from fakes.gemini_api_replies import Call, Error, Text, Turn, Usage, bash, quota, rpc, say

WHOLE = Turn(
    (
        Text("Two calls at once, é and 𝄞."),
        Call("bash", {"command": "ls -l"}),
        Call("read_docs", {"url": "https://docs.example/", "n": [1, {"a": None}]}),
    ),
    usage=Usage(70, 11, cached=40, thoughts=5, tool_use_prompt=3),
)


@pytest.fixture(params=CLIENTS, name="kind")
def _kind(request):
    return CLIENTS[request.param]


@pytest.fixture(params=["document", "stream"], name="ask")
def _ask(request, kind):
    """All parts of an answer, and the last document of it."""

    def ask(api, **more):
        seen = []
        if request.param == "document":
            seen.append(kind(api).create(**more))
        else:
            kind(api).chunks(seen, **more)
        contents = [chunk.candidates[0].content for chunk in seen if chunk.candidates]
        return [part for content in contents for part in content.parts or ()], seen[-1]

    return ask


def test_a_turn_arrives_with_every_part_as_it_was_written(ask):
    with ScriptedGeminiApi([WHOLE], api_key=KEY) as api:
        parts, last = ask(api)
    api.assert_done()
    calls = [part.function_call for part in parts if part.function_call]

    assert "Two calls at once, é and 𝄞." == "".join(part.text or "" for part in parts)
    assert ["bash", "read_docs"] == [call.name for call in calls]
    assert {"command": "ls -l"} == calls[0].args
    assert {"url": "https://docs.example/", "n": [1, {"a": None}]} == calls[1].args
    assert calls[0].id != calls[1].id
    assert all(part.thought_signature for part in parts if part.function_call)
    assert ("STOP", MODEL) == (last.candidates[0].finish_reason, last.model_version)


def test_all_counters_of_usage_arrive(ask):
    with ScriptedGeminiApi([WHOLE]) as api:
        _, last = ask(api)
    usage = last.usage_metadata

    assert (70, 11, 40) == (
        usage.prompt_token_count,
        usage.candidates_token_count,
        usage.cached_content_token_count,
    )
    assert (5, 3, 89) == (
        usage.thoughts_token_count,
        usage.tool_use_prompt_token_count,
        usage.total_token_count,
    )


@pytest.mark.parametrize(
    "reason",
    [
        *("STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "OTHER", "MALFORMED_FUNCTION_CALL"),
        *("BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "UNEXPECTED_TOOL_CALL", "CONTINUATION"),
    ],
)
def test_every_reason_to_finish_can_be_given(ask, reason):
    with ScriptedGeminiApi([Turn(finish=reason)]) as api:
        parts, last = ask(api)

    assert ([], reason) == (parts, last.candidates[0].finish_reason)


def test_a_prompt_that_is_blocked_has_no_candidate(ask):
    with ScriptedGeminiApi([Turn(blocked="SAFETY")]) as api:
        parts, last = ask(api)

    assert ([], "SAFETY") == (parts, last.prompt_feedback.block_reason)


def test_a_reason_that_is_newer_than_the_sdk_is_warned_of(kind):
    with (
        ScriptedGeminiApi([Turn(finish="TIRED")]) as api,
        pytest.warns(UserWarning, match="TIRED is not a valid FinishReason"),
    ):
        response = kind(api).create()

    assert "TIRED" == response.candidates[0].finish_reason.value


def test_a_call_may_come_without_id_and_signature(ask):
    with ScriptedGeminiApi([Turn((Call("bash", {}, has_id=False, signed=False),))]) as api:
        (part,), _ = ask(api)

    assert (None, None) == (part.function_call.id, part.thought_signature)


def test_a_signature_may_come_on_a_part_without_text(kind):
    seen = []
    with ScriptedGeminiApi([Turn((Text("Done.", signed=True),))]) as api:
        kind(api).chunks(seen)
    parts = [chunk.candidates[0].content.parts[0] for chunk in seen]

    assert [("Done.", False), ("", True)] == [
        (part.text, part.thought_signature is not None) for part in parts
    ]


def test_five_megabytes_of_arguments_arrive_whole(kind):
    seen = []
    with ScriptedGeminiApi([bash("x" * 5_000_000)]) as api:
        kind(api).chunks(seen)

    assert {"command": "x" * 5_000_000} == seen[0].candidates[0].content.parts[0].function_call.args


def response(call, text="out"):
    """A response to a call, as the SDK sends it."""
    answer = FunctionResponse(id=call.id, name=call.name, response={"output": text})
    return Part(function_response=answer)


def test_a_conversation_goes_on_with_what_the_sdk_sends_back(ask):
    script = [WHOLE, Turn((Call("bash", {"command": "pwd"}, has_id=False),)), say("Done.")]
    with ScriptedGeminiApi(script, api_key=KEY) as api:
        contents = [HELLO]
        for _ in script:
            parts, _last = ask(api, contents=contents)
            contents.append(Content(role="model", parts=parts))
            answers = [response(part.function_call) for part in parts if part.function_call]
            contents += [Content(role="user", parts=answers)] if answers else []
    api.assert_done()

    assert "Done." == "".join(part.text for part in parts)


def test_requests_are_recorded_with_headers_and_body(ask):
    with ScriptedGeminiApi([say("One.")]) as api:
        ask(api, config=config(system_instruction="Be brief."))
    (recorded,) = api.requests

    assert KEY == recorded.headers["x-goog-api-key"]
    assert recorded.path.startswith(f"/v1/models/{MODEL}:")
    assert "Be brief." == recorded.body["systemInstruction"]["parts"][0]["text"]


def test_models_and_tokens_are_asked_for_without_the_script():
    with ScriptedGeminiApi([], models={MODEL: Model(input_token_limit=77)}) as api:
        with connect(api) as client:
            assert 77 == client.models.get(model=MODEL).input_token_limit
            assert client.models.count_tokens(model=MODEL, contents=[HELLO]).total_tokens > 0
        api.assert_done()


CALLED = Content(
    role="model", parts=[Part(function_call=FunctionCall(id="1", name="bash", args={}))]
)
ANSWERED = Content(role="user", parts=[response(FunctionCall(id="1", name="bash"))])
UNSIGNED = Part(text="x", thought_signature=b"made up")
REFUSED = {
    "no contents": {"contents": []},
    "a content without parts": {"contents": [Content(role="user", parts=[])]},
    "a role unknown": {"contents": [Content(role="tool", parts=[Part(text="x")])]},
    "a call of the user's": {"contents": [Content(role="user", parts=CALLED.parts)]},
    "a call without response": {"contents": [HELLO, CALLED]},
    "a call and then text": {"contents": [HELLO, CALLED, HELLO]},
    "a response with another id": {
        "contents": [
            *(HELLO, CALLED),
            Content(role="user", parts=[response(FunctionCall(id="2", name="bash"))]),
        ]
    },
    "a response with another name": {
        "contents": [
            *(HELLO, CALLED),
            Content(role="user", parts=[response(FunctionCall(id="1", name="sh"))]),
        ]
    },
    "two responses to a call": {
        "contents": [HELLO, CALLED, Content(role="user", parts=[*ANSWERED.parts] * 2)]
    },
    "a signature made up": {"contents": [HELLO, Content(role="model", parts=[UNSIGNED]), HELLO]},
    "too many tokens": {"config": config(max_output_tokens=999_999)},
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_service_refuses_is_an_invalid_argument(kind, case):
    with ScriptedGeminiApi([]) as api, pytest.raises((ClientError, ValueError)) as e:
        kind(api).create(**REFUSED[case])

    if isinstance(e.value, ClientError):
        assert (400, "INVALID_ARGUMENT") == (e.value.code, e.value.status)
        assert ["refused"] == [one.ending for one in api.requests]


def test_a_call_that_has_lost_its_signature_is_refused(kind):
    with ScriptedGeminiApi([bash("ls")]) as api:
        answer = kind(api).create()
        call = answer.candidates[0].content.parts[0].function_call
        bare = Content(role="model", parts=[Part(function_call=call)])
        with pytest.raises(ClientError, match="missing a `thought_signature`"):
            kind(api).create(contents=[HELLO, bare, Content(role="user", parts=[response(call)])])


def test_a_wrong_key_is_told_by_its_reason(kind):
    with ScriptedGeminiApi([], api_key=KEY) as api, pytest.raises(ClientError) as e:
        kind(api, api_key="wrong").create()

    assert 400 == e.value.code
    assert "API_KEY_INVALID" == e.value.details["error"]["details"][0]["reason"]
    api.assert_done(refused=["API_KEY_INVALID"])


def test_a_model_unknown_is_not_found(kind):
    with ScriptedGeminiApi([], models={}) as api, pytest.raises(ClientError) as e:
        kind(api).create()

    assert (404, "NOT_FOUND") == (e.value.code, e.value.status)


@pytest.mark.parametrize("error", [quota("PerDay"), Error(429, details=(rpc("RetryInfo"),))])
def test_an_error_has_the_details_of_the_script(kind, error):
    with ScriptedGeminiApi([error]) as api, pytest.raises(ClientError) as e:
        kind(api).create()

    assert "RESOURCE_EXHAUSTED" == e.value.status
    assert [dict(one) for one in error.details] == e.value.details["error"]["details"]


def test_a_turn_without_a_config_is_taken(kind):
    with ScriptedGeminiApi([say("Hi.")]) as api:
        assert "Hi." == kind(api).create(config=GenerateContentConfig()).text
