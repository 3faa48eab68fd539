"""
What a scripted Gemini API can be told to answer.

Names and values are those of https://ai.google.dev/api/generate-content.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fakes.messages_api_replies import Page
from fakes.vendor_streams import Break

__all__ = ["Break", "Call", "Error", "Page", "Text", "Turn", "Usage"]


@dataclass(frozen=True)
class Text:
    """
    A text part, streamed in pieces; signed: a part without text follows it, with a signature.
    `thought` is a summary of what the model thought.
    """

    text: str
    thought: bool = False
    signed: bool = False


@dataclass(frozen=True)
class Call:
    """A function call; older models give it no id and no signature."""

    name: str
    args: Any = field(default_factory=dict)
    has_id: bool = True
    signed: bool = True


Part = Text | Call


@dataclass(frozen=True)
class Usage:
    """As the service counts: the prompt has in it what the cache held, thoughts are apart."""

    prompt: int = 100
    candidates: int = 20
    cached: int = 0
    thoughts: int = 0
    tool_use_prompt: int = 0


@dataclass(frozen=True)
class Turn:
    """
    A response of the model. `finish` None: the stream ends without saying why; `blocked`: the
    prompt was blocked, and there is no candidate. `more` goes into the last chunk as it is.
    """

    content: tuple[Part, ...] = ()
    finish: str | None = "STOP"
    blocked: str | None = None
    usage: Usage | None = Usage()
    model: str | None = None
    broken: Break | None = None
    chunk_pause_s: float = 0.0
    more: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Error:
    """An error document with its status; `details` are messages of google.rpc."""

    code: int
    status: str | None = None
    message: str = "No."
    details: tuple[Mapping[str, Any], ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict)


Reply = Turn | Error | Page
STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    409: "ABORTED",
    413: "INVALID_ARGUMENT",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
"""https://ai.google.dev/gemini-api/docs/troubleshooting."""


def rpc(name: str, **fields: Any) -> dict[str, Any]:
    """A message of google.rpc as an error carries it."""
    return {"@type": f"type.googleapis.com/google.rpc.{name}", **fields}


def quota(quota_id: str, *, retry_delay: str = "30s") -> Error:
    """A quota is used up."""
    violation = {"quotaMetric": "generate_requests", "quotaId": quota_id, "quotaValue": "5"}
    failure = rpc("QuotaFailure", violations=[violation])
    return Error(429, details=(failure, rpc("RetryInfo", retryDelay=retry_delay)))


WRONG_KEY = Error(
    400,
    message="API key not valid. Please pass a valid API key.",
    details=(rpc("ErrorInfo", reason="API_KEY_INVALID", domain="googleapis.com"),),
)


def say(text: str, **turn: Any) -> Turn:
    """A turn of one text."""
    return Turn(content=(Text(text),), **turn)


def call(name: str, args: Any, **turn: Any) -> Turn:
    """A turn that calls one function."""
    return Turn(content=(Call(name, args),), **turn)


def bash(command: str, **turn: Any) -> Turn:
    """A turn that runs one command."""
    return call("bash", {"command": command}, **turn)


def hang() -> Turn:
    """No answer at all until somebody closes the connection."""
    return Turn(broken=Break("nothing", "hang"))
