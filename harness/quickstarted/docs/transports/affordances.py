"""
Withholds affordances: asked at every hop, so that no redirect leads to one.

By the URL, before anything is asked; and where a server gives Markdown at a URL that does not tell
so, to a request which names it nowhere, by what comes.

What the task names itself is never withheld. Neither are Markdown pages of a host on which the
route itself is Markdown, such as a folder of sources or raw files: there they are the
documentation, and no variant of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import httpx

from quickstarted.docs import urls
from quickstarted.docs.affordances import (
    MARKDOWN_TYPES,
    is_affordance,
    is_index,
    is_markdown_variant,
)
from quickstarted.docs.faults import FetchFailed, FetchRefused, FetchWithheld
from quickstarted.docs.media import media_type
from quickstarted.docs.transports.answers import LOCAL_FILE

PROBING = "probing"
"""Request extension: nobody reads the answer, so nothing is withheld."""


class Affordances(httpx.BaseTransport):
    """
    Raises `FetchWithheld` for affordances, and passes everything else on.

    Args:
        inner: The next layer.
        route: URLs that the task names.

    """

    def __init__(self, inner: httpx.BaseTransport, route: Sequence[str]) -> None:
        self._inner = inner
        self._route = list(_parsed(route))
        self._named = {_place(url) for url in self._route}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Pass the request on, unless it is for an affordance."""
        if PROBING in request.extensions:
            return self._inner.handle_request(request)
        if is_affordance(request.url) and not self._is_documentation(request):
            raise FetchWithheld
        response = self._inner.handle_request(request)
        if _is_for_agents(response) and not self._is_documentation(request):
            raise FetchWithheld
        return response

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()

    def _is_documentation(self, request: httpx.Request) -> bool:
        if _place(request.url) in self._named:
            return True
        if is_index(request.url):
            return False
        host = urls.host_of(request.url)
        of_host = [url for url in self._route if urls.host_of(url) == host]
        return any(map(is_markdown_variant, of_host)) or any(
            self._comes_as_markdown(url, request) for url in of_host
        )

    def _comes_as_markdown(self, url: httpx.URL, like: httpx.Request) -> bool:
        """Whether a page is Markdown although a browser asks for it; mostly it has been read."""
        try:
            response = self._ask(url, like)
            if response.has_redirect_location:
                with_slash = url.copy_with(path=f"{url.path}/")
                location = urls.absolute(str(url), response.headers["location"])
                response = self._ask(with_slash, like) if location == str(with_slash) else response
        except (FetchFailed, FetchRefused):
            return False
        return response.is_success and media_type(response.headers) in MARKDOWN_TYPES

    def _ask(self, url: httpx.URL, like: httpx.Request) -> httpx.Response:
        return self._inner.handle_request(
            httpx.Request("GET", url, headers=like.headers, extensions=like.extensions)
        )


def _is_for_agents(response: httpx.Response) -> bool:
    """Markdown; but for the sources that a folder has where no page was built of them."""
    return (
        response.is_success
        and media_type(response.headers) in MARKDOWN_TYPES
        and LOCAL_FILE not in response.extensions
    )


def _parsed(route: Sequence[str]) -> Iterator[httpx.URL]:
    for text in route:
        try:
            yield urls.parse(text).copy_with(fragment=None)
        except (FetchFailed, FetchRefused):
            continue


def _place(url: httpx.URL) -> tuple[str, int | None, bytes]:
    """Host, port unless it is the scheme's own, path and query."""
    scheme, host, port = urls.origin_of(url)
    return host, None if port == urls.DEFAULT_PORTS.get(scheme) else port, url.raw_path
