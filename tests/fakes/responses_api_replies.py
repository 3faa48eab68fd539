"""
What a scripted Responses API can be told to answer.

Names and values are those of https://developers.openai.com/api/reference/resources/responses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fakes.messages_api_replies import Page
from fakes.vendor_streams import Break

__all__ = ["Break", "Call", "Error", "Page", "Reasoning", "Refusal", "Text", "Turn", "Usage"]


@dataclass(frozen=True)
class Text:
    """A message with one text in it."""

    text: str


@dataclass(frozen=True)
class Refusal:
    """A message in which the model refuses."""

    refusal: str


@dataclass(frozen=True)
class Call:
    """A function call; `raw` are its arguments as they are written, which need not be JSON."""

    name: str
    arguments: Any = field(default_factory=dict)
    raw: str | None = None
    call_id: str | None = None
    namespace: str | None = None
    """Of a tool that is in one."""


@dataclass(frozen=True)
class Reasoning:
    """A reasoning item; its encrypted content follows from its summary."""

    summary: str = ""
    encrypted: bool = True


Item = Text | Refusal | Call | Reasoning


@dataclass(frozen=True)
class Usage:
    """As the service counts: the input has in it what the cache held and took."""

    input_tokens: int = 100
    output_tokens: int = 20
    cached_tokens: int = 0
    cache_write_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(frozen=True)
class Turn:
    """
    A response of the model.

    `incomplete` is the reason why it was cut, `failed` the code with which it failed. `model` is
    the name echoed, if not the one asked for. `bare_end`: the last event has no output, as some
    gateways send it.
    """

    content: tuple[Item, ...] = ()
    incomplete: str | None = None
    failed: str | None = None
    usage: Usage | None = Usage()
    model: str | None = None
    broken: Break | None = None
    event_pause_s: float = 0.0
    bare_end: bool = False


@dataclass(frozen=True)
class Error:
    """An error document with its status."""

    status: int
    code: str | None = None
    type: str | None = None
    message: str = "No."
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


Reply = Turn | Error | Page
CODES: dict[int, tuple[str, str | None]] = {
    400: ("invalid_request_error", None),
    401: ("invalid_request_error", "invalid_api_key"),
    403: ("invalid_request_error", "unsupported_country_region_territory"),
    404: ("invalid_request_error", "model_not_found"),
    413: ("invalid_request_error", None),
    429: ("requests", "rate_limit_exceeded"),
    500: ("server_error", None),
    503: ("server_error", "server_is_overloaded"),
}
"""Type and code by status (https://developers.openai.com/api/docs/guides/error-codes)."""


def say(text: str, **turn: Any) -> Turn:
    """A turn of one text."""
    return Turn(content=(Text(text),), **turn)


def call(name: str, arguments: Any, **turn: Any) -> Turn:
    """A turn that calls one function."""
    return Turn(content=(Call(name, arguments),), **turn)


def bash(command: str, **turn: Any) -> Turn:
    """A turn that runs one command."""
    return call("bash", {"command": command}, **turn)


def hang() -> Turn:
    """No answer at all until somebody closes the connection."""
    return Turn(broken=Break("nothing", "hang"))


NO_QUOTA = Error(429, code="insufficient_quota", type="insufficient_quota")
TOO_LONG = Error(400, code="context_length_exceeded", param="input")
