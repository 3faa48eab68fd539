"""Where the Messages API is, and why what names another place cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

from quickstarted.errors import ModelRejected

ADDRESS_VARIABLE = "ANTHROPIC_BASE_URL"
USUAL_ADDRESS = "https://api.anthropic.com"


def service_address(environ: Mapping[str, str]) -> str:
    """
    The base URL of the service.

    Raises:
        ModelRejected: `ANTHROPIC_BASE_URL` holds what cannot be one. It is not repeated: there may
            be a password in it.

    """
    named = environ.get(ADDRESS_VARIABLE, "").strip()
    if not named:
        return USUAL_ADDRESS
    if wrong := _what_is_wrong(named):
        raise ModelRejected(
            f"{ADDRESS_VARIABLE} is not the address of a service: {wrong}",
            hint=f"Write it as https://HOST[:PORT][/PATH], or unset {ADDRESS_VARIABLE}.",
        )
    return named


def _what_is_wrong(url: str) -> str:
    if not url.isprintable() or " " in url:
        return "there is a space or a control character in it"
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "its host or port cannot be read"
    faults = {
        "it does not begin with https:// or http://": parts.scheme not in {"http", "https"},
        "there is no host in it": not host,
        "a user name or password in it would be sent in place of the key": "@" in parts.netloc,
        "it ends in a query or a fragment": bool(parts.query or parts.fragment),
    }
    return next((fault for fault, is_so in faults.items() if is_so), "")
