"""
A reply, put together from the events of its stream.

The client's own helper parses a tool's input anew with each piece of it, which takes time quadratic
in its length, and raises where the model wrote something that is not JSON. Here the pieces are
joined, parsed once, and a problem with them is the model's to mend.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from anthropic.types import RawMessageStreamEvent

from quickstarted.agents.model.vendor import Reply, ServiceTrouble, Stop, ToolUse
from quickstarted.events import Usage, plain

STOPS = {
    "end_turn": Stop.DONE,
    "stop_sequence": Stop.DONE,
    "tool_use": Stop.TOOLS,
    "max_tokens": Stop.LENGTH,
    "pause_turn": Stop.PAUSED,
    "refusal": Stop.DECLINED,
    "model_context_window_exceeded": Stop.CONTEXT_FULL,
}


@dataclass
class Assembly:
    """Takes the events of one stream; `reply` and `content` are there once it is `over`."""

    model: str
    usage: Usage = field(default_factory=Usage)
    """As far as the service has reported it."""
    over: bool = False
    _blocks: dict[int, dict[str, Any]] = field(default_factory=dict)
    _pieces: dict[int, list[str]] = field(default_factory=dict)
    _problems: dict[int, str] = field(default_factory=dict)
    _stop_reason: str | None = None
    _explanation: str = ""

    def take(self, event: RawMessageStreamEvent) -> None:
        """Take the next event; kinds that are not known change nothing."""
        match event.type:
            case "message_start":
                self.model = event.message.model or self.model
                self._count(event.message.usage)
            case "content_block_start":
                block = event.content_block.model_dump(mode="json", exclude_none=True)
                self._blocks[event.index] = block
            case "content_block_delta":
                self._extend(event.index, event.delta.model_dump(mode="json"))
            case "content_block_stop":
                self._close(event.index)
            case "message_delta":
                self._stop_reason = event.delta.stop_reason or self._stop_reason
                details = event.delta.stop_details
                self._explanation = (details and details.explanation) or self._explanation
                self._count(event.usage)
            case "message_stop":
                self.over = True
            case _:
                pass

    @property
    def content(self) -> list[dict[str, Any]]:
        """
        The reply's blocks, as they are said back to the service in the next request.

        JSON can spell half a character, a lone surrogate, and a request cannot hold one.
        """
        blocks = (plain(self._blocks[index]) for index in sorted(self._blocks))
        return [block for block in blocks if block["type"] != "text" or block["text"].strip()]

    def reply(self) -> Reply:
        """
        The whole reply.

        Raises:
            ServiceTrouble: The stream ended before the reply did.

        """
        if not self.over or self._stop_reason is None:
            raise ServiceTrouble("the service's stream ended before the reply did")
        uses = tuple(
            ToolUse(
                call_id=block["id"],
                name=block["name"],
                arguments=block["input"],
                problem=self._problems.get(index, ""),
            )
            for index, block in sorted(self._blocks.items())
            if block["type"] == "tool_use"
        )
        texts = [block["text"] for block in self.content if block["type"] == "text"]
        return Reply(
            stop=STOPS.get(self._stop_reason, Stop.DONE),
            stop_reason=self._stop_reason,
            model=self.model,
            text="\n".join(texts) or self._explanation,
            tool_uses=uses,
            usage=self.usage,
        )

    def _extend(self, index: int, delta: dict[str, Any]) -> None:
        block = self._blocks.get(index)
        if block is None:
            raise ServiceTrouble("the service's stream goes on with a block that it did not begin")
        match delta["type"]:
            case "text_delta":
                block["text"] += delta["text"]
            case "thinking_delta":
                block["thinking"] += delta["thinking"]
            case "signature_delta":
                block["signature"] = delta["signature"]
            case "input_json_delta":
                self._pieces.setdefault(index, []).append(delta["partial_json"])
            case _:
                pass

    def _close(self, index: int) -> None:
        block = self._blocks.get(index)
        if block is not None and block["type"] == "tool_use":
            written = "".join(self._pieces.pop(index, []))
            if written:
                block["input"], self._problems[index] = _arguments(written)

    def _count(self, reported: Any) -> None:
        """Counts of a stream are totals so far; one that is left out keeps its value."""
        counts = {
            "input_tokens": reported.input_tokens,
            "output_tokens": reported.output_tokens,
            "cache_write_tokens": reported.cache_creation_input_tokens,
            "cache_read_tokens": reported.cache_read_input_tokens,
        }
        known = {name: count for name, count in counts.items() if count is not None}
        self.usage = self.usage.model_copy(update=known)


def _arguments(written: str) -> tuple[dict[str, Any], str]:
    """The input of a tool, and what is wrong with it."""
    try:
        value = plain(json.loads(written))
    except (ValueError, RecursionError) as exc:
        return {}, f"the input is not JSON, or was cut off: {exc}"
    if not isinstance(value, dict):
        return {}, f"the input must be a JSON object, not {type(value).__name__}"
    return value, ""
