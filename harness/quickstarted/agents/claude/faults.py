"""
What a failure of the Messages API means, told by its type and status and never by its words.

https://docs.anthropic.com/en/api/errors: 401, 402, 403 and 404 are refusals of key, account and
model; 408, 409, 429 and 5xx may pass; 413 is a request that is too large. The API never redirects.
"""

from __future__ import annotations

import time

import anthropic
import httpx2

from quickstarted.agents.model.access import Access
from quickstarted.agents.model.answers import (
    THROTTLED,
    TOO_LARGE,
    connection_words,
    is_redirect,
    may_pass,
    retry_after_s,
)
from quickstarted.agents.model.vendor import ContextFull, ServiceTrouble


def meaning(error: Exception, access: Access) -> Exception:
    """The exception of ours that *error*, raised by the client or below it, stands for."""
    words = access.clean(_words(error))
    if not isinstance(error, anthropic.APIStatusError):
        return ServiceTrouble(words)
    status = _status(error)
    if is_redirect(status):
        return access.not_there(words)
    if may_pass(status):
        return ServiceTrouble(
            words,
            status=status,
            retry_after_s=retry_after_s(error.response.headers, time.time()),
            throttled=status in THROTTLED,
        )
    return _refusal(error, status, words, access)


def _refusal(error: anthropic.APIStatusError, status: int, words: str, access: Access) -> Exception:
    """What a request that the service does not take ends in."""
    if status == TOO_LARGE:
        return ContextFull(words)
    if status in {401, 403}:
        return access.no_credentials(words)
    if status == 402 or error.type == "billing_error":
        return access.no_means(words)
    if status == 404:
        return access.no_model(words)
    return access.refused(words)


STATUS_OF_TYPE = {
    "overloaded_error": 529,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "api_error": 500,
    "authentication_error": 401,
    "permission_error": 403,
    "billing_error": 402,
    "not_found_error": 404,
    "request_too_large": TOO_LARGE,
    "invalid_request_error": 400,
    # Bedrock's, in the middle of a stream.
    "throttlingException": 429,
    "serviceUnavailableException": 503,
    "validationException": 400,
}


def _status(error: anthropic.APIStatusError) -> int:
    """Of the answer; of the error's type where it comes in the middle of an answer with 200."""
    if error.status_code >= 300:
        return error.status_code
    return STATUS_OF_TYPE.get(error.type or "", 500)


def _words(error: Exception) -> str:
    """What a person is told of *error*."""
    if isinstance(error, anthropic.APIStatusError):
        said = f"{_status(error)} {error.type or 'error'}: {error.api_message or _body(error)}"
        return f"{said} (request {error.request_id})" if error.request_id else said
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return "the service did not answer in time"
    if isinstance(error, ValueError):
        return f"the service's stream cannot be read: {error}"
    inner = error.__cause__ if isinstance(error, anthropic.APIConnectionError) else error
    return connection_words(inner or error)


def _body(error: anthropic.APIStatusError) -> str:
    """What an answer says that is not in the form of the API: often a proxy's page."""
    if location := error.response.headers.get("location"):
        return f"it redirects to {location}"
    return error.response.text.strip() or "an empty answer"
