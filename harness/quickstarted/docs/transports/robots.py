"""
Asks a site's robots.txt before a page (RFC 9309), once a host for all attempts of a run.

A 4xx means that there are no rules; a 5xx or no answer means that there may be some, so the page is
refused, and robots.txt is asked for again at the next read. Where the host itself cannot be
reached, the page fails for that reason and not for robots.

A `Crawl-delay` is kept to up to `MAX_CRAWL_DELAY_S`; what waits for it does not count as the
agent's time.
"""

from __future__ import annotations

import threading
from collections import defaultdict

import httpx
from protego import Protego

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchFailed, FetchRefused
from quickstarted.docs.transports.allowlist import allows
from quickstarted.docs.transports.throttle import CRAWL_DELAY

_MAX_ROBOTS_BYTES = 512_000  # RFC 9309, 2.5: at least 500 kibibytes must be read
MAX_CRAWL_DELAY_S = 5.0
"""Written for crawlers that fetch all of a site; a reader of a few pages does not wait minutes."""
_MAX_REDIRECTS = 5  # RFC 9309, 2.3.1.2
_NO_RULES = ""


class Robots(httpx.BaseTransport):
    """
    Refuses what a site's robots.txt forbids to *user_agent*.

    Args:
        inner: The next layer; robots.txt is fetched through it.
        user_agent: The product token is the part before `/`.
        hosts: Where a redirect of robots.txt may lead; one that leads elsewhere means no rules.

    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        user_agent: str,
        hosts: tuple[str, ...],
    ) -> None:
        self._inner = inner
        self._token = user_agent.partition("/")[0]
        self._hosts = hosts
        self._rules: dict[tuple[str, str, int], Protego] = {}
        self._one_origin: defaultdict[tuple[str, str, int], threading.Lock] = defaultdict(
            threading.Lock
        )
        self._all_origins = threading.Lock()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Pass the request on, or raise `FetchRefused` with reason `robots_disallowed`."""
        rules = self._rules_for(request)
        if not rules.can_fetch(str(request.url), self._token):
            raise FetchRefused(
                "robots_disallowed",
                f"{_robots_url(request.url)} forbids {request.url.path} to {self._token}.",
            )
        if delay_s := rules.crawl_delay(self._token):
            request.extensions[CRAWL_DELAY] = min(float(delay_s), MAX_CRAWL_DELAY_S)
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()

    def _rules_for(self, request: httpx.Request) -> Protego:
        origin = urls.origin_of(request.url)
        with self._all_origins:
            lock = self._one_origin[origin]
        with lock:
            if origin not in self._rules:
                self._rules[origin] = Protego.parse(self._fetch(request))
            return self._rules[origin]

    def _fetch(self, request: httpx.Request) -> str:
        url = _robots_url(request.url)
        for _ in range(_MAX_REDIRECTS + 1):
            response = self._ask(url, request)
            if response.status_code >= 500:
                raise _unreachable(url, f"HTTP {response.status_code}")
            if response.is_success:
                return response.read()[:_MAX_ROBOTS_BYTES].decode("utf-8-sig", errors="replace")
            if not response.has_redirect_location:
                return _NO_RULES
            try:
                url = urls.parse(urls.absolute(str(url), response.headers["location"]))
            except (FetchRefused, FetchFailed):
                return _NO_RULES
            if not allows(self._hosts, url):
                return _NO_RULES
        return _NO_RULES

    def _ask(self, url: httpx.URL, like: httpx.Request) -> httpx.Response:
        names = ("user-agent", "accept-encoding")
        headers = {name: like.headers[name] for name in names if name in like.headers}
        try:
            return self._inner.handle_request(
                httpx.Request("GET", url, headers=headers, extensions=like.extensions)
            )
        except FetchFailed as exc:
            if exc.same_for_host:
                raise
            raise _unreachable(url, exc.error) from exc


def _robots_url(url: httpx.URL) -> httpx.URL:
    return url.copy_with(raw_path=b"/robots.txt", fragment=None)


def _unreachable(url: httpx.URL, why: str) -> FetchRefused:
    return FetchRefused(
        "robots_disallowed", f"{url} could not be read ({why}), so nothing of the host may be."
    )
