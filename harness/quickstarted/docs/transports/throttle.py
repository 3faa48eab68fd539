"""
Keeps a distance between two requests to one host, and holds no other host back.

The distance is kept over all attempts of a run, which share a `Schedule`.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict

import httpx

from quickstarted.docs import clock, urls

CRAWL_DELAY = "crawl_delay_s"
"""Request extension: the distance that the host's robots.txt asks for."""


class Schedule:
    """When each host may be asked next; safe to use from several threads."""

    def __init__(self) -> None:
        self._next_free: defaultdict[str, float] = defaultdict(float)
        self._lock = threading.Lock()

    def wait_for_turn(self, host: str, interval_s: float) -> None:
        """Take the host's next free moment, and wait for it outside the lock."""
        with self._lock:
            now = time.monotonic()
            moment = max(now, self._next_free[host])
            self._next_free[host] = moment + interval_s
        clock.current().wait(moment - now)

    def postpone(self, host: str, seconds: float) -> None:
        """Have nobody ask *host* for *seconds* from now."""
        with self._lock:
            moment = time.monotonic() + seconds
            self._next_free[host] = max(self._next_free[host], moment)


class Throttle(httpx.BaseTransport):
    """
    Lets a request to a host through no sooner than *min_interval_s* after the last one.

    Args:
        inner: The next layer.
        min_interval_s: The least distance; a request may ask for a longer one.
        schedule: Shared with other throttles.

    """

    def __init__(
        self, inner: httpx.BaseTransport, min_interval_s: float, schedule: Schedule
    ) -> None:
        self._inner = inner
        self._interval_s = min_interval_s
        self._schedule = schedule

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Wait for the host's turn, pass the request on."""
        asked = request.extensions.get(CRAWL_DELAY, 0.0)
        interval_s = max(self._interval_s, asked)
        self._schedule.wait_for_turn(urls.host_of(request.url), interval_s)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()
