"""
Hosts and URLs as a task file writes them, turned into the one form in which they are compared.

The sidecar compares lower-case ASCII only (`quickstarted_proxy.policy`), so names become A-labels
(UTS 46) here, when the task loads.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit, urlunsplit

import idna

from quickstarted.task.source import quoted
from quickstarted_proxy.policy import is_ip_literal, normalise_host

DEFAULT_PORTS = {"http": 80, "https": 443}
_NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f<>\"\\^`{|}]")


@dataclass(frozen=True, slots=True)
class HostPort:
    """A host of `network.allow`; without a port the usual web ports are meant."""

    host: str
    port: int | None = None


def host_name(value: str) -> str:
    """
    Turn a host as written into its lower-case A-label form.

    Raises:
        ValueError: It is not a host alone; the message says what to write instead.

    """
    if "://" in value:
        raise ValueError(f"a host has no scheme: write {quoted(_bare_host(value))}")
    if "/" in value or "?" in value or "#" in value:
        raise ValueError(f"a host has no path: write {quoted(_bare_host('//' + value))}")
    if value.startswith("*."):
        raise ValueError(f"a host means its subdomains too: write {quoted(value[2:])}")
    if "@" in value:
        raise ValueError("a host has no user name")
    if ":" in value:
        raise ValueError("a port can only be given under network.allow, and IPv6 addresses nowhere")
    name = normalise_host(_to_ascii(value))
    if name is None:
        raise ValueError(f"{quoted(value)} is not a host name")
    return name


def domain_name(value: str) -> str:
    """
    Like `host_name`, and not an IP address, which the sidecar refuses whatever the task says.

    Raises:
        ValueError: See `host_name`.

    """
    name = host_name(value)
    if is_ip_literal(name):
        raise ValueError(
            f"{quoted(value)} is an address: requests to those are always refused, name the host"
        )
    return name


def host_and_port(value: str) -> HostPort:
    """
    Read `host` or `host:port`.

    Raises:
        ValueError: See `host_name`; or the port is not one.

    """
    host, colon, port = value.rpartition(":")
    if not colon or "://" in value or "/" in value or ":" in host:
        return HostPort(domain_name(value))
    if not re.fullmatch(r"[0-9]{1,5}", port) or not 1 <= int(port) <= 65535:
        raise ValueError(f"{quoted(port)} is not a port: a number from 1 to 65535 is")
    return HostPort(domain_name(host), int(port))


def page_url(value: str) -> str:
    """
    Normalise an http(s) URL: scheme and host in lower case, host as A-labels, no default port,
    `/` for an empty path.

    Raises:
        ValueError: It is not an http(s) URL of a page, or it carries credentials.

    """
    parts = _split(value)
    if parts.scheme not in DEFAULT_PORTS or "//" not in value:
        raise ValueError(f"{quoted(value)} is not an http:// or https:// URL")
    if parts.username is not None or parts.password is not None:
        raise ValueError("a URL may not carry a user name or a password")
    if parts.netloc.startswith("["):
        raise ValueError("IPv6 addresses are not supported: name the host")
    host = host_name(parts.hostname or "")
    port = _port(parts)
    netloc = host if port in {None, DEFAULT_PORTS[parts.scheme]} else f"{host}:{port}"
    return urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, parts.fragment))


def url_prefix(value: str) -> str:
    """
    Normalise the URL below which pages are meant: a `page_url` without query and fragment.

    Raises:
        ValueError: See `page_url`.

    """
    url = page_url(value)
    if "?" in url or "#" in url:
        raise ValueError("a URL prefix has neither a query nor a fragment")
    return url


def same_page(url: str) -> str:
    """What two URLs of one page have in common: all but the fragment."""
    return url.partition("#")[0]


def url_host(url: str) -> str:
    """Host of a normalised URL."""
    return urlsplit(url).hostname or ""


def _to_ascii(host: str) -> str:
    if host.isascii():
        return host
    try:
        return idna.encode(host, uts46=True).decode("ascii")
    except (idna.IDNAError, UnicodeError) as exc:
        raise ValueError(f"{quoted(host)} is not an internationalised host name: {exc}") from exc


def _bare_host(value: str) -> str:
    try:
        return urlsplit(value).hostname or "example.com"
    except ValueError:
        return "example.com"


def _split(url: str) -> SplitResult:
    if bad := _NOT_IN_URLS.search(url):
        raise ValueError(f"a URL cannot contain {bad.group()!r}")
    try:
        return urlsplit(url)
    except ValueError as exc:
        raise ValueError(f"{quoted(url)} is not a URL: {exc}") from exc


def _port(parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError as exc:
        raise ValueError(f"the port is not a number from 0 to 65535: {exc}") from exc
