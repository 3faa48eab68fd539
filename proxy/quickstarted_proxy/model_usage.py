"""
What a model's reply says of itself, read as it passes: which model, why it ended, which tokens.

Standard library only. Server-sent events are read line by line and only those that say something
of the kind are looked into; a reply that breaks off has said what it has said. Tokens have one
meaning for all vendors: input is without what was read from or written to a cache, and no token
is in two of the four counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quickstarted_proxy.model_apis import Vendor

MAX_EVENT_BYTES = 32 * 1024 * 1024
"""Of one event, or of a reply that is one JSON document; what is larger is not looked into."""
_TELLING = (b'"usage', b'"error"', b'"stop_reason"', b'"finish', b'"incomplete_details"')


@dataclass(slots=True, kw_only=True)
class Usage:
    """What is known so far."""

    model: str = ""
    stop_reason: str = ""
    """As the vendor calls it; empty where the reply has not said."""
    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    error: str = ""
    """The vendor's words for what went wrong, with its kind."""
    counted: bool = False
    """Whether the reply has said anything of tokens."""

    @property
    def total(self) -> int:
        """All tokens together."""
        return (
            self.input_tokens
            + self.output_tokens
            + self.cache_write_tokens
            + self.cache_read_tokens
        )


class UsageReader:
    """
    Reads one reply.

    Args:
        vendor: Whose.
        content_type: Of the reply.

    """

    def __init__(self, vendor: Vendor, content_type: str) -> None:
        self.usage = Usage()
        self._take = _TAKERS[vendor]
        self._streamed = content_type.partition(";")[0].strip().lower() == "text/event-stream"
        self._pending = bytearray()
        self._data: list[bytes] = []
        self._skipping = False

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the body, without any coding."""
        if not self._streamed:
            if len(self._pending) + len(data) <= MAX_EVENT_BYTES:
                self._pending += data
            return
        self._pending += data
        *lines, rest = self._pending.split(b"\n")
        for line in lines:
            self._line(bytes(line).removesuffix(b"\r"))
        if len(rest) > MAX_EVENT_BYTES:
            rest, self._skipping = bytearray(), True
        self._pending = bytearray(rest)

    def end(self) -> Usage:
        """The body has ended, whole or not."""
        if self._streamed:
            self._line(bytes(self._pending))
            self._line(b"")
        elif self._pending:
            self._document(bytes(self._pending))
        self._pending.clear()
        return self.usage

    def _line(self, line: bytes) -> None:
        """One line of an event stream (WHATWG HTML, section 9.2.6)."""
        if self._skipping:
            self._skipping = False
            self._data.clear()
        elif not line:
            data, self._data = b"\n".join(self._data), []
            if any(word in data for word in _TELLING):
                self._document(data)
        elif line.startswith(b"data:"):
            self._data.append(line[5:].removeprefix(b" "))

    def _document(self, data: bytes) -> None:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            return
        for one in document if isinstance(document, list) else [document]:
            if isinstance(one, dict):
                self._take(self.usage, one)
                _take_error(self.usage, one)


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(fields: dict[str, Any], *names: str) -> int:
    """The first of the members that is a number; none is below zero."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, int) and not isinstance(value, bool):
            return max(value, 0)
    return 0


def _take_error(usage: Usage, document: dict[str, Any]) -> None:
    error = document.get("error") or _object(document.get("response")).get("error")
    if isinstance(error, dict):
        # The code, where it is a word, says more than the type: `context_length_exceeded`.
        code = error.get("code")
        named = code if isinstance(code, str) else ""
        kind = named or error.get("type") or error.get("status") or code or ""
        usage.error = f"{kind}: {error.get('message', '')}"[:500]


def _take_anthropic(usage: Usage, document: dict[str, Any]) -> None:
    message = _object(document.get("message")) or document
    said = _object(message.get("usage"))
    delta = _object(document.get("delta"))
    usage.model = str(message.get("model") or usage.model)
    usage.stop_reason = str(
        delta.get("stop_reason") or message.get("stop_reason") or usage.stop_reason
    )
    if not said:
        return
    # Counts in a stream are sums so far, and later events leave out what has not changed.
    usage.counted = True
    usage.input_tokens = _count(said, "input_tokens") or usage.input_tokens
    usage.output_tokens = max(_count(said, "output_tokens"), usage.output_tokens)
    written = _count(said, "cache_creation_input_tokens")
    usage.cache_write_tokens = written or usage.cache_write_tokens
    usage.cache_read_tokens = _count(said, "cache_read_input_tokens") or usage.cache_read_tokens


def _take_openai(usage: Usage, document: dict[str, Any]) -> None:
    response = _object(document.get("response")) or document
    usage.model = str(response.get("model") or usage.model)
    choices = response.get("choices")
    choice = _object(choices[0]) if isinstance(choices, list) and choices else {}
    detail = _object(response.get("incomplete_details")).get("reason")
    ended = response.get("status") if response.get("status") != "in_progress" else ""
    usage.stop_reason = str(choice.get("finish_reason") or detail or ended or usage.stop_reason)
    said = _object(response.get("usage"))
    if not said:
        return
    usage.counted = True
    details = _object(said.get("input_tokens_details") or said.get("prompt_tokens_details"))
    read = _count(details, "cached_tokens")
    written = _count(details, "cache_write_tokens", "cache_creation_tokens")
    usage.cache_read_tokens, usage.cache_write_tokens = read, written
    whole = _count(said, "input_tokens", "prompt_tokens")
    usage.input_tokens = max(whole - read - written, 0)
    usage.output_tokens = _count(said, "output_tokens", "completion_tokens")


def _take_gemini(usage: Usage, document: dict[str, Any]) -> None:
    usage.model = str(document.get("modelVersion") or usage.model)
    candidates = document.get("candidates")
    candidate = _object(candidates[0]) if isinstance(candidates, list) and candidates else {}
    blocked = _object(document.get("promptFeedback")).get("blockReason")
    usage.stop_reason = str(candidate.get("finishReason") or blocked or usage.stop_reason)
    said = _object(document.get("usageMetadata"))
    if not said:
        return
    usage.counted = True
    read = _count(said, "cachedContentTokenCount")
    prompt = _count(said, "promptTokenCount") + _count(said, "toolUsePromptTokenCount")
    usage.cache_read_tokens = read
    usage.input_tokens = max(prompt - read, 0)
    usage.output_tokens = _count(said, "candidatesTokenCount") + _count(said, "thoughtsTokenCount")


_TAKERS: dict[Vendor, Callable[[Usage, dict[str, Any]], None]] = {
    "anthropic": _take_anthropic,
    "openai": _take_openai,
    "gemini": _take_gemini,
}
