"""
What a failure of the Responses API means, told by its code and status and never by its words.

https://developers.openai.com/api/docs/guides/error-codes and the codes of the API's own types.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from http import HTTPStatus

import httpx2
import openai

from quickstarted.agents.model.access import Access
from quickstarted.agents.model.answers import (
    THROTTLED,
    TOO_LARGE,
    connection_words,
    is_redirect,
    may_pass,
    retry_after_s,
)
from quickstarted.agents.model.vendor import ContextFull, Reply, ServiceTrouble, Stop
from quickstarted.agents.openai.codes import NO_MEANS, TOO_LONG
from quickstarted.agents.openai.stream import Broken

DECLINED = frozenset(
    {
        "invalid_prompt",
        "content_policy_violation",
        "cyber_policy",
        "bio_policy",
        "misalignment_policy_violation",
    }
)
"""The service will not have the model answer."""
STATUS_OF_CODE = {
    "server_error": HTTPStatus.INTERNAL_SERVER_ERROR,
    "rate_limit_exceeded": HTTPStatus.TOO_MANY_REQUESTS,
    "server_is_overloaded": HTTPStatus.SERVICE_UNAVAILABLE,
    "slow_down": HTTPStatus.TOO_MANY_REQUESTS,
    "invalid_api_key": HTTPStatus.UNAUTHORIZED,
    "model_not_found": HTTPStatus.NOT_FOUND,
    "data_residency_mismatch": HTTPStatus.FORBIDDEN,
}
"""Of codes that come in the middle of an answer with 200."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Failure:
    """What the service says of a failure, wherever it says it."""

    status: int
    code: str
    words: str
    retry_after_s: float | None = None


def meaning(error: Exception, access: Access) -> Exception | Reply:
    """What *error* stands for; a reply where the service declines to have the model answer."""
    failure = _failure(error, access)
    if failure is None:
        return ServiceTrouble(access.clean(_words(error)))
    if failure.code in DECLINED:
        stop, reason = Stop.DECLINED, failure.code
        return Reply(stop=stop, stop_reason=reason, model=access.model, text=failure.words)
    return _fault(failure, access)


def _fault(failure: _Failure, access: Access) -> Exception:
    if failure.code in TOO_LONG or failure.status == TOO_LARGE:
        return ContextFull(failure.words)
    if failure.code in NO_MEANS or failure.status == HTTPStatus.PAYMENT_REQUIRED:
        return access.no_means(failure.words)
    if is_redirect(failure.status):
        return access.not_there(failure.words)
    if may_pass(failure.status):
        return ServiceTrouble(
            failure.words,
            status=failure.status,
            retry_after_s=failure.retry_after_s,
            throttled=failure.status in THROTTLED,
        )
    return _refusal(failure, access)


def _refusal(failure: _Failure, access: Access) -> Exception:
    """What a request that the service does not take ends in."""
    if failure.status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return access.no_credentials(failure.words)
    if failure.status == HTTPStatus.NOT_FOUND or failure.code == "model_not_found":
        return access.no_model(failure.words)
    return access.refused(failure.words)


def _failure(error: Exception, access: Access) -> _Failure | None:
    """What the service said; None where it said nothing that is in the form of the API."""
    if isinstance(error, openai.APIStatusError):
        named = [name for name in (error.code, error.type) if name]
        code = next((name for name in named if name in NO_MEANS), [*named, "error"][0])
        said = f"{error.status_code} {code}: {_message(error) or _body(error.response)}"
        if error.request_id:
            said = f"{said} (request {error.request_id})"
        return _Failure(
            status=error.status_code,
            code=code,
            words=access.clean(said),
            retry_after_s=retry_after_s(error.response.headers, time.time()),
        )
    if isinstance(error, Broken):
        code, message = error.trouble.code or "", error.trouble.message
    elif isinstance(error, openai.APIError) and isinstance(error.body, dict):
        code, message = error.code or error.type or "", error.message
    else:
        return None
    status = STATUS_OF_CODE.get(code, HTTPStatus.INTERNAL_SERVER_ERROR)
    return _Failure(
        status=status, code=code, words=access.clean(f"{status:d} {code or 'error'}: {message}")
    )


def _message(error: openai.APIStatusError) -> str:
    """What the API says, without what the client puts before it."""
    body = error.body
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else ""


def _body(response: httpx2.Response) -> str:
    """What an answer says that is not in the form of the API: often a proxy's page."""
    if location := response.headers.get("location"):
        return f"it redirects to {location}"
    return response.text.strip() or "an empty answer"


def _words(error: Exception) -> str:
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        return "the service did not answer in time"
    if isinstance(error, ValueError):
        return f"the service's stream cannot be read: {error}"
    inner = error.__cause__ if isinstance(error, openai.APIConnectionError) else error
    return connection_words(inner or error)
