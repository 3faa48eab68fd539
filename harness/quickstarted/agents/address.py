"""Where a vendor's service is, and why what names another place cannot be used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from quickstarted.errors import ModelRejected
from quickstarted_proxy.model_apis import Vendor


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceAddress:
    """The base URL of a service, and the variable that names another in its place."""

    variable: str
    usual: str

    def of(self, environ: Mapping[str, str]) -> str:
        """
        The base URL to use.

        Raises:
            ModelRejected: The variable holds what cannot be one. It is not repeated: there may be a
                password in it.

        """
        named = environ.get(self.variable, "").strip()
        if not named:
            return self.usual
        if wrong := _what_is_wrong(named):
            raise ModelRejected(
                f"{self.variable} is not the address of a service: {wrong}",
                hint=f"Write it as https://HOST[:PORT][/PATH], or unset {self.variable}.",
            )
        return named


ADDRESSES: dict[Vendor, ServiceAddress] = {
    "anthropic": ServiceAddress(variable="ANTHROPIC_BASE_URL", usual="https://api.anthropic.com"),
    "openai": ServiceAddress(variable="OPENAI_BASE_URL", usual="https://api.openai.com/v1"),
    "gemini": ServiceAddress(
        variable="GOOGLE_GEMINI_BASE_URL", usual="https://generativelanguage.googleapis.com"
    ),
}
"""Apart from the vendors' adapters, which whoever asks for an address need not load."""


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
