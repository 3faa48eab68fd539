"""
What a documentation URL is, and how a reference on a page becomes one.

References are resolved as RFC 3986 says after the trimming that browsers do (WHATWG URL: leading
and trailing C0 controls and spaces, tabs and newlines anywhere).
"""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

import httpx

from quickstarted.docs.faults import FetchFailed, FetchRefused
from quickstarted_proxy.policy import is_ip_literal, normalise_host

_TRIM = "".join(map(chr, range(0x21)))
_BREAKS = re.compile(r"[\t\n\r]")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_MAX_URL_CHARS = 8_000
DEFAULT_PORTS = {"http": 80, "https": 443}


def parse(url: str) -> httpx.URL:
    """
    Read an absolute http or https URL.

    Raises:
        FetchRefused: Another scheme, or a user name or password in it (reason `scheme`).
        FetchFailed: It is not an absolute URL.

    """
    text = clean(url)
    scheme = _SCHEME.match(text)
    if scheme is not None and scheme[1].lower() not in DEFAULT_PORTS and not _is_host_port(text):
        raise FetchRefused(
            "scheme", f"Only http and https pages can be read, not {scheme[1].lower()}:."
        )
    if len(text) > _MAX_URL_CHARS:
        raise FetchFailed(f"The URL is longer than {_MAX_URL_CHARS} characters.")
    try:
        parsed = httpx.URL(text)
        parsed.raw_host.decode("ascii")
        # A host in Punycode is decoded only when it is asked for.
        str(parsed.host)
    except (httpx.InvalidURL, ValueError, TypeError) as exc:
        raise FetchFailed(f"Not a valid URL: {exc}") from exc
    if parsed.scheme not in DEFAULT_PORTS or not parsed.raw_host:
        raise FetchFailed("Not an absolute URL: it must start with https:// or http:// and a host.")
    if not (normalise_host(host_of(parsed)) or is_ip_literal(host_of(parsed))):
        raise FetchFailed(f"Not a valid URL: {host_of(parsed)} is no host name.")
    if parsed.port is not None and not 0 < parsed.port < 1 << 16:
        raise FetchFailed(f"Not a valid URL: {parsed.port} is no port.")
    if parsed.userinfo:
        raise FetchRefused("scheme", "The URL carries a user name or password; leave them out.")
    return parsed


def clean(url: str) -> str:
    """Trim *url* as a browser does before it reads it."""
    return _BREAKS.sub("", url.strip(_TRIM))


def absolute(base: str, reference: str) -> str:
    """Resolve *reference* on a page at *base*; unchanged where it cannot be resolved."""
    text = clean(reference)
    try:
        return urljoin(base, text)
    except ValueError:
        return text


def host_of(url: httpx.URL) -> str:
    """The host as a lower-case A-label without a trailing dot."""
    return url.raw_host.decode("ascii").lower().removesuffix(".")


def same_host(first: str, second: str) -> bool:
    """Whether two absolute URLs name the very same host; a subdomain is another one."""
    try:
        return host_of(httpx.URL(first)) == host_of(httpx.URL(second))
    except (httpx.InvalidURL, ValueError):
        return False


def without_fragment(url: str) -> str:
    """The part before `#`."""
    return url.partition("#")[0]


def fragment_of(url: str) -> str:
    """The part after `#`, as it stands."""
    return url.partition("#")[2]


def origin_of(url: httpx.URL) -> tuple[str, str, int]:
    """Scheme, host and port."""
    return url.scheme, host_of(url), url.port or DEFAULT_PORTS.get(url.scheme, 0)


def has_scheme(url: str) -> bool:
    """Whether *url* says how it is fetched, and so is no relative reference."""
    return _SCHEME.match(clean(url)) is not None and not _is_host_port(clean(url))


def is_http(url: str) -> bool:
    """Whether *url* is absolute and of a scheme that can be read."""
    try:
        return urlsplit(url).scheme in DEFAULT_PORTS
    except ValueError:
        return False


def _is_host_port(text: str) -> bool:
    """`localhost:8000/x` looks like a scheme and is a URL without one."""
    return re.match(r"[A-Za-z0-9.-]+:\d{1,5}(/|$)", text) is not None
