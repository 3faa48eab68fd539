"""
A turn on the wire of the Gemini API, as server-sent events or as one document.

Source: https://ai.google.dev/api/generate-content and the SDK's own types
(`google.genai.types.GenerateContentResponse`).
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from fakes.gemini_api_replies import STATUSES, Call, Error, Part, Text, Turn
from fakes.scripted_http_steps import Head, Step
from fakes.vendor_streams import Dialect, Frame, cut, sse, streamed

DIALECT = Dialect(beat=b"\n", error_event=None)
"""The service sends neither comments nor names of events, and its SDK reads neither."""


@dataclass
class Sent:
    """What the service has said so far and will recognise when it is sent back."""

    signatures: set[bytes] = field(default_factory=set)
    signed_calls: list[tuple[str, Any]] = field(default_factory=list)
    """Name and arguments of calls that were sent with a signature."""
    _number: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def new_id(self, prefix: str) -> str:
        """A name that was not given before."""
        return f"{prefix}{next(self._number):012x}"

    def sign(self, what: str) -> str:
        """A signature, in the base64 that is on the wire."""
        made = hashlib.sha256(f"{self.new_id('sig')} {what}".encode()).digest()
        self.signatures.add(made)
        return base64.b64encode(made).decode()


def write_part(part: Part, sent: Sent) -> list[dict[str, Any]]:
    """The parts as they are streamed, one a chunk."""
    match part:
        case Text(text=text, thought=thought, signed=signed):
            more = {"thought": True} if thought else {}
            parts: list[dict[str, Any]] = [{"text": piece, **more} for piece in cut(text)]
            signature = [{"text": "", "thoughtSignature": sent.sign(text)}] if signed else []
            return [*(parts or [{"text": ""}]), *signature]
        case Call(name=name, args=args, has_id=has_id, signed=signed):
            made: dict[str, Any] = {"name": name, "args": args}
            if has_id:
                made["id"] = sent.new_id("fc")
            if not signed:
                return [{"functionCall": made}]
            sent.signed_calls.append((name, args))
            return [{"functionCall": made, "thoughtSignature": sent.sign(name)}]


def _usage(turn: Turn, *, last: bool) -> dict[str, Any]:
    """Totals so far: the candidates' are whole with the last chunk only."""
    usage = turn.usage
    if usage is None:
        return {}
    candidates = usage.candidates if last else 1
    counts = {
        "promptTokenCount": usage.prompt,
        "candidatesTokenCount": candidates,
        "cachedContentTokenCount": usage.cached,
        "thoughtsTokenCount": usage.thoughts,
        "toolUsePromptTokenCount": usage.tool_use_prompt,
    }
    known = {name: count for name, count in counts.items() if count}
    total = usage.prompt + candidates + usage.thoughts + usage.tool_use_prompt
    return {"usageMetadata": {**known, "totalTokenCount": total}}


def chunks_of(turn: Turn, model: str, sent: Sent) -> Iterator[dict[str, Any]]:
    """The documents of a stream."""
    about = {"modelVersion": turn.model or model, "responseId": sent.new_id("r")}
    if turn.blocked:
        feedback = {"promptFeedback": {"blockReason": turn.blocked}}
        yield {**feedback, **_usage(turn, last=False), **about}
        return
    parts = [one for part in turn.content for one in write_part(part, sent)]
    for n, part in enumerate(parts):
        last = n == len(parts) - 1
        candidate: dict[str, Any] = {"content": {"parts": [part], "role": "model"}, "index": 0}
        if last and turn.finish is not None:
            candidate["finishReason"] = turn.finish
        more = turn.more if last else {}
        yield {"candidates": [{**candidate, **more}], **_usage(turn, last=last), **about}
    if not parts and turn.finish is not None:
        candidate = {"content": {}, "finishReason": turn.finish, "index": 0, **turn.more}
        yield {"candidates": [candidate], **_usage(turn, last=True), **about}


def stream_steps(turn: Turn, chunks: list[dict[str, Any]]) -> Iterator[Step]:
    """A turn as a stream, broken where it is to be."""
    frames = [Frame("chunk", n, sse(chunk)) for n, chunk in enumerate(chunks)]
    head = Head(200, (("Content-Type", "text/event-stream"),))
    return streamed(frames, head, turn.broken, turn.chunk_pause_s, DIALECT)


def whole(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """The same as one document."""
    parts = [
        part
        for chunk in chunks
        for candidate in chunk.get("candidates", [])
        for part in candidate["content"].get("parts", [])
    ]
    last = chunks[-1]
    if "candidates" not in last:
        return last
    content = {"content": {"parts": parts, "role": "model"}}
    return {**last, "candidates": [{**last["candidates"][0], **content}]}


def document_steps(
    status: int, document: Any, headers: Mapping[str, str] | None = None
) -> list[Step]:
    """A JSON document."""
    body = json.dumps(document).encode()
    kind = ("Content-Type", "application/json; charset=UTF-8")
    return [Head(status, (kind, *(headers or {}).items()), len(body)), body]


def error_document(error: Error) -> dict[str, Any]:
    """As it comes as an answer, and in the middle of one."""
    inner: dict[str, Any] = {
        "code": error.code,
        "message": error.message,
        "status": error.status or STATUSES.get(error.code, "UNKNOWN"),
    }
    if error.details:
        inner["details"] = list(error.details)
    return {"error": inner}


def error_steps(error: Error) -> list[Step]:
    """An error with its status and headers."""
    return document_steps(error.code, error_document(error), error.headers)
