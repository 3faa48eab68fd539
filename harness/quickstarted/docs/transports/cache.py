"""
One attempt sees one version of a page: what came once is given again.

Kept in memory, for the life of one client: raw bodies and headers, never text. What may come out
differently a moment later (429, 5xx) is not kept.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from dataclasses import dataclass

import httpx

from quickstarted.docs import urls

_Key = tuple[str, str]
KEPT_STATUSES = frozenset({200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 410})


@dataclass(frozen=True, slots=True)
class _Stored:
    status: int
    headers: httpx.Headers
    body: bytes
    extensions: dict[str, object]


class Cache(httpx.BaseTransport):
    """Gives a stored answer with `extensions["from_cache"]` true; asks *inner* once a URL."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self._stored: dict[_Key, _Stored] = {}
        self._one_url: defaultdict[_Key, threading.Lock] = defaultdict(threading.Lock)
        self._all_urls = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Answer from memory, or ask and remember; two readers of one URL ask once."""
        key = _key(request)
        with self._all_urls:
            lock = self._one_url[key]
        with lock:
            if (stored := self._stored.get(key)) is not None:
                return _response(stored, from_cache=True)
            response = self._inner.handle_request(request)
            fresh = _Stored(
                response.status_code, response.headers, response.read(), dict(response.extensions)
            )
            if fresh.status in KEPT_STATUSES:
                self._stored[key] = fresh
            return _response(fresh, from_cache=False)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()


def _key(request: httpx.Request) -> _Key:
    """A site may answer one URL with a page or with Markdown, by what the request accepts."""
    return request.headers.get("accept", ""), urls.without_fragment(str(request.url))


def _response(stored: _Stored, *, from_cache: bool) -> httpx.Response:
    return httpx.Response(
        stored.status,
        headers=stored.headers,
        stream=httpx.ByteStream(stored.body),
        extensions={**stored.extensions, "from_cache": from_cache},
    )
