"""
A turn on the wire of the Responses API, as server-sent events or as one document.

Source: https://developers.openai.com/api/reference/resources/responses/streaming-events and the
SDK's own types (`openai.types.responses.ResponseStreamEvent`).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fakes.responses_api_replies import CODES, Call, Error, Item, Reasoning, Refusal, Text, Turn
from fakes.scripted_http_steps import Head, Step
from fakes.vendor_streams import Frame, cut, sse, streamed


@dataclass
class Sent:
    """What the service has said so far and will recognise when it is sent back."""

    encrypted: set[str] = field(default_factory=set)
    _number: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def new_id(self, prefix: str) -> str:
        """`msg_` and 24 digits."""
        return f"{prefix}_{next(self._number):024x}"


def request_headers(n: int) -> tuple[tuple[str, str], ...]:
    """Those of every answer."""
    return (("x-request-id", f"req_{n:032x}"), ("openai-version", "2020-10-01"))


def write_item(item: Item, sent: Sent) -> dict[str, Any]:
    """The item as it is when it is whole."""
    match item:
        case Text(text=text):
            part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
        case Refusal(refusal=refusal):
            part = {"type": "refusal", "refusal": refusal}
        case Call(name=name, arguments=arguments, raw=raw, call_id=call_id, namespace=namespace):
            within = {"namespace": namespace} if namespace else {}
            return {
                "id": sent.new_id("fc"),
                "type": "function_call",
                "status": "completed",
                "arguments": json.dumps(arguments) if raw is None else raw,
                "call_id": call_id or sent.new_id("call"),
                "name": name,
                **within,
            }
        case Reasoning(summary=summary, encrypted=encrypted):
            return _reasoning(summary, sent, encrypted=encrypted)
    return {
        "id": sent.new_id("msg"),
        "type": "message",
        "status": "completed",
        "role": "assistant",
        "content": [part],
    }


def _reasoning(summary: str, sent: Sent, *, encrypted: bool) -> dict[str, Any]:
    name = sent.new_id("rs")
    content = hashlib.sha256(f"{name} {summary}".encode()).hexdigest() if encrypted else None
    if content:
        sent.encrypted.add(content)
    parts = [{"type": "summary_text", "text": summary}] if summary else []
    return {"id": name, "type": "reasoning", "summary": parts, "encrypted_content": content}


def response_document(turn: Turn, model: str, sent: Sent) -> dict[str, Any]:
    """The response as it is when it is over."""
    status = "failed" if turn.failed else "incomplete" if turn.incomplete else "completed"
    output = [write_item(item, sent) for item in turn.content]
    if turn.incomplete and output and "status" in output[-1]:
        output[-1]["status"] = "incomplete"
    return {
        "id": sent.new_id("resp"),
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "error": {"code": turn.failed, "message": "It failed."} if turn.failed else None,
        "incomplete_details": {"reason": turn.incomplete} if turn.incomplete else None,
        "instructions": None,
        "model": turn.model or model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": None,
        "store": False,
        "tool_choice": "auto",
        "tools": [],
        "usage": _usage(turn),
        "metadata": {},
    }


def _usage(turn: Turn) -> dict[str, Any] | None:
    usage = turn.usage
    if usage is None or turn.failed:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {
            "cached_tokens": usage.cached_tokens,
            "cache_write_tokens": usage.cache_write_tokens,
        },
        "output_tokens": usage.output_tokens,
        "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
        "total_tokens": usage.input_tokens + usage.output_tokens,
    }


def events_of(turn: Turn, document: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The events of a stream, without their sequence numbers."""
    begun = {**document, "status": "in_progress", "output": [], "usage": None}
    begun |= {"error": None, "incomplete_details": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(document["output"]):
        yield from _events_of_item(index, item)
    end = {**document, "output": []} if turn.bare_end else document
    yield {"type": f"response.{document['status']}", "response": end}


def _events_of_item(index: int, item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    place = {"output_index": index, "item_id": item["id"]}
    empty: dict[str, dict[str, Any]] = {
        "message": {"content": [], "status": "in_progress"},
        "function_call": {"arguments": "", "status": "in_progress"},
        "reasoning": {"summary": [], "encrypted_content": "unfinished"},
    }
    opened = {**item, **empty[item["type"]]}
    yield {"type": "response.output_item.added", "output_index": index, "item": opened}
    match item["type"]:
        case "message":
            yield from _events_of_part(place, item["content"][0])
        case "function_call":
            name = "response.function_call_arguments"
            for piece in cut(item["arguments"]):
                yield {"type": f"{name}.delta", **place, "delta": piece}
            yield {"type": f"{name}.done", **place, "arguments": item["arguments"]}
        case "reasoning":
            yield from _events_of_summary(place, item["summary"])
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


def _events_of_part(place: dict[str, Any], part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    field_name = "text" if part["type"] == "output_text" else "refusal"
    name = "response.output_text" if field_name == "text" else "response.refusal"
    more = {"logprobs": []} if field_name == "text" else {}
    here = {**place, "content_index": 0}
    opened = {**part, field_name: ""}
    yield {"type": "response.content_part.added", **here, "part": opened}
    for piece in cut(part[field_name]):
        yield {"type": f"{name}.delta", **here, "delta": piece, **more}
    yield {"type": f"{name}.done", **here, field_name: part[field_name], **more}
    yield {"type": "response.content_part.done", **here, "part": part}


def _events_of_summary(place: dict[str, Any], parts: list[Any]) -> Iterator[dict[str, Any]]:
    for index, part in enumerate(parts):
        here = {**place, "summary_index": index}
        name = "response.reasoning_summary"
        yield {"type": f"{name}_part.added", **here, "part": {**part, "text": ""}}
        for piece in cut(part["text"]):
            yield {"type": f"{name}_text.delta", **here, "delta": piece}
        yield {"type": f"{name}_text.done", **here, "text": part["text"]}
        yield {"type": f"{name}_part.done", **here, "part": part}


def stream_steps(turn: Turn, document: Mapping[str, Any], n: int) -> Iterator[Step]:
    """A turn as a stream, broken where it is to be."""
    seen: dict[str, int] = {}
    frames = []
    for number, event in enumerate(events_of(turn, document)):
        name = event["type"]
        data = sse({**event, "sequence_number": number}, name)
        frames.append(Frame(name, seen.get(name, 0), data))
        seen[name] = seen.get(name, 0) + 1
    head = Head(200, (("Content-Type", "text/event-stream; charset=utf-8"), *request_headers(n)))
    return streamed(frames, head, turn.broken, turn.event_pause_s)


def document_steps(
    status: int, document: Any, n: int, headers: Mapping[str, str] | None = None
) -> list[Step]:
    """A JSON document."""
    body = json.dumps(document).encode()
    kind = ("Content-Type", "application/json")
    return [Head(status, (kind, *request_headers(n), *(headers or {}).items()), len(body)), body]


def error_steps(error: Error, n: int) -> list[Step]:
    """An error with its status and headers."""
    kind, code = CODES.get(error.status, ("server_error", None))
    document = {
        "message": error.message,
        "type": error.type or kind,
        "param": error.param,
        "code": error.code or code,
    }
    return document_steps(error.status, {"error": document}, n, error.headers)
