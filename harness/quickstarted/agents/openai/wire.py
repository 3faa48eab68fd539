"""
The events of a Responses API stream, as far as they are needed, and checked.

The vendor's client checks nothing of what it reads. What is not known here changes nothing.
https://developers.openai.com/api/reference/resources/responses/streaming-events
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, NonNegativeInt, ValidationError


class _Part(BaseModel):
    model_config = ConfigDict(strict=True)


class _InputDetails(_Part):
    cached_tokens: NonNegativeInt | None = None
    cache_write_tokens: NonNegativeInt | None = None


class Counts(_Part):
    """Tokens of a response; those of the input include what the cache held and took."""

    input_tokens: NonNegativeInt = 0
    input_tokens_details: _InputDetails = Field(default_factory=_InputDetails)
    output_tokens: NonNegativeInt = 0
    """Those of reasoning are among them."""


class Trouble(_Part):
    """Why a response failed."""

    code: str | None = None
    message: str = ""


class _Incomplete(_Part):
    reason: str | None = None


ITEM_FIELDS = {
    "message": ("content",),
    "function_call": ("call_id", "name", "arguments"),
    "reasoning": (),
}
"""Kinds of items to what must be in them; what is text in a call, is a list in a message."""


def _checked_item(item: Any) -> Any:
    if isinstance(item, dict):
        kind = item.get("type")
        if not isinstance(kind, str):
            raise ValueError("an item without a type")  # noqa: TRY004 (pydantic)
        expected = list if kind == "message" else str
        for name in ITEM_FIELDS.get(kind, ()):
            if not isinstance(item.get(name), expected):
                raise ValueError(f"an item of type {kind!r} without {name}")  # noqa: TRY004
        for part in item["content"] if kind == "message" else ():
            _check_part(part)
    return item


def _check_part(part: Any) -> None:
    kind = part.get("type") if isinstance(part, dict) else None
    name = {"output_text": "text", "refusal": "refusal"}.get(str(kind))
    if not isinstance(kind, str) or (name and not isinstance(part.get(name), str)):
        raise ValueError(f"a message with a part of type {kind!r} that cannot be read")


Item = Annotated[dict[str, Any], BeforeValidator(_checked_item)]
"""It goes back to the service as it came."""


class Response(_Part):
    """A response, as far as it has come."""

    model: str = ""
    status: str | None = None
    output: list[Item] = Field(default_factory=list)
    usage: Counts | None = None
    error: Trouble | None = None
    incomplete_details: _Incomplete | None = None


class Created(_Part):
    """The response begins."""

    response: Response


class ItemDone(_Part):
    """An item is whole."""

    output_index: int
    item: Item


class Ended(_Part):
    """The response is over, one way or another."""

    response: Response


class Failed(_Part):
    """The service failed in the middle of the response."""

    code: str | None = None
    message: str = ""


StreamEvent = Created | ItemDone | Ended | Failed
EVENTS: dict[str, type[StreamEvent]] = {
    "response.created": Created,
    "response.output_item.done": ItemDone,
    "response.completed": Ended,
    "response.incomplete": Ended,
    "response.failed": Ended,
    "error": Failed,
}


def read_event(event: object) -> StreamEvent | None:
    """
    Check what the client read; None for a kind of event that is not known.

    Raises:
        ValueError: It is not what the service documents.

    """
    raw: object = event
    if isinstance(event, BaseModel):
        known = getattr(event, "type", None)
        if isinstance(known, str) and known not in EVENTS:
            return None
        # The client's types say nothing about what is in them, and warn of it.
        raw = event.model_dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
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
