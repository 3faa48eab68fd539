"""
A turn on the wire of the Messages API, as server-sent events or as one document, whole or broken.

Source: https://platform.claude.com/docs/en/build-with-claude/streaming and the SDK's own types
(`anthropic.types.RawMessageStreamEvent`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from fakes.messages_api_replies import Break, Turn
from fakes.messages_api_wire import Message, error_document, usual_headers
from fakes.scripted_http_steps import Close, Hang, Head, Pause, ScriptFault, Step

PIECES = 32
"""A block is streamed in about so many deltas, 12 characters each at the least."""

BODY_PIECES = 8
"""A document that is to trickle comes in so many pieces."""


def events_of(message: Message) -> Iterator[dict[str, Any]]:
    """The events of a stream, each a document with its `type`."""
    document = message.document
    usage = document["usage"]
    unsaid: dict[str, Any] = {
        "content": [],
        "stop_reason": None,
        "stop_details": None,
        "stop_sequence": None,
    }
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


def stream_steps(turn: Turn, message: Message, n: int) -> Iterator[Step]:
    """A turn as a stream, broken where it is to be."""
    events = list(events_of(message))
    at = _break_at(turn.broken, events)
    if turn.broken is not None and at == -2:
        yield _before_anything(turn.broken)
        return
    kind = ("Content-Type", "text/event-stream; charset=utf-8")
    yield Head(200, (kind, ("Cache-Control", "no-cache"), *usual_headers(n)))
    for place, event in enumerate([None, *events], start=-1):
        if event is not None:
            yield frame(event)
            yield Pause(turn.event_pause_s)
        if turn.broken is not None and place == at:
            following = frame(events[place + 1]) if events[place + 1 :] else b""
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
        here = event["type"] == broken.after and event.get("index", broken.block) == broken.block
        # The first piece of a tool's input is empty; a break inside the input comes later.
        if here and event.get("delta", {}).get("partial_json") != "":
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
        size = len(body) // BODY_PIECES + 1
        yield Head(200, (("Content-Type", "application/json"), *usual_headers(n)), len(body))
        for at in range(0, len(body), size):
            yield Pause(turn.event_pause_s)
            yield body[at : at + size]
    elif broken.after == "nothing":
        yield _before_anything(broken)
    elif broken.how in {"error", "garbage", "pings"}:
        raise ScriptFault(
            f"{broken.how!r} can only be streamed, and the request asks for no stream"
        )
    else:
        half = b"" if broken.after == "headers" else body[: len(body) // 2]
        size = len(half) if broken.how == "end" else len(body)
        yield Head(200, (("Content-Type", "application/json"), *usual_headers(n)), size)
        yield half
        if broken.how != "end":
            yield Hang() if broken.how == "hang" else Close(reset=broken.how == "rst")
