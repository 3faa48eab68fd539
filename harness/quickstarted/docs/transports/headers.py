"""
Sends a host the headers that it asks for (`docs.headers`), and nobody else.

Each hop is judged anew, so that a redirect takes them nowhere. Over https only, but for hosts that
the task calls private: what goes over plain http is everybody's. A value that a page repeats is
taken out of it, since the agent and the record get what the page says.
"""

from __future__ import annotations

from http import HTTPStatus

import httpx

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchFailed
from quickstarted.docs.model import HostHeaders
from quickstarted.docs.transports.allowlist import matches
from quickstarted.task_headers import telling_texts
from quickstarted_proxy.secrets_table import Secret, scrubbing
from quickstarted_proxy.substitution import Replacer

PRIVATE = "private"
"""Response extension: the answer is for who sent the headers, and not for a shared cache."""

_REPEATED = "[value of docs.headers]"
_REFUSING = frozenset({HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


class Headers(httpx.BaseTransport):
    """
    Adds headers to requests.

    Args:
        inner: The next layer, whose bodies are read and decoded.
        hosts: What to send where.
        private_hosts: Where it may be sent over plain http, with their subdomains.

    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        hosts: tuple[HostHeaders, ...],
        private_hosts: tuple[str, ...],
    ) -> None:
        self._inner = inner
        self._own = {one.host: one.headers for one in hosts}
        self._private_hosts = private_hosts
        self._scrubber = scrubber([value for one in hosts for _, value in one.headers])

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Pass the request on, with its host's headers if there are any."""
        host = urls.host_of(request.url)
        own = self._own.get(host)
        if own is None:
            return self._inner.handle_request(request)
        if request.url.scheme != "https" and not matches(host, self._private_hosts):
            return self._without(request, host)
        headers = request.headers.copy()
        headers.update(own)
        response = self._inner.handle_request(
            httpx.Request(
                request.method, request.url, headers=headers, extensions=request.extensions
            )
        )
        return self._clean(response)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()

    def _without(self, request: httpx.Request, host: str) -> httpx.Response:
        response = self._inner.handle_request(request)
        if response.status_code in _REFUSING:
            raise FetchFailed(
                f"HTTP {response.status_code} {HTTPStatus(response.status_code).phrase}: the"
                f" headers for {host} are sent over https only, and this URL is plain http.",
                status=response.status_code,
            )
        return response

    def _clean(self, response: httpx.Response) -> httpx.Response:
        replaced = self._scrubber.replaced
        headers = [(replaced(name), replaced(value)) for name, value in response.headers.raw]
        return httpx.Response(
            response.status_code,
            headers=headers,
            stream=httpx.ByteStream(replaced(response.read())),
            extensions={**response.extensions, PRIVATE: True},
        )


def scrubber(values: list[str]) -> Replacer:
    """What takes *values* out of a text, in every form in which pages and addresses have them."""
    secrets = [
        Secret(name="header", placeholder=_REPEATED, value=text, hosts=())
        for value in values
        for text in telling_texts(value)
    ]
    return Replacer(scrubbing(secrets))
