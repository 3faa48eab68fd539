"""
What a failure of the Messages API means, told by its type and status and never by its words.

https://docs.anthropic.com/en/api/errors: 401, 402, 403 and 404 are refusals of key, account and
model; 408, 409, 429 and 5xx may pass; 413 is a request that is too large. The API never redirects.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping

import anthropic
import httpx2

from quickstarted.agents.claude.address import ADDRESS_VARIABLE
from quickstarted.agents.keys import ApiKey
from quickstarted.agents.model.vendor import ContextFull, ServiceTrouble
from quickstarted.errors import ModelRejected

PASSING = frozenset({408, 409, 425, 429})
"""Client errors that may pass; so may every status from 500 on."""
THROTTLED = frozenset({429, 529})
TOO_LARGE = 413
LONGEST_WORDS = 500


def meaning(error: Exception, key: ApiKey, model: str) -> Exception:
    """The exception of ours that *error*, raised by the client or below it, stands for."""
    words = key.scrubbed(_words(error))
    if not isinstance(error, anthropic.APIStatusError):
        return ServiceTrouble(words)
    status = _status(error)
    if 300 <= status < 400:
        return _rejected(words, f"Is {ADDRESS_VARIABLE} the address of a Messages API?")
    if status in PASSING or status >= 500:
        return ServiceTrouble(
            words,
            status=status,
            retry_after_s=retry_after_s(error.response.headers, time.time()),
            throttled=status in THROTTLED,
        )
    return _refusal(error, status, words, key, model)


def _refusal(
    error: anthropic.APIStatusError, status: int, words: str, key: ApiKey, model: str
) -> Exception:
    """What a request that the service does not take ends in."""
    if status == TOO_LARGE:
        return ContextFull(words)
    if status in {401, 403}:
        return _rejected(
            words, f"Look at the key in {key.variable}, and at what it may be used for."
        )
    if status == 402 or error.type == "billing_error":
        return _rejected(words, f"The account behind {key.variable} has no means left.")
    if status == 404:
        return _rejected(words, f"Is there a model {model!r}? Name one: --agent claude:MODEL.")
    return _rejected(
        words, "Does the model take the vendor's shell tool, and does the account work?"
    )


def _rejected(words: str, hint: str) -> ModelRejected:
    return ModelRejected(f"the model's service refused the request: {words}", hint=hint)


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
}


def _status(error: anthropic.APIStatusError) -> int:
    """Of the answer; of the error's type where it comes in the middle of an answer with 200."""
    if error.status_code >= 300:
        return error.status_code
    return STATUS_OF_TYPE.get(error.type or "", 500)


def _words(error: Exception) -> str:
    """What a person is told of *error*, on one line."""
    if isinstance(error, anthropic.APIStatusError):
        said = f"{_status(error)} {error.type or 'error'}: {error.api_message or _body(error)}"
        return _cut(f"{said} (request {error.request_id})" if error.request_id else said)
    if isinstance(error, anthropic.APITimeoutError | httpx2.TimeoutException):
        return "the service did not answer in time"
    if isinstance(error, ValueError):
        return _cut(f"the service's stream cannot be read: {error}")
    inner = error.__cause__ if isinstance(error, anthropic.APIConnectionError) else error
    name = type(inner or error).__name__
    said = f"{name}: {inner}" if inner and str(inner) else name
    return _cut(f"the connection to the service failed ({said})")


def _body(error: anthropic.APIStatusError) -> str:
    """What an answer says that is not in the form of the API: often a proxy's page."""
    if location := error.response.headers.get("location"):
        return f"it redirects to {location}"
    return error.response.text.strip() or "an empty answer"


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_WORDS else f"{line[:LONGEST_WORDS]}..."


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """Seconds that `Retry-After` asks for (RFC 9110, 10.2.3): a number, or a date after *now*."""
    value = headers.get("retry-after", "").strip()
    if not value:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except ValueError:
        return None
