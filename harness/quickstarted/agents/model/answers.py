"""
What an answer over HTTP means, whichever vendor's it is.

Told by status and by the codes that vendors define, and never by an answer's words.
"""

from __future__ import annotations

import email.utils
from collections.abc import Mapping

from quickstarted.errors import ModelRejected

PASSING = frozenset({408, 409, 425, 429})
"""Client errors that may pass; so may every status from 500 on."""
THROTTLED = frozenset({429, 529})
TOO_LARGE = 413
LONGEST_WORDS = 500


def may_pass(status: int) -> bool:
    """Whether the same request may be answered in a while."""
    return status in PASSING or status >= 500


def is_redirect(status: int) -> bool:
    """Whether the answer names another address; no vendor's service does."""
    return 300 <= status < 400


def retry_after_s(headers: Mapping[str, str], now: float) -> float | None:
    """
    Seconds that the service asks to wait.

    `Retry-After` is a number, or a date after *now* (RFC 9110, 10.2.3); `retry-after-ms` is more
    exact and not a standard.
    """
    exact = _number(headers.get("retry-after-ms", ""))
    if exact is not None:
        return exact / 1000
    value = headers.get("retry-after", "").strip()
    if (number := _number(value)) is not None:
        return number
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _number(value: str) -> float | None:
    """A count that somebody can wait; neither "nan" nor "inf" is one."""
    try:
        number = float(value)
    except ValueError:
        return None
    return max(0.0, number) if number < float("inf") else None


def one_line(text: str) -> str:
    """*text* on one line, and not too long a one."""
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_WORDS else f"{line[:LONGEST_WORDS]}..."


def connection_words(error: BaseException) -> str:
    """How a connection failed, in the words of what lies below the vendor's client."""
    name = type(error).__name__
    return one_line(
        f"the connection to the service failed ({f'{name}: {error}' if str(error) else name})"
    )


def rejected(words: str, hint: str) -> ModelRejected:
    """The service does not take the request, and will not later."""
    return ModelRejected(f"the model's service refused the request: {words}", hint=hint)
