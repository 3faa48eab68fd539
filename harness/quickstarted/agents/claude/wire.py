"""
The events of a Messages API stream, as far as they are needed, and checked.

The vendor's client checks nothing of what it reads: behind a gateway, a field that its types
promise may be missing or hold something else. What is not known here changes nothing.
https://platform.claude.com/docs/en/build-with-claude/streaming
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt, ValidationError


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


class Counts(_Part):
    """Tokens so far; one that is left out keeps its value."""

    input_tokens: NonNegativeInt | None = None
    output_tokens: NonNegativeInt | None = None
    cache_creation_input_tokens: NonNegativeInt | None = None
    cache_read_input_tokens: NonNegativeInt | None = None


class _Message(_Part):
    model: str = ""
    usage: Counts = Field(default_factory=Counts)


class MessageStart(_Part):
    """The reply begins."""

    message: _Message


BLOCK_FIELDS = {
    "text": ("text",),
    "thinking": ("thinking",),
    "tool_use": ("id", "name"),
}
"""Kinds of blocks to what must be text in them."""


def _checked_block(block: Any) -> Any:
    if isinstance(block, dict):
        kind = block.get("type")
        for name in ("type", *BLOCK_FIELDS.get(str(kind), ())):
            if not isinstance(block.get(name), str):
                raise ValueError(f"a block of type {kind!r} without {name}")  # noqa: TRY004 (pydantic)
        if kind == "tool_use" and not isinstance(block.setdefault("input", {}), dict):
            raise ValueError("a tool's input that is no object")
    return block


class BlockStart(_Part):
    """A block begins; it goes back to the service as it came."""

    index: int
    content_block: Annotated[dict[str, Any], BeforeValidator(_checked_block)]


class Delta(_Part):
    """More of a block: one of these, by its kind."""

    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None


class BlockDelta(_Part):
    """More of a block."""

    index: int
    delta: Delta


class BlockStop(_Part):
    """A block ends."""

    index: int


class _StopDetails(_Part):
    explanation: str = ""


class _End(_Part):
    stop_reason: str | None = None
    stop_details: _StopDetails = Field(default_factory=_StopDetails)


class MessageDelta(_Part):
    """Why the reply ends."""

    delta: _End
    usage: Counts = Field(default_factory=Counts)


class MessageStop(_Part):
    """The reply is over."""


StreamEvent = MessageStart | BlockStart | BlockDelta | BlockStop | MessageDelta | MessageStop
EVENTS: dict[str, type[StreamEvent]] = {
    "message_start": MessageStart,
    "content_block_start": BlockStart,
    "content_block_delta": BlockDelta,
    "content_block_stop": BlockStop,
    "message_delta": MessageDelta,
    "message_stop": MessageStop,
}


def read_event(event: object) -> StreamEvent | None:
    """
    Check what the client read; None for a kind of event that is not known.

    Raises:
        ValueError: It is not what the service documents.

    """
    # The client's types say nothing about what is in them, and warn of it.
    raw: object = event
    if isinstance(event, BaseModel):
        raw = event.model_dump(mode="json", exclude_none=True, warnings=False)
    kind = raw.get("type") if isinstance(raw, dict) else None
    if not isinstance(kind, str):
        raise ValueError("an event without a type")  # noqa: TRY004 (a stream that cannot be read)
    model = EVENTS.get(kind)
    try:
        return None if model is None else model.model_validate(raw)
    except ValidationError as invalid:
        first = invalid.errors(include_url=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"{kind}: {place}: {first['msg']}") from invalid
