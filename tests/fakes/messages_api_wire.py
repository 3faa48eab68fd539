"""
Documents as the Messages API puts them on the wire: messages and errors, and what it remembers.

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

from fakes.messages_api_replies import ERROR_TYPES, Block, Error, Page, Turn, Usage
from fakes.scripted_http_steps import Head, Step


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


def document_steps(
    status: int, document: Any, n: int, headers: Mapping[str, str] | None = None
) -> list[Step]:
    """A JSON document."""
    body = json.dumps(document).encode()
    named = {name.lower() for name in headers or {}}
    usual = [one for one in usual_headers(n) if one[0].lower() not in named]
    kind = ("Content-Type", "application/json")
    return [Head(status, (kind, *usual, *(headers or {}).items()), len(body)), body]


def usual_headers(n: int) -> tuple[tuple[str, str], ...]:
    """Those of every answer of the service's."""
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
