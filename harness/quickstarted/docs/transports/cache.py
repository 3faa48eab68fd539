"""
One attempt sees one version of a page: what came once is given again.

Kept in memory, for the life of one client, whatever others do to what the run or the disk keeps:
raw bodies and headers, never text.
"""

from __future__ import annotations

import threading
from collections import defaultdict

import httpx

from quickstarted.docs.transports.answers import CHANGED, KEPT_STATUSES, Answer, Key, key_of


class Cache(httpx.BaseTransport):
    """Gives a stored answer with `extensions["from_cache"]` true; asks *inner* once a URL."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self._answers: dict[Key, Answer] = {}
        self._one_url: defaultdict[Key, threading.Lock] = defaultdict(threading.Lock)
        self._all_urls = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer from memory, or ask and remember; two readers of one URL ask once."""
        key = key_of(request)
        with self._all_urls:
            lock = self._one_url[key]
        with lock:
            if (known := self._answers.get(key)) is not None:
                return known.response(from_cache=True)
            fresh = Answer.of(self._inner.handle_request(request))
            response = fresh.response()
            # Said once: a page that is read again has not changed again.
            fresh.extensions.pop(CHANGED, None)
            if fresh.status in KEPT_STATUSES:
                self._answers[key] = fresh
            return response

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()
