"""What a failure of the Gemini API means: by status and details, whatever the words are."""

from __future__ import annotations

import httpx2
import pytest
from google.genai.errors import APIError

from fakes.gemini_api_replies import rpc
from quickstarted.agents.gemini.faults import meaning
from quickstarted.agents.keys import ApiKey
from quickstarted.agents.model.access import Access
from quickstarted.agents.model.vendor import ContextFull, ServiceTrouble
from quickstarted.errors import ModelRejected

ACCESS = Access(
    agent="gemini",
    model="m",
    credentials="the key in GEMINI_API_KEY",
    address_variable="GOOGLE_GEMINI_BASE_URL",
    key=ApiKey(variable="GEMINI_API_KEY", value="k-secret"),
)
REQUEST = httpx2.Request("POST", "https://api.example/v1/models/m:streamGenerateContent")


def api_error(code, *details, message="words", headers=None):
    """As the client makes it from an answer."""
    inner = {"code": code, "message": message, "status": "S"}
    if details:
        inner["details"] = list(details)
    answer = httpx2.Response(code, headers=headers, request=REQUEST)
    return APIError(code, {"error": inner}, answer)


def quota_failure(*ids):
    violations = [{"quotaId": one, "quotaMetric": "PerDay is no part of the id"} for one in ids]
    return rpc("QuotaFailure", violations=violations)


REASON = {"domain": "googleapis.com"}


@pytest.mark.parametrize(
    ("error", "throttled"),
    [
        (api_error(408), False),
        (api_error(409), False),
        (api_error(429), True),
        (api_error(429, quota_failure("GenerateRequestsPerMinutePerProject")), True),
        (api_error(429, quota_failure()), True),
        (api_error(429, rpc("QuotaFailure", violations=None)), True),
        (api_error(429, rpc("Help", links=[])), True),
        (api_error(429, 5, "odd"), True),
        (api_error(500), False),
        (api_error(503), False),
        (api_error(504), False),
        (APIError(0, {"error": {"message": "no code"}}), False),
        (APIError(503, {"message": "<html>", "status": "Bad"}), False),
        (APIError(503, ["a", "list"]), False),
    ],
)
def test_what_may_pass_is_trouble(error, throttled):
    trouble = meaning(error, ACCESS)

    assert isinstance(trouble, ServiceTrouble)
    assert throttled is trouble.throttled


@pytest.mark.parametrize(
    ("error", "hint"),
    [
        (api_error(400, rpc("ErrorInfo", reason="API_KEY_INVALID", **REASON)), "GEMINI_API_KEY"),
        (api_error(400, rpc("ErrorInfo", reason="API_KEY_EXPIRED", **REASON)), "GEMINI_API_KEY"),
        (api_error(401), "GEMINI_API_KEY"),
        (api_error(403), "GEMINI_API_KEY"),
        (api_error(403, rpc("ErrorInfo", reason="BILLING_DISABLED")), "has no means left"),
        (api_error(402), "has no means left"),
        (api_error(429, quota_failure("GenerateRequestsPerDayPerProject")), "used up its quota"),
        (api_error(429, quota_failure("PerMinute", "TokensPerDay-FreeTier")), "used up its quota"),
        (api_error(404), "--agent gemini:MODEL"),
        (api_error(400), "take tools"),
        (api_error(307, headers={"location": "/"}), "Is GOOGLE_GEMINI_BASE_URL the address"),
    ],
)
def test_a_refusal_says_whom_it_concerns(error, hint):
    refusal = meaning(error, ACCESS)

    assert isinstance(refusal, ModelRejected)
    assert hint in refusal.hint


def test_a_request_that_is_too_large_is_a_context_that_is_full():
    assert isinstance(meaning(api_error(413), ACCESS), ContextFull)


@pytest.mark.parametrize(
    ("details", "headers", "expected"),
    [
        ((), None, None),
        ((), {"retry-after": "7"}, 7.0),
        ((rpc("RetryInfo", retryDelay="34.5s"),), None, 34.5),
        ((rpc("RetryInfo", retryDelay="34s"),), {"retry-after": "7"}, 34.0),
        ((rpc("RetryInfo", retryDelay="soon"),), {"retry-after": "7"}, 7.0),
        ((rpc("RetryInfo"),), None, None),
    ],
)
def test_the_wait_that_the_service_asks_for_is_known(details, headers, expected):
    trouble = meaning(api_error(429, *details, headers=headers), ACCESS)

    assert expected == trouble.retry_after_s


@pytest.mark.parametrize("code", [401, 500])
def test_the_key_is_cut_out_of_the_services_words(code):
    said = str(meaning(api_error(code, message="the key k-secret is odd"), ACCESS))

    assert "k-secret" not in said
    assert "the key [GEMINI_API_KEY] is odd" in said


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (httpx2.ReadTimeout("x"), "the service did not answer in time"),
        (httpx2.ReadError("reset"), "the connection to the service failed (ReadError: reset)"),
        (ValueError("char 3"), "the service's stream cannot be read: char 3"),
    ],
)
def test_a_connection_that_fails_says_how(error, expected):
    trouble = meaning(error, ACCESS)

    assert isinstance(trouble, ServiceTrouble)
    assert expected == str(trouble)
