"""Asks at every hop whether the task allows the host: a redirect is judged like a first request."""

from __future__ import annotations

from collections.abc import Callable

import httpx

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchRefused
from quickstarted_proxy.policy import is_ip_literal, normalise_host


def matches(host: str, names: tuple[str, ...]) -> bool:
    """Whether *host* is one of *names* or below one; nothing is below an address."""
    return any(
        host == name or (host.endswith("." + name) and not is_ip_literal(name)) for name in names
    )


def allows(hosts: tuple[str, ...], url: httpx.URL) -> bool:
    """Whether the host of *url* is on the list; an address only where it is named itself."""
    host = urls.host_of(url)
    if is_ip_literal(host):
        return host in hosts
    return normalise_host(host) is not None and matches(host, hosts)


class Allowlist(httpx.BaseTransport):
    """
    Refuses what is not on the list.

    Args:
        inner: The next layer.
        hosts: Lower-case A-labels, each with its subdomains; an address only as itself.
        is_site: Whether a URL is below a prefix of `docs.sites`, which the task names itself.

    """

    def __init__(
        self,
        inner: httpx.BaseTransport,
        hosts: tuple[str, ...],
        is_site: Callable[[httpx.URL], bool],
    ) -> None:
        self._inner = inner
        self._hosts = hosts
        self._is_site = is_site

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Pass the request on, or raise `FetchRefused`."""
        urls.parse(str(request.url))
        if not (allows(self._hosts, request.url) or self._is_site(request.url)):
            host = urls.host_of(request.url)
            kind = "address" if is_ip_literal(host) else "host"
            raise FetchRefused(
                "not_allowlisted",
                f"The {kind} {host} is not one of this task's documentation hosts"
                f" ({', '.join(self._hosts) or 'there are none'}).",
            )
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the next layer."""
        self._inner.close()
