"""
The scripted Messages API refuses what the service refuses, and takes what the service takes.

The rules' source is the service's documentation and the messages of its own errors; the paths in
them are what a caller has to go by.
"""

from __future__ import annotations

import copy
import json

import anthropic
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contract.vendor_clients import (
    KEY,
    SyncClient,
    assistant,
    connect,
    request,
    tool_result,
    user,
)
from contract.vendor_requests import ADAPTIVE, MODELS, REFUSED, TAKEN, after
from fakes.messages_api import MAX_BODY_BYTES, MessagesSpeaker, ScriptedMessagesApi
from fakes.messages_api_replies import RedactedThinking, Text, Thinking, ToolUse, Turn, bash, say
from fakes.scripted_http_steps import Recorded, Refused

KEYS = st.sampled_from(["type", "text", "name", "id", "content", "cache_control", "ttl", "input"])
CHANGES = [*TAKEN.values(), *(changed for changed, _ in REFUSED.values())]


@pytest.fixture(name="api", scope="module")
def _api():
    """With nothing in its script: who gets past the checks gets a 500."""
    with ScriptedMessagesApi([], models=MODELS) as api:
        yield api


@pytest.fixture(name="post", scope="module")
def _post(api):
    """Sends a body that the SDK may or may not be able to make; the status and the error."""
    headers = {"x-api-key": KEY, "anthropic-version": "2026-10-21"}
    with httpx2.Client(base_url=api.base_url, headers=headers, verify=False) as client:

        def post(body, **more):
            answer = client.post("/v1/messages", json=body, **more)
            return answer.status_code, answer.json()["error"]

        yield post


@pytest.mark.parametrize("case", REFUSED)
def test_a_bad_request_is_refused_by_path(post, case):
    changed, expected = REFUSED[case]
    status, error = post(request(**changed))

    assert (400, "invalid_request_error") == (status, error["type"])
    assert error["message"].startswith(expected)


@pytest.mark.parametrize("case", TAKEN)
def test_a_good_request_gets_to_the_script(post, case):
    status, error = post(request(**TAKEN[case]))

    assert (500, "api_error") == (status, error["type"])
    assert "beyond the script's end" in error["message"]


ODD = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=3)
ODD = st.recursive(ODD, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(KEYS, inner))


@st.composite
def spoilt_requests(draw):
    """A good or bad request with something odd in the place of anything in it."""
    body = copy.deepcopy(request(**draw(st.sampled_from(CHANGES))))
    here = body
    while True:
        at = draw(st.sampled_from(list(here) if isinstance(here, dict) else range(len(here))))
        below = here[at]
        if not isinstance(below, dict | list) or not below or draw(st.booleans()):
            here[at] = draw(ODD)
            return body
        here = below


@given(spoilt_requests())
@settings(max_examples=300, deadline=None)
def test_whatever_is_asked_is_refused_or_taken_but_breaks_nothing(body):
    headers = {"anthropic-version": "2026-10-21"}
    asked = Recorded(0, "POST", "/v1/messages", headers, 1, body, 1, 0.0)
    speaker = MessagesSpeaker(None, MODELS)

    def verdict():
        try:
            return speaker.check(asked)
        except Refused as refused:
            return refused.kind

    assert verdict() in (None, "invalid_request_error", "not_found_error")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"anthropic-version": "2023-06-01"}, 500),
        ({"anthropic-version": "2026-10-21"}, 400),
        ({"anthropic-version": "2026-10-22"}, 400),
        ({"anthropic-version": ""}, 400),
    ],
)
def test_sampling_is_a_matter_of_the_version(post, headers, status):
    assert status == post(request(temperature=0.5), headers=headers)[0]


def test_a_version_is_required(api):
    answer = httpx2.post(f"{api.base_url}/v1/messages", json=request(), verify=False)

    assert 400 == answer.status_code
    assert "anthropic-version: header is required" == answer.json()["error"]["message"]


def test_a_beta_may_have_fields_of_its_own(post):
    extra = request(context_management={"edits": []})

    assert 400 == post(extra)[0]
    assert 500 == post(extra, headers={"anthropic-beta": "context-management-2025-06-27"})[0]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff"])
def test_a_body_that_is_no_object_is_refused(api, content):
    answer = httpx2.post(
        f"{api.base_url}/v1/messages",
        content=content,
        headers={"anthropic-version": "2026-10-21"},
        verify=False,
    )

    assert (400, "invalid_request_error") == (answer.status_code, answer.json()["error"]["type"])
    assert "not valid JSON" in answer.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/", "/v1/complete", "/v1/messages/x"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_address_is_not_found(api, method, path):
    answer = httpx2.request(
        method,
        api.base_url + path,
        headers={"anthropic-version": "2026-10-21"},
        verify=False,
    )

    assert (404, "not_found_error") == (answer.status_code, answer.json()["error"]["type"])


def test_a_model_that_is_not_in_the_list_is_not_found(api):
    with pytest.raises(anthropic.NotFoundError) as e:
        SyncClient(api).create(model="claude-none")

    assert ("not_found_error", "model: claude-none") == (e.value.type, e.value.api_message)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"x-api-key": "wrong"}, 401),
        ({"authorization": "Bearer wrong"}, 401),
        ({"authorization": f"Bearer {KEY}", "x-api-key": "wrong"}, 401),
        ({"x-api-key": KEY}, 500),
        ({"authorization": f"Bearer {KEY}"}, 500),
        ({"authorization": "Bearer wrong", "x-api-key": KEY}, 500),
    ],
)
def test_the_key_counts_in_either_header(headers, status):
    headers = {"anthropic-version": "2026-10-21", **headers}
    with ScriptedMessagesApi([], api_key=KEY) as api:
        answer = httpx2.post(
            f"{api.base_url}/v1/messages", json=request(), headers=headers, verify=False
        )

    assert status == answer.status_code
    if status == 401:
        assert "authentication_error" == answer.json()["error"]["type"]


def test_a_wrong_key_is_told_before_anything_else():
    with (
        ScriptedMessagesApi([], api_key=KEY, models={}) as api,
        pytest.raises(anthropic.AuthenticationError),
    ):
        SyncClient(api, api_key="wrong").create(model="none", max_tokens=0)
    api.assert_done(refused=["authentication_error"])


def test_a_request_above_the_limit_is_too_large(api):
    big = [{"role": "user", "content": "x" * MAX_BODY_BYTES}]
    with connect(api) as client:
        with pytest.raises(anthropic.APIStatusError) as e:
            client.messages.create(**request(messages=big))
        with pytest.raises(anthropic.BadRequestError):
            client.messages.create(**request(max_tokens=0))

    assert (413, "request_too_large") == (e.value.status_code, e.value.body["error"]["type"])
    assert [None, 0] == [one.body and one.body["max_tokens"] for one in api.requests[-2:]]
    assert 1 == len({one.connection for one in api.requests[-2:]})


def test_a_refused_request_uses_nothing_of_the_script_up():
    with ScriptedMessagesApi([say("Hello.")]) as api:
        with pytest.raises(anthropic.BadRequestError):
            SyncClient(api).create(max_tokens=0)
        SyncClient(api).create()
    with pytest.raises(AssertionError, match="max_tokens"):
        api.assert_done()
    api.assert_done(refused=["invalid_request_error"])

    assert ["refused", "answered"] == [one.ending for one in api.requests]


# Thinking comes back as it was sent.

THOUGHT = Turn((Thinking("Hm."), RedactedThinking("b3B"), Text("So."), ToolUse("bash", {"a": 1})))


def answer_to(message, content):
    """The request after that turn, with other content for it."""
    calls = [block.id for block in message.content if block.type == "tool_use"]
    return after(assistant(*content), user(*(tool_result(one) for one in calls)))


def changed(content, index, **fields):
    """The content with one block changed."""
    return [{**one, **fields} if at == index else one for at, one in enumerate(content)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda all_: changed(all_, 0, thinking="Ha."), "messages.1.content.0: `thinking` or"),
        (lambda all_: changed(all_, 0, thinking=""), "messages.1.content.0: `thinking` or"),
        (lambda all_: changed(all_, 0, signature="forged"), "messages.1.content.0: Invalid"),
        (lambda all_: changed(all_, 1, data="forged"), "messages.1.content.1: Invalid"),
        (lambda all_: all_[1:], "messages.1.content.0: `thinking` or"),
        (lambda all_: all_[2:], "messages.1.content.0: `thinking` or"),
        (lambda all_: [all_[1], all_[0], *all_[2:]], "messages.1.content.0: `thinking` or"),
        (lambda all_: changed(all_, 0, cache_control=None), "messages.1.content.0.thinking.cache"),
        (lambda all_: all_, None),
    ],
)
def test_thinking_comes_back_as_it_was_sent(change, expected):
    with ScriptedMessagesApi([THOUGHT, say("Done.")]) as api:
        first = SyncClient(api).create(thinking=ADAPTIVE)
        content = change(json.loads(first.to_json())["content"])
        content = [{k: v for k, v in one.items() if k != "citations"} for one in content]
        asked = {"thinking": ADAPTIVE, **answer_to(first, content)}
        if expected is None:
            SyncClient(api).create(**asked)
            api.assert_done()
            return
        with pytest.raises(anthropic.BadRequestError) as e:
            SyncClient(api).create(**asked)

    assert e.value.api_message.startswith(expected)


def test_thinking_of_earlier_turns_may_be_left_out():
    with ScriptedMessagesApi([THOUGHT, bash("ls"), say("Done.")]) as api:
        first = SyncClient(api).create(thinking=ADAPTIVE)
        messages = answer_to(first, [first.content[2], first.content[3]])["messages"]
        second = SyncClient(api).create(messages=messages)
        result = user(tool_result(second.content[0].id))
        SyncClient(api).create(thinking=ADAPTIVE, messages=[*messages, second.to_param(), result])
    api.assert_done()

    assert 3 == len(api.requests)
