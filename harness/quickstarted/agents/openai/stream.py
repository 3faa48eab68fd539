"""A reply, put together from the events of its stream."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from quickstarted.agents.model.arguments import read_arguments
from quickstarted.agents.model.vendor import Reply, ServiceTrouble, Stop, ToolUse
from quickstarted.agents.openai.wire import (
    Counts,
    Created,
    Ended,
    Failed,
    ItemDone,
    Response,
    Trouble,
    read_event,
)
from quickstarted.events import Usage, plain

INCOMPLETE = {
    "max_output_tokens": Stop.LENGTH,
    "content_filter": Stop.DECLINED,
}


class Broken(Exception):
    """The service says in the middle of a stream that it failed; `trouble` has its code."""

    def __init__(self, trouble: Trouble) -> None:
        super().__init__(trouble.message)
        self.trouble = trouble


@dataclass
class Assembly:
    """Takes the events of one stream; `reply` and `items` are there once it is `over`."""

    model: str
    usage: Usage = field(default_factory=Usage)
    """The service reports it with the end of the reply, and not before."""
    over: bool = False
    _items: dict[int, dict[str, Any]] = field(default_factory=dict)
    _end: Response = field(default_factory=Response)

    def take(self, event: object) -> None:
        """
        Take the next event as the client read it; kinds that are not known change nothing.

        Raises:
            ValueError: It is not what the service documents.
            Broken: The service says that it failed.

        """
        if self.over:
            return
        match read_event(event):
            case Created(response=response):
                self.model = response.model or self.model
            case ItemDone(output_index=index, item=item):
                self._items[index] = item
            case Ended(response=response):
                self._finish(response)
            case Failed(code=code, message=message):
                raise Broken(Trouble(code=code, message=message))

    @property
    def items(self) -> list[dict[str, Any]]:
        """
        What is said back to the service in the next request.

        Reasoning that nothing follows is left out, which the service would refuse, and reasoning
        that is not there in full: nothing is kept at the vendor that it could refer to. Arguments
        that cannot be read were answered as such.
        """
        kept = [
            {**item, "arguments": "{}"} if problem else item
            for item, problem in self._read()
            if item["type"] != "reasoning" or item.get("encrypted_content")
        ]
        while kept and kept[-1]["type"] == "reasoning":
            kept.pop()
        return kept

    def reply(self) -> Reply:
        """
        The whole reply.

        Raises:
            ServiceTrouble: The stream ended before the reply did.

        """
        if not self.over:
            raise ServiceTrouble("the service's stream ended before the reply did")
        uses = tuple(
            ToolUse(
                call_id=item["call_id"],
                name=item["name"],
                arguments=read_arguments(item["arguments"])[0],
                problem=problem,
            )
            for item, problem in self._read()
            if item["type"] == "function_call"
        )
        refusals = self._said("refusal")
        stop, reason = self._stopped(bool(uses), bool(refusals))
        return Reply(
            stop=stop,
            stop_reason=reason,
            model=self.model,
            text="\n".join(self._said("text") or refusals),
            tool_uses=uses,
            usage=self.usage,
        )

    def _finish(self, response: Response) -> None:
        self.model = response.model or self.model
        self.usage = usage_of(response.usage or Counts())
        if response.error is not None or response.status == "failed":
            raise Broken(response.error or Trouble(message="the response failed"))
        for index, item in enumerate(response.output):
            self._items.setdefault(index, item)
        self._end = response
        self.over = True

    def _stopped(self, calls: bool, refuses: bool) -> tuple[Stop, str]:
        """Why the reply ended, and what the vendor calls it."""
        details = self._end.incomplete_details
        if details is not None and details.reason:
            return INCOMPLETE.get(details.reason, Stop.DONE), details.reason
        if calls:
            return Stop.TOOLS, "tool_calls"
        if refuses:
            return Stop.DECLINED, "refusal"
        return Stop.DONE, self._end.status or "completed"

    def _said(self, kind: str) -> list[str]:
        """The texts of one kind, `text` or `refusal`."""
        parts = (
            part
            for item, _ in self._read()
            if item["type"] == "message"
            for part in item["content"]
        )
        return [text for part in parts if (text := part.get(kind, "")).strip()]

    def _read(self) -> list[tuple[dict[str, Any], str]]:
        """Items in their order, each with what is wrong with its arguments."""
        items = [plain(item) for _, item in sorted(self._items.items())]
        return [
            (item, read_arguments(item["arguments"])[1] if "arguments" in item else "")
            for item in items
        ]


def usage_of(counts: Counts) -> Usage:
    """
    The four counters of ours.

    The service's `input_tokens` are all of the input; what the cache held and what it took are
    parts of it. `output_tokens` have those of reasoning in them.
    """
    read = counts.input_tokens_details.cached_tokens or 0
    written = counts.input_tokens_details.cache_write_tokens or 0
    return Usage(
        input_tokens=max(0, counts.input_tokens - read - written),
        output_tokens=counts.output_tokens,
        cache_write_tokens=written,
        cache_read_tokens=read,
    )
