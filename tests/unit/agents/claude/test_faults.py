"""What a failure of the Messages API means: by type and status, whatever the words are."""

from __future__ import annotations

import anthropic
import httpx2
import pytest

from quickstarted.agents.claude.faults import meaning
from quickstarted.agents.keys import ApiKey
from quickstarted.agents.model.access import Access
from quickstarted.agents.model.vendor import ContextFull, ServiceTrouble
from quickstarted.errors import ModelRejected

ACCESS = Access(
    agent="claude",
    model="m",
    credentials="the key in ANTHROPIC_API_KEY",
    address_variable="ANTHROPIC_BASE_URL",
    key=ApiKey(variable="ANTHROPIC_API_KEY", value="sk-secret"),
)
REQUEST = httpx2.Request("POST", "https://api.example/v1/messages")


def status_error(status, kind, message="words", headers=None):
    """As the client makes it from an answer, or from an event in the middle of one."""
    body = {"type": "error", "error": {"type": kind, "message": message}}
    response = httpx2.Response(status, json=body, headers=headers, request=REQUEST)
    return anthropic.APIStatusError(message, response=response, body=body)


@pytest.mark.parametrize(
    ("status", "kind", "throttled"),
    [
        (408, "timeout_error", False),
        (409, "conflict_error", False),
        (429, "rate_limit_error", True),
        (500, "api_error", False),
        (502, "api_error", False),
        (503, "api_error", False),
        (504, "timeout_error", False),
        (529, "overloaded_error", True),
        (200, "overloaded_error", True),
        (200, "rate_limit_error", True),
        (200, "api_error", False),
        (200, "some_new_error", False),
    ],
)
def test_what_may_pass_is_trouble(status, kind, throttled):
    trouble = meaning(status_error(status, kind), ACCESS)

    assert isinstance(trouble, ServiceTrouble)
    assert throttled is trouble.throttled


@pytest.mark.parametrize(
    ("status", "kind", "hint"),
    [
        (401, "authentication_error", "ANTHROPIC_API_KEY"),
        (403, "permission_error", "ANTHROPIC_API_KEY"),
        (402, "billing_error", "has no means left"),
        (404, "not_found_error", "--agent claude:MODEL"),
        (400, "invalid_request_error", "take tools"),
        (422, "invalid_request_error", "take tools"),
        (200, "authentication_error", "ANTHROPIC_API_KEY"),
        (200, "not_found_error", "--agent claude:MODEL"),
    ],
)
def test_a_refusal_says_whom_it_concerns(status, kind, hint):
    refusal = meaning(status_error(status, kind), ACCESS)

    assert isinstance(refusal, ModelRejected)
    assert hint in refusal.hint


def test_a_request_that_is_too_large_is_a_context_that_is_full():
    assert isinstance(meaning(status_error(413, "request_too_large"), ACCESS), ContextFull)


@pytest.mark.parametrize("status", [401, 500])
def test_the_key_is_cut_out_of_the_services_words(status):
    said = meaning(status_error(status, "api_error", "the key sk-secret is odd"), ACCESS)

    assert "sk-secret" not in str(said)
    assert "the key [ANTHROPIC_API_KEY] is odd" in str(said)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (anthropic.APITimeoutError(REQUEST), "the service did not answer in time"),
        (
            anthropic.APIConnectionError(request=REQUEST),
            "the connection to the service failed (APIConnectionError: Connection error.)",
        ),
        (httpx2.ReadError(""), "the connection to the service failed (ReadError)"),
        (httpx2.ReadError("reset"), "the connection to the service failed (ReadError: reset)"),
        (ValueError("char 3"), "the service's stream cannot be read: char 3"),
    ],
)
def test_a_connection_that_fails_says_how(error, expected):
    trouble = meaning(error, ACCESS)

    assert isinstance(trouble, ServiceTrouble)
    assert expected == str(trouble)


def test_long_words_are_cut_and_lines_are_joined():
    said = str(meaning(status_error(500, "api_error", "a\nb " + "x" * 5000), ACCESS))

    assert "a b xxx" in said
    assert len(said) < 600
