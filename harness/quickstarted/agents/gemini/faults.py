"""
What a failure of the Gemini API means, told by its status and details and never by its words.

https://ai.google.dev/gemini-api/docs/troubleshooting and the messages of google.rpc that its errors
carry (https://cloud.google.com/apis/design/errors): ErrorInfo, QuotaFailure, RetryInfo.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import httpx2
from google.genai.errors import APIError

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

LONG_QUOTA = re.compile(r"Per(Day|Week|Month)", re.IGNORECASE)
"""In the id of a quota: used up, it is not there again within an attempt."""
NO_MEANS = frozenset({"BILLING_DISABLED"})


def meaning(error: Exception, access: Access) -> Exception:
    """The exception of ours that *error*, raised by the client or below it, stands for."""
    if not isinstance(error, APIError):
        return ServiceTrouble(access.clean(_words(error)))
    status = _status(error.code)
    words = access.clean(f"{status:d} {error.status or 'error'}: {_said(error)}")
    details = list(_details(error))
    if status == TOO_LARGE:
        return ContextFull(words)
    if is_redirect(status):
        return access.not_there(words)
    if status == HTTPStatus.PAYMENT_REQUIRED or _quota_is_gone(details):
        return access.no_means(words)
    if may_pass(status):
        return ServiceTrouble(
            words,
            status=status,
            retry_after_s=_retry_s(details, error),
            throttled=status in THROTTLED,
        )
    return _refusal(status, _reasons(details), words, access)


def _status(code: object) -> int:
    """Of the answer; in the middle of one it is what the service wrote."""
    return code if isinstance(code, int) else HTTPStatus.INTERNAL_SERVER_ERROR


def _refusal(status: int, reasons: set[str], words: str, access: Access) -> Exception:
    """What a request that the service does not take ends in."""
    wrong_key = any(reason.startswith("API_KEY_") for reason in reasons)
    if reasons & NO_MEANS:
        return access.no_means(words)
    if wrong_key or status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        return access.no_credentials(words)
    if status == HTTPStatus.NOT_FOUND:
        return access.no_model(words)
    return access.refused(words)


def _details(error: APIError) -> Iterator[dict[str, Any]]:
    """The messages of google.rpc that *error* carries."""
    document = error.details
    inner = document.get("error", document) if isinstance(document, dict) else None
    details = inner.get("details") if isinstance(inner, dict) else None
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, dict):
            yield detail


def _of_type(details: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [one for one in details if str(one.get("@type", "")).endswith(f"google.rpc.{name}")]


def _reasons(details: list[dict[str, Any]]) -> set[str]:
    return {str(one.get("reason", "")) for one in _of_type(details, "ErrorInfo")}


def _quota_is_gone(details: list[dict[str, Any]]) -> bool:
    """Whether a quota is used up that lasts for a day or longer."""
    return any(
        isinstance(violation, dict) and LONG_QUOTA.search(str(violation.get("quotaId", "")))
        for failure in _of_type(details, "QuotaFailure")
        for violation in failure.get("violations") or ()
    )


def _retry_s(details: list[dict[str, Any]], error: APIError) -> float | None:
    """Seconds that the service asks to wait: `RetryInfo` (a duration, "34.5s"), or a header."""
    for info in _of_type(details, "RetryInfo"):
        if number := re.fullmatch(r"(\d+(?:\.\d+)?)s", str(info.get("retryDelay", ""))):
            return float(number[1])
    headers = getattr(error.response, "headers", None)
    return retry_after_s(headers, time.time()) if headers is not None else None


def _said(error: APIError) -> str:
    """In the form of the API, or what a proxy says in its place."""
    headers = getattr(error.response, "headers", None)
    location = headers.get("location") if headers is not None else None
    if location:
        return f"it redirects to {location}"
    return (error.message or "").strip() or "an empty answer"


def _words(error: Exception) -> str:
    if isinstance(error, httpx2.TimeoutException):
        return "the service did not answer in time"
    if isinstance(error, ValueError):
        return f"the service's stream cannot be read: {error}"
    return connection_words(error)
