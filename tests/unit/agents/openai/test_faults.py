"""What a failure of the Responses API means: by code and status, whatever the words are."""

from __future__ import annotations

import httpx2
import openai
import pytest

from quickstarted.agents.keys import ApiKey
from quickstarted.agents.model.access import Access
from quickstarted.agents.model.vendor import ContextFull, Reply, ServiceTrouble, Stop
from quickstarted.agents.openai.faults import meaning
from quickstarted.agents.openai.stream import Broken
from quickstarted.agents.openai.wire import Trouble
from quickstarted.errors import ModelRejected

ACCESS = Access(
    agent="openai",
    model="m",
    credentials="the key in OPENAI_API_KEY",
    address_variable="OPENAI_BASE_URL",
    key=ApiKey(variable="OPENAI_API_KEY", value="sk-secret"),
)
REQUEST = httpx2.Request("POST", "https://api.example/v1/responses")


def status_error(status, code=None, kind="invalid_request_error", message="words", headers=None):
    """As the client makes it from an answer."""
    body = {"message": message, "type": kind, "param": None, "code": code}
    response = httpx2.Response(status, json={"error": body}, headers=headers, request=REQUEST)
    return openai.APIStatusError(message, response=response, body=body)


def in_the_middle(code):
    return Broken(Trouble(code=code, message="words"))


@pytest.mark.parametrize(
    ("error", "status", "throttled"),
    [
        (status_error(408), 408, False),
        (status_error(409), 409, False),
        (status_error(429, "rate_limit_exceeded", "tokens"), 429, True),
        (status_error(429, "rate_limit_exceeded", "requests"), 429, True),
        (status_error(429), 429, True),
        (status_error(500, kind="server_error"), 500, False),
        (status_error(502), 502, False),
        (status_error(503, "server_is_overloaded"), 503, False),
        (status_error(529), 529, True),
        (in_the_middle("server_error"), 500, False),
        (in_the_middle("rate_limit_exceeded"), 429, True),
        (in_the_middle("slow_down"), 429, True),
        (in_the_middle("server_is_overloaded"), 503, False),
        (in_the_middle("some_new_code"), 500, False),
        (in_the_middle(None), 500, False),
        (openai.APIError("words", REQUEST, body={"code": "rate_limit_exceeded"}), 429, True),
    ],
)
def test_what_may_pass_is_trouble(error, status, throttled):
    trouble = meaning(error, ACCESS)

    assert isinstance(trouble, ServiceTrouble)
    assert (status, throttled) == (trouble.status, trouble.throttled)


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (status_error(401, "invalid_api_key"), "Look at the key in OPENAI_API_KEY"),
        (status_error(403), "Look at the key in OPENAI_API_KEY"),
        (status_error(404, "model_not_found"), "--agent openai:MODEL"),
        (status_error(400, "model_not_found"), "--agent openai:MODEL"),
        (status_error(429, "insufficient_quota"), "has used up its quota"),
        (status_error(429, None, "insufficient_quota"), "has used up its quota"),
        (status_error(429, "billing_not_active"), "has no means left"),
        (status_error(400, "billing_hard_limit_reached"), "has no means left"),
        (status_error(402), "has no means left"),
        (status_error(400), "take tools"),
        (status_error(422), "take tools"),
        (status_error(307, headers={"location": "/"}), "Is OPENAI_BASE_URL the address"),
        (in_the_middle("insufficient_quota"), "has used up its quota"),
        (in_the_middle("invalid_api_key"), "Look at the key in OPENAI_API_KEY"),
        (in_the_middle("model_not_found"), "--agent openai:MODEL"),
    ],
)
def test_a_refusal_says_whom_it_concerns(error, hint):
    refusal = meaning(error, ACCESS)

    assert isinstance(refusal, ModelRejected)
    assert hint in refusal.hint


@pytest.mark.parametrize(
    "error",
    [
        status_error(400, "context_length_exceeded"),
        status_error(413),
        in_the_middle("context_length_exceeded"),
    ],
)
def test_what_is_too_long_is_a_context_that_is_full(error):
    assert isinstance(meaning(error, ACCESS), ContextFull)


@pytest.mark.parametrize(
    "error",
    [
        status_error(400, "invalid_prompt"),
        status_error(400, "content_policy_violation"),
        in_the_middle("bio_policy"),
        in_the_middle("misalignment_policy_violation"),
        in_the_middle("cyber_policy"),
    ],
)
def test_what_the_service_will_not_have_answered_is_declined(error):
    reply = meaning(error, ACCESS)

    assert isinstance(reply, Reply)
    assert (Stop.DECLINED, "m") == (reply.stop, reply.model)
    assert reply.stop_reason in reply.text


@pytest.mark.parametrize(
    ("headers", "expected"),
    [({}, None), ({"retry-after": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25)],
)
def test_the_wait_that_the_service_asks_for_is_known(headers, expected):
    assert expected == meaning(status_error(429, headers=headers), ACCESS).retry_after_s


@pytest.mark.parametrize("status", [401, 500])
def test_the_key_is_cut_out_of_the_services_words(status):
    said = str(meaning(status_error(status, message="the key sk-secret is odd"), ACCESS))

    assert "sk-secret" not in said
    assert "the key [OPENAI_API_KEY] is odd" in said


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (openai.APITimeoutError(REQUEST), "the service did not answer in time"),
        (
            openai.APIConnectionError(request=REQUEST),
            "the connection to the service failed (APIConnectionError: Connection error.)",
        ),
        (httpx2.ReadError("reset"), "the connection to the service failed (ReadError: reset)"),
        (ValueError("char 3"), "the service's stream cannot be read: char 3"),
    ],
)
def test_a_connection_that_fails_says_how(error, expected):
    trouble = meaning(error, ACCESS)

    assert isinstance(trouble, ServiceTrouble)
    assert expected == str(trouble)


def test_an_answer_that_is_not_the_apis_is_quoted():
    response = httpx2.Response(502, text="<html>bad\ngateway", request=REQUEST)
    error = openai.APIStatusError("x", response=response, body="<html>bad\ngateway")

    assert "502 error: <html>bad gateway" == str(meaning(error, ACCESS))
