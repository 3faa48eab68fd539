"""
Asks again where a server says "not now" (429, 503), as long after as it asks (RFC 9110, 10.2.3).

Nobody else of the run asks that host meanwhile; other hosts are asked as ever.

A wait longer than the limit is not made: the answer stands, and says so by its status.
"""

from __future__ import annotations

import datetime as dt
import email.utils

import httpx

from quickstarted.docs import clock, urls
from quickstarted.docs.faults import Disconnected
from quickstarted.docs.transports.throttle import Schedule

RETRIED_STATUSES = frozenset({429, 503})
_FIRST_BACKOFF_S = 1.0


class Retry(httpx.BaseTransport):
    """
    Makes at most *max_retries* further tries, each after at most *max_wait_s* seconds.

    Args:
        inner: The next layer, which keeps to *schedule*.
        max_retries: After 429 and 503.
        max_wait_s: A longer wait is an answer.
        schedule: Is told how long the host wants to be left alone.

    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        max_retries: int,
        max_wait_s: float,
        schedule: Schedule,
    ) -> None:
        self._inner = inner
        self._max_retries = max_retries
        self._max_wait_s = max_wait_s
        self._schedule = schedule

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer with the first response that is final."""
        for attempt in range(self._max_retries):
            response = self._ask(request)
            if response.status_code not in RETRIED_STATUSES:
                return response
            wait_s = retry_after_s(response.headers.get("retry-after", ""))
            if wait_s is None:
                wait_s = _FIRST_BACKOFF_S * 2**attempt
            if wait_s > self._max_wait_s:
                return response
            response.close()
            self._schedule.postpone(urls.host_of(request.url), wait_s)
            clock.current().wait(wait_s)
        return self._ask(request)

    def _ask(self, request: httpx.Request) -> httpx.Response:
        """
        Ask once more where the connection breaks, before or in the middle of the answer.

        A kept-alive connection may be closed by the server just as it is used.
        """
        try:
            return self._inner.handle_request(request)
        except Disconnected:
            return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()


def retry_after_s(value: str) -> float | None:
    """
    Read a `Retry-After`: whole seconds, or an HTTP date.

    Returns:
        Seconds from now, at least zero; None where the value is neither.

    """
    text = value.strip()
    if text.isascii() and text.isdigit():
        return float(text[:9])
    try:
        moment = email.utils.parsedate_to_datetime(text)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=dt.UTC)
    return max(0.0, (moment - dt.datetime.now(dt.UTC)).total_seconds())
