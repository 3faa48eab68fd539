"""Keeps a distance between two requests to one host, and holds no other host back."""

from __future__ import annotations

import threading
import time
from collections import defaultdict

import httpx

from quickstarted.docs import clock, urls


class Throttle(httpx.BaseTransport):
    """Lets a request to a host through no sooner than *min_interval_s* after the last one."""

    def __init__(self, inner: httpx.BaseTransport, min_interval_s: float) -> None:
        self._inner = inner
        self._interval_s = min_interval_s
        self._next_free: defaultdict[str, float] = defaultdict(float)
        self._lock = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Take the host's next free moment, wait for it outside the lock, pass the request on."""
        host = urls.host_of(request.url)
        with self._lock:
            now = time.monotonic()
            moment = max(now, self._next_free[host])
            self._next_free[host] = moment + self._interval_s
        clock.current().wait(moment - now)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()
