"""
Reads the pages below a URL prefix from a preview deployment of the documentation (`docs.sites`).

The agent sees public URLs only: redirects and links within the preview are told as they will be
once the site is published. The task's author named the preview, so its robots.txt, which usually
forbids everything, is not asked; where its address leads is judged like any other.
"""

from __future__ import annotations

from http import HTTPStatus

import httpx

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.sites.prefixes import Prefix, moved, raw_query

_LOGIN_STATUSES = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})
_ADVICE = "`docs.headers` can send what it asks for."


class Preview:
    """
    One preview.

    Args:
        prefix: The public URLs for which it stands in.
        base: Its URL for the prefix itself.
        network: What asks it; no layer with rules of public hosts.

    Raises:
        UsageError: *base* is not an absolute http or https URL.

    """

    def __init__(self, prefix: Prefix, base: str, network: httpx.BaseTransport) -> None:
        self.prefix = prefix
        self._base = Prefix(base)
        self._network = network

    def answer(self, request: httpx.Request, rest: str) -> httpx.Response:
        """
        Ask for the page at *rest*.

        Raises:
            FetchFailed: The preview asks for a login, or leads every reader elsewhere.

        """
        url = self._base.url_of(rest + raw_query(request.url))
        headers = request.headers.copy()
        headers.pop("host", None)
        response = self._network.handle_request(
            httpx.Request("GET", url, headers=headers, extensions=request.extensions)
        )
        if response.status_code in _LOGIN_STATUSES:
            phrase = HTTPStatus(response.status_code).phrase
            raise FetchFailed(
                f"HTTP {response.status_code} {phrase}: the preview at {self._base.host} asks for"
                f" a login. {_ADVICE}",
                status=response.status_code,
            )
        if response.has_redirect_location:
            response.headers["location"] = self._redirect(request, url, response)
        response.extensions["source"] = url
        return response

    def public_link(self, url: str) -> str:
        """A link on a page of the preview as the public page will have it."""
        return moved(url, self._base, self.prefix) or url

    def _redirect(self, request: httpx.Request, url: str, response: httpx.Response) -> str:
        target = urls.absolute(url, response.headers["location"])
        public = self.public_link(target)
        parsed = urls.parse(public)
        if urls.without_fragment(public) == str(request.url):
            itself = urls.without_fragment(target) == url
            why = (
                "to itself: it may want a cookie, and none are kept"
                if itself
                else f"to its public address ({target}), so it has no page of its own"
            )
            raise FetchFailed(
                f"The preview at {self._base.host} redirects this page {why}.",
                status=response.status_code,
            )
        if not self.prefix.is_same_host(parsed):
            raise FetchFailed(
                f"The preview at {self._base.host} redirects to {urls.host_of(parsed)}, outside of"
                f" its own pages: it may ask for a login. {_ADVICE}",
                status=response.status_code,
            )
        return public
