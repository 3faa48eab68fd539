"""
The services of models that programs in the sandbox may call, and how much of each.

Standard library only, shared with the harness.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, fields
from typing import Any, Literal, get_args

from quickstarted_proxy.paths import readings

Vendor = Literal["anthropic", "openai", "gemini"]
VENDORS: tuple[Vendor, ...] = get_args(Vendor)

_CALLS: dict[Vendor, tuple[str, ...]] = {
    "anthropic": ("/v1/messages",),
    "openai": ("/v1/responses", "/v1/responses/compact", "/v1/chat/completions"),
    "gemini": (":generateContent", ":streamGenerateContent"),
}
"""Paths, or their ends, of what a model does for money."""
_OTHERS: dict[Vendor, tuple[str, ...]] = {
    "anthropic": ("/v1/messages/count_tokens", "/v1/models", "/v1/models/*"),
    "openai": ("/v1/models", "/v1/models/*"),
    "gemini": ("/*/models", "/*/models/*"),
}
"""Patterns of paths that programs ask besides, and that cost and fetch nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelApi:
    """One service, at one host."""

    host: str
    """A lower-case A-label; means itself."""
    vendor: Vendor
    """Whose wire format is spoken there."""
    base_path: str = ""
    """What comes before the vendor's own paths, at a gateway: `/anthropic`."""
    max_calls: int | None = None
    """Calls of a model in one attempt; None is no limit."""
    max_tokens: int | None = None
    """Of all kinds together; a call is not begun when so many are used."""

    @property
    def patterns(self) -> tuple[str, ...]:
        """Patterns of all paths that may be asked for, as in `network.paths`."""
        calls = ("/*/models/*",) if self.vendor == "gemini" else _CALLS[self.vendor]
        own = tuple(f"{self.base_path}{path}" for path in (*calls, *_OTHERS[self.vendor]))
        # Some programs look first whether anybody is there.
        return (*own, f"{self.base_path}/")

    def is_call(self, method: str, path: str) -> bool:
        """Whether a request has a model do something."""
        if method != "POST":
            return False
        # By what the path means: servers take `/v1/%6dessages` for the same.
        meant = ("/" + "/".join(reading) for reading in readings(path.encode("ascii", "replace")))
        plain = [one.removeprefix(self.base_path) for one in meant]
        if self.vendor == "gemini":
            return any(one.endswith(_CALLS["gemini"]) for one in plain)
        return any(one in _CALLS[self.vendor] for one in plain)

    def to_json(self) -> dict[str, Any]:
        """The form in which it crosses the control stream."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ModelApi:
        """
        Read what `to_json` wrote.

        Raises:
            ValueError: It is something else.

        """
        if set(value) != {one.name for one in fields(cls)}:
            raise ValueError(f"not a model's service: its parts are {sorted(value)}")
        if value["vendor"] not in VENDORS:
            raise ValueError(f"no vendor {value['vendor']!r}")
        return cls(
            host=str(value["host"]),
            vendor=value["vendor"],
            base_path=str(value["base_path"]),
            max_calls=_limit(value["max_calls"]),
            max_tokens=_limit(value["max_tokens"]),
        )

    def refusal(self, message: str) -> bytes:
        """The body of a 403, in the form of the vendor's own errors, so that programs show it."""
        error: dict[str, Any] = {"message": message}
        match self.vendor:
            case "anthropic":
                whole = {"type": "error", "error": {"type": "permission_error", **error}}
            case "openai":
                kind = {"type": "invalid_request_error", "param": None, "code": "not_allowed"}
                whole = {"error": error | kind}
            case "gemini":
                whole = {"error": {"code": 403, **error, "status": "PERMISSION_DENIED"}}
        return json.dumps(whole).encode("ascii")


def model_apis_from_json(values: Iterable[dict[str, Any]]) -> tuple[ModelApi, ...]:
    """Read the `models` of an order; raises like `ModelApi.from_json`."""
    return tuple(ModelApi.from_json(value) for value in values)


def _limit(value: Any) -> int | None:
    return None if value is None else int(value)
