"""
Replies as the Messages API puts them on the wire: a JSON document, or server-sent events.

Source: https://platform.claude.com/docs/en/build-with-claude/streaming and the SDK's own types
(`anthropic.types.RawMessageStreamEvent`).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import formatdate
from typing import Any

from fakes.messages_api_replies import ERROR_TYPES, Block, Break, Error, Page, Turn, Usage
from fakes.scripted_http_steps import Close, Hang, Head, Pause, ScriptFault, Step

PIECES = 32
"""A block is streamed in about so many deltas, 12 characters each at the least."""

_TERMINAL = {"fin", "rst", "half_event", "end", "hang", "error"}


@dataclass
class Sent:
    """What the service has said so far and will recognise when it is sent back."""

    signatures: set[str] = field(default_factory=set)
    thinking_by_tool: dict[str, list[Any]] = field(default_factory=dict)
    """By the id of a tool call: the thinking blocks of the turn that made it."""
    paused: list[Any] = field(default_factory=list)
    """Contents of turns that were paused; they may be sent back as the last message."""
    _number: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def new_id(self, prefix: str) -> str:
        """`toolu_01` and 22 digits."""
        return f"{prefix}_01{next(self._number):022d}"

    def remember(self, content: list[Any], stop_reason: str) -> None:
        """A turn goes out."""
        thinking = [one for one in content if one["type"] in {"thinking", "redacted_thinking"}]
        self.signatures.update(one.get("signature", one.get("data")) for one in thinking)
        for one in content:
            if one["type"] == "tool_use":
                self.thinking_by_tool[one["id"]] = thinking
        if stop_reason == "pause_turn":
            self.paused.append(content)


@dataclass(frozen=True)
class Message:
    """A turn with everything filled in: the document, and each block's pieces."""

    document: dict[str, Any]
    pieces: list[tuple[str, ...]]


def request_id(n: int) -> str:
    """Of the request with this number."""
    return f"req_01{n:022d}"


def write_message(turn: Turn, model: str, sent: Sent) -> Message:
    """Fills a turn in, and remembers it."""
    content = [_block(one, sent) for one in turn.content]
    calls_tools = any(one["type"] == "tool_use" for one in content)
    stop_reason = turn.stop_reason or ("tool_use" if calls_tools else "end_turn")
    sent.remember(content, stop_reason)
    document = {
        "id": sent.new_id("msg"),
        "type": "message",
        "role": "assistant",
        "model": turn.model or model,
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": turn.stop_sequence,
        "stop_details": None if turn.stop_details is None else dict(turn.stop_details),
        "usage": _usage(turn.usage),
    }
    return Message(document, [getattr(one, "raw", ()) for one in turn.content])


def _block(block: Block, sent: Sent) -> dict[str, Any]:
    match block.type:
        case "text":
            return {"type": "text", "text": block.text}
        case "tool_use":
            made = block.id or sent.new_id("toolu")
            return {"type": "tool_use", "id": made, "name": block.name, "input": block.input}
        case "thinking":
            made = hashlib.sha256(f"signed {block.thinking}".encode()).hexdigest()
            signature = made if block.signature is None else block.signature
            return {"type": "thinking", "thinking": block.thinking, "signature": signature}
        case "redacted_thinking":
            return {"type": "redacted_thinking", "data": block.data}


def _usage(usage: Usage) -> dict[str, Any]:
    found: dict[str, Any] = {
        "input_tokens": usage.input_tokens,
        "cache_creation_input_tokens": usage.cache_creation_input_tokens,
        "cache_read_input_tokens": usage.cache_read_input_tokens,
        "cache_creation": {
            "ephemeral_5m_input_tokens": usage.cache_creation_input_tokens,
            "ephemeral_1h_input_tokens": 0,
        },
        "output_tokens": usage.output_tokens,
        "service_tier": "standard",
    }
    if usage.thinking_tokens is not None:
        found["output_tokens_details"] = {"thinking_tokens": usage.thinking_tokens}
    return found


# Server-sent events.


def events_of(message: Message) -> Iterator[dict[str, Any]]:
    """The events of a stream, each a document with its `type`."""
    document = message.document
    usage = document["usage"]
    unsaid = {"content": [], "stop_reason": None, "stop_details": None, "stop_sequence": None}
    first = {**document, **unsaid, "usage": {**usage, "output_tokens": 1}}
    first["usage"].pop("output_tokens_details", None)
    yield {"type": "message_start", "message": first}
    for index, block in enumerate(document["content"]):
        yield {"type": "content_block_start", "index": index, "content_block": _opened(block)}
        if index == 0:
            yield {"type": "ping"}
        for delta in _deltas(block, message.pieces[index]):
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {name: document[name] for name in ("stop_reason", "stop_sequence", "stop_details")}
    last = {name: n for name, n in usage.items() if name not in {"cache_creation", "service_tier"}}
    yield {"type": "message_delta", "delta": stop, "usage": last}
    yield {"type": "message_stop"}


def _opened(block: dict[str, Any]) -> dict[str, Any]:
    empty: dict[str, dict[str, Any]] = {
        "text": {"text": ""},
        "thinking": {"thinking": "", "signature": ""},
        "tool_use": {"input": {}},
        "redacted_thinking": {},
    }
    return {**block, **empty[block["type"]]}


def _deltas(block: dict[str, Any], raw: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    match block["type"]:
        case "text":
            for piece in _cut(block["text"]):
                yield {"type": "text_delta", "text": piece}
        case "thinking":
            for piece in _cut(block["thinking"]):
                yield {"type": "thinking_delta", "thinking": piece}
            yield {"type": "signature_delta", "signature": block["signature"]}
        case "tool_use":
            for piece in ("", *(raw or _cut(json.dumps(block["input"])))):
                yield {"type": "input_json_delta", "partial_json": piece}


def _cut(text: str) -> list[str]:
    size = max(12, -(-len(text) // PIECES))
    return [text[at : at + size] for at in range(0, len(text), size)]


def frame(event: Mapping[str, Any]) -> bytes:
    """One event's bytes."""
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode()


# Steps.


def stream_steps(turn: Turn, message: Message, n: int) -> Iterator[Step]:
    """A turn as a stream, broken where it is to be."""
    events = list(events_of(message))
    at = _break_at(turn.broken, events)
    if turn.broken is not None and at == -2:
        yield _before_anything(turn.broken)
        return
    kind = ("Content-Type", "text/event-stream; charset=utf-8")
    yield Head(200, (kind, ("Cache-Control", "no-cache"), *_usual(n)))
    for place, event in enumerate([None, *events], start=-1):
        if event is not None:
            yield frame(event)
            yield Pause(turn.event_pause_s)
        if turn.broken is not None and place == at:
            following = frame(events[place + 1])
            yield from _break_stream(turn.broken, following, n)
            if turn.broken.how != "garbage":
                return


def _break_at(broken: Break | None, events: list[dict[str, Any]]) -> int | None:
    """Index of the event after which the stream breaks, -1 for the headers, -2 for before them."""
    if broken is None:
        return None
    if broken.after in {"nothing", "headers"}:
        return -2 if broken.after == "nothing" else -1
    for place, event in enumerate(events):
        if event["type"] == broken.after and event.get("index", broken.block) == broken.block:
            return place
    raise ScriptFault(f"there is no {broken.after} of block {broken.block} to break the turn after")


def _before_anything(broken: Break) -> Step:
    match broken.how:
        case "fin" | "rst":
            return Close(reset=broken.how == "rst")
        case "hang":
            return Hang()
    raise ScriptFault(f"{broken.how!r} needs something sent before it")


def _break_stream(broken: Break, following: bytes, n: int) -> Iterator[Step]:
    match broken.how:
        case "fin" | "rst":
            yield Close(reset=broken.how == "rst")
        case "half_event":
            yield following[: len(following) // 2]
            yield Close()
        case "hang":
            yield Hang()
        case "pings":
            beat = frame({"type": "ping"})
            yield Hang(beat=beat)
        case "error":
            yield frame(error_document(broken.error_type, broken.message, n))
        case "garbage":
            yield b"event: content_block_delta\ndata: {never closed\n\n"


def json_steps(turn: Turn, message: Message, n: int) -> Iterator[Step]:
    """A turn as one document, broken where it is to be."""
    if any(message.pieces):
        raise ScriptFault("raw input can only be streamed, and the request asks for no stream")
    body = json.dumps(message.document).encode()
    broken = turn.broken
    if broken is None:
        yield from document_steps(200, message.document, n)
    elif broken.after == "nothing":
        yield _before_anything(broken)
    elif broken.how in {"error", "garbage", "pings"}:
        raise ScriptFault(
            f"{broken.how!r} can only be streamed, and the request asks for no stream"
        )
    else:
        half = b"" if broken.after == "headers" else body[: len(body) // 2]
        size = len(half) if broken.how == "end" else len(body)
        yield Head(200, (("Content-Type", "application/json"), *_usual(n)), size)
        yield half
        if broken.how != "end":
            yield Hang() if broken.how == "hang" else Close(reset=broken.how == "rst")


def document_steps(
    status: int, document: Any, n: int, headers: Mapping[str, str] | None = None
) -> list[Step]:
    """A JSON document."""
    body = json.dumps(document).encode()
    named = {name.lower() for name in headers or {}}
    usual = [one for one in _usual(n) if one[0].lower() not in named]
    kind = ("Content-Type", "application/json")
    return [Head(status, (kind, *usual, *(headers or {}).items()), len(body)), body]


def _usual(n: int) -> tuple[tuple[str, str], ...]:
    return (
        ("request-id", request_id(n)),
        ("anthropic-organization-id", "00000000-0000-4000-8000-000000000000"),
    )


def error_document(
    kind: str, message: str, n: int, details: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The service's error document (https://platform.claude.com/docs/en/api/errors)."""
    error: dict[str, Any] = {"type": kind, "message": message}
    if details is not None:
        error["details"] = dict(details)
    return {"type": "error", "error": error, "request_id": request_id(n)}


def error_steps(error: Error, n: int) -> list[Step]:
    """An error with its status and headers."""
    usual = "api_error" if error.status >= 500 else "invalid_request_error"
    kind = error.type or ERROR_TYPES.get(error.status, usual)
    headers = dict(error.headers)
    if error.retry_after_s is not None:
        headers["retry-after"] = f"{error.retry_after_s:g}"
    if error.retry_after_date_s is not None:
        headers["retry-after"] = formatdate(time.time() + error.retry_after_date_s, usegmt=True)
    message = error.message or kind.removesuffix("_error").replace("_", " ").capitalize()
    return document_steps(error.status, error_document(kind, message, n, error.details), n, headers)


def page_steps(page: Page) -> list[Step]:
    """What is no answer of the service's."""
    body = page.body.encode()
    headers = (("Content-Type", page.content_type), *page.headers.items())
    return [Head(page.status, headers, len(body)), body]
