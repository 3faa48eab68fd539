"""
A reply, put together from the events of its stream.

The client's own helper parses a tool's input anew with each piece of it, which takes time quadratic
in its length, and raises where the model wrote something that is not JSON. Here the pieces are
joined, parsed once, and a problem with them is the model's to mend.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quickstarted.agents.claude.wire import (
    BlockDelta,
    BlockStart,
    BlockStop,
    Counts,
    Delta,
    MessageDelta,
    MessageStart,
    MessageStop,
    read_event,
)
from quickstarted.agents.model.arguments import read_arguments
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
THOUGHTS = frozenset({"thinking", "redacted_thinking"})


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

    def take(self, event: object) -> None:
        """
        Take the next event as the client read it; kinds that are not known change nothing.

        Raises:
            ValueError: It is not what the service documents.
            ServiceTrouble: It does not go with those before it.

        """
        if self.over:
            return
        match read_event(event):
            case MessageStart(message=message):
                self.model = message.model or self.model
                self._count(message.usage)
            case BlockStart(index=index, content_block=block):
                self._blocks[index] = block
            case BlockDelta(index=index, delta=delta):
                self._extend(index, delta)
            case BlockStop(index=index):
                self._close(index)
            case MessageDelta(delta=delta, usage=usage):
                self._stop_reason = delta.stop_reason or self._stop_reason
                self._explanation = delta.stop_details.explanation or self._explanation
                self._count(usage)
            case MessageStop():
                for index in list(self._pieces):
                    self._close(index)
                self.over = True

    @property
    def content(self) -> list[dict[str, Any]]:
        """
        The reply's blocks, as they are said back to the service in the next request.

        JSON can spell half a character, a lone surrogate, and a request cannot hold one. Thoughts
        go back unchanged, signatures and all; those that nothing follows were cut off, and the
        service does not take them.
        """
        kept = [
            block
            for _, block in self._plain_blocks()
            if block["type"] != "text" or block["text"].strip()
        ]
        while kept and kept[-1]["type"] in THOUGHTS:
            kept.pop()
        return kept

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
            for index, block in self._plain_blocks()
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

    def _plain_blocks(self) -> list[tuple[int, dict[str, Any]]]:
        return [(index, plain(block)) for index, block in sorted(self._blocks.items())]

    def _extend(self, index: int, delta: Delta) -> None:
        block = self._blocks.get(index)
        if block is None:
            raise ServiceTrouble("the service's stream goes on with a block that it did not begin")
        if delta.partial_json is not None:
            self._pieces.setdefault(index, []).append(delta.partial_json)
        if delta.signature is not None:
            block["signature"] = delta.signature
        for name, more in (("text", delta.text), ("thinking", delta.thinking)):
            if more is None:
                continue
            if name not in block:
                raise ServiceTrouble(f"the service's stream adds {name} to a {block['type']}")
            block[name] += more

    def _close(self, index: int) -> None:
        block = self._blocks.get(index)
        written = "".join(self._pieces.pop(index, []))
        if block is not None and "input" in block and written:
            block["input"], self._problems[index] = read_arguments(written)

    def _count(self, reported: Counts) -> None:
        """Counts of a stream are totals so far; one that is left out keeps its value."""
        counts = {
            "input_tokens": reported.input_tokens,
            "output_tokens": reported.output_tokens,
            "cache_write_tokens": reported.cache_creation_input_tokens,
            "cache_read_tokens": reported.cache_read_input_tokens,
        }
        known = {name: count for name, count in counts.items() if count is not None}
        self.usage = self.usage.model_copy(update=known)
