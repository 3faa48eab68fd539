"""
What a scripted Messages API can be told to answer, as typed values and as JSON.

The JSON form is a list of the same values: `{"reply": "turn", "content": [{"type": "text",
"text": "Done."}]}`, `{"reply": "error", "status": 429}`, `{"reply": "repeat", "of": {...}}`.
Names and values are those of the Messages API, https://platform.claude.com/docs/en/api/messages.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, cast

from pydantic import ConfigDict, Field, TypeAdapter
from pydantic.dataclasses import dataclass

from fakes.scripted_http_steps import Repeat

_STRICT = ConfigDict(extra="forbid")

StopReason = Literal[
    "end_turn",
    "tool_use",
    "max_tokens",
    "stop_sequence",
    "refusal",
    "pause_turn",
    "model_context_window_exceeded",
]

ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    409: "conflict_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""By status (https://platform.claude.com/docs/en/api/errors)."""


@dataclass(frozen=True, config=_STRICT)
class Text:
    """A text block."""

    text: str
    type: Literal["text"] = "text"


@dataclass(frozen=True, config=_STRICT)
class ToolUse:
    """
    A tool call. `raw` are the pieces of its input as they are streamed, which need not be JSON;
    without them `input` is streamed. Without `id` the service makes one.
    """

    name: str
    input: Any = Field(default_factory=dict)
    id: str | None = None
    raw: tuple[str, ...] = ()
    type: Literal["tool_use"] = "tool_use"


@dataclass(frozen=True, config=_STRICT)
class Thinking:
    """A thinking block; its signature follows from its text unless it is given."""

    thinking: str
    signature: str | None = None
    type: Literal["thinking"] = "thinking"


@dataclass(frozen=True, config=_STRICT)
class RedactedThinking:
    """A thinking block that only the service can read."""

    data: str
    type: Literal["redacted_thinking"] = "redacted_thinking"


Block = Annotated[Text | ToolUse | Thinking | RedactedThinking, Field(discriminator="type")]


@dataclass(frozen=True, config=_STRICT)
class Usage:
    """Tokens; the three input counters never count the same token twice."""

    input_tokens: int = 100
    output_tokens: int = 20
    cache_creation_input_tokens: int = 0
    cache_read_input_tokens: int = 0
    thinking_tokens: int | None = None


@dataclass(frozen=True, config=_STRICT)
class Break:
    """
    Something goes wrong in a turn: after the first event of the name (of that content block), after
    the headers, or before anything is sent (`nothing`). The first delta is one with something in
    it.

    - `fin`, `rst`: the connection is closed or reset; `half_event` sends half the next event first
    - `end`: the response ends in good order, the stream in it does not
    - `hang`: nothing more comes; `pings`: nothing but pings
    - `error`: an `error` event, then the end
    - `garbage`: a data line that is not JSON, then the rest
    """

    after: Literal[
        "nothing",
        "headers",
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    how: Literal["fin", "rst", "half_event", "end", "hang", "pings", "error", "garbage"]
    block: int = 0
    error_type: str = "overloaded_error"
    message: str = "Overloaded"


@dataclass(frozen=True, config=_STRICT)
class Turn:
    """
    A message of the model. Without `stop_reason` it is `tool_use` where a tool is called, else
    `end_turn`. `model` is the name echoed, if not the requested one. `event_pause_s` is waited
    between two events. `stop_details` goes with a refusal.
    """

    content: tuple[Block, ...] = ()
    stop_reason: StopReason | None = None
    stop_sequence: str | None = None
    stop_details: Mapping[str, Any] | None = None
    usage: Usage = Usage()
    model: str | None = None
    broken: Break | None = None
    event_pause_s: float = 0.0
    reply: Literal["turn"] = "turn"


@dataclass(frozen=True, config=_STRICT)
class Error:
    """
    An error document with its status. `retry_after_date_s` is sent as an HTTP date so far ahead;
    `headers` go beside and may say anything.
    """

    status: int
    type: str | None = None
    message: str | None = None
    retry_after_s: float | None = None
    retry_after_date_s: float | None = None
    headers: Mapping[str, str] = Field(default_factory=dict)
    details: Mapping[str, Any] | None = None
    reply: Literal["error"] = "error"


@dataclass(frozen=True, config=_STRICT)
class Page:
    """Whatever else a proxy or a wrong address answers: HTML, nothing, something that is no SSE."""

    body: str = ""
    status: int = 200
    content_type: str = "text/html; charset=utf-8"
    headers: Mapping[str, str] = Field(default_factory=dict)
    reply: Literal["page"] = "page"


Reply = Turn | Error | Page
_Single = Annotated[Reply, Field(discriminator="reply")]


@dataclass(frozen=True, config=_STRICT)
class _Repeat:
    of: _Single
    times: int | None = None
    reply: Literal["repeat"] = "repeat"


_SCRIPT = TypeAdapter(list[Annotated[Reply | _Repeat, Field(discriminator="reply")]])


def load_script(text: str | bytes) -> list[Reply | Repeat[Reply]]:
    """The script in a JSON document. Raises pydantic.ValidationError, which names the place."""
    found = _SCRIPT.validate_json(text)
    return [Repeat(one.of, one.times) if isinstance(one, _Repeat) else one for one in found]


def dump_script(script: Sequence[Reply | Repeat[Reply]]) -> str:
    """The JSON document of a script without functions in it."""
    plain = [
        _Repeat(cast(Reply, one.reply), one.times) if isinstance(one, Repeat) else one
        for one in script
    ]
    return _SCRIPT.dump_json(plain, indent=1).decode()


def say(text: str, **turn: Any) -> Turn:
    """A turn of one text block."""
    return Turn(content=(Text(text),), **turn)


def call(name: str, tool_input: Any, **turn: Any) -> Turn:
    """A turn that calls one tool."""
    return Turn(content=(ToolUse(name, tool_input),), **turn)


def bash(command: str, **turn: Any) -> Turn:
    """A turn that runs one command with the vendor's bash tool."""
    return call("bash", {"command": command}, **turn)


def hang() -> Turn:
    """No answer at all until somebody closes the connection."""
    return Turn(broken=Break("nothing", "hang"))
