"""
The host's own proxies: which requests go through one, and as whom.

Standard library only. The rules of NO_PROXY are those that curl and requests share: `*`, a host
and everything below it with or without a leading dot, and either with a port.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamProxy:
    """One proxy of the host."""

    scheme: str
    """How to talk to the proxy itself: `http` or `https`."""
    host: str
    port: int
    authorization: str | None = None
    """Value of Proxy-Authorization; never part of a report."""

    @classmethod
    def parse(cls, url: str) -> UpstreamProxy:
        """
        Read a proxy's URL; without a scheme it is `http`.

        Raises:
            ValueError: It is not the URL of an HTTP proxy. The text never holds credentials.

        """
        parts = urlsplit(url if "://" in url else f"http://{url}")
        shown = f"{parts.scheme}://{parts.hostname or ''}"
        if parts.scheme not in _DEFAULT_PORTS:
            raise ValueError(f"upstream proxy {shown}: only http and https proxies are supported")
        if not parts.hostname:
            raise ValueError(f"upstream proxy {shown}: no host")
        try:
            port = parts.port or _DEFAULT_PORTS[parts.scheme]
        except ValueError:
            raise ValueError(f"upstream proxy {shown}: the port is not a number") from None
        authorization = None
        if parts.username is not None:
            pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
            authorization = "Basic " + base64.b64encode(pair.encode()).decode("ascii")
        return cls(scheme=parts.scheme, host=parts.hostname, port=port, authorization=authorization)


@dataclass(frozen=True, slots=True, kw_only=True)
class UpstreamProxies:
    """All proxies of the host, and the hosts that are reached without them."""

    http: UpstreamProxy | None = None
    https: UpstreamProxy | None = None
    no_proxy: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> UpstreamProxies:
        """
        Read the `upstream_proxies` of the order `start`; empty texts mean none.

        Raises:
            ValueError: A URL is not one, or there are parts of unknown names.

        """
        if unknown := set(value) - {"http", "https", "no"}:
            raise ValueError(f"upstream_proxies: unknown parts {sorted(unknown)}")
        texts = {name: str(value.get(name) or "") for name in ("http", "https", "no")}
        return cls(
            http=UpstreamProxy.parse(texts["http"]) if texts["http"] else None,
            https=UpstreamProxy.parse(texts["https"]) if texts["https"] else None,
            no_proxy=tuple(entry.lower() for entry in re.split(r"[,\s]+", texts["no"]) if entry),
        )

    def choose(self, scheme: str, host: str, port: int) -> UpstreamProxy | None:
        """The proxy for a request to *host* (lower-case A-label form), or None for direct."""
        proxy = self.https if scheme == "https" else self.http
        if proxy is None or any(_names(entry, host, port) for entry in self.no_proxy):
            return None
        return proxy


def _names(entry: str, host: str, port: int) -> bool:
    if entry == "*":
        return True
    name, _, entry_port = entry.partition(":")
    if entry_port and entry_port != str(port):
        return False
    name = name.removeprefix("*").strip(".")
    return bool(name) and (host == name or host.endswith("." + name))
