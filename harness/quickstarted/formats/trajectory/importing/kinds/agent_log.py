"""Agent logs of community games, as they are read: of any length, in memory that does not grow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    Record,
)
from quickstarted.formats.trajectory.importing.run import (
    Closed,
    Event,
    EventFields,
    Opened,
    Piece,
)
from quickstarted.formats.trajectory.importing.times import Stamp, stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, is_one_of
from quickstarted.formats.trajectory.model import EventType

REMEMBERED = 100_000
"""Responses that an action may name; what is held of a log must not grow with it."""
_FIELDS = ("seq", "at", "elapsedMs", "type", "data")
_HINT = "quickstarted agent-log check FILE says what it lacks."
_KINDS = {
    "run_start": EventType.RUN_START,
    "model_request": EventType.LLM_CALL,
    "model_response": EventType.LLM_RESPONSE,
    "action": EventType.TOOL_CALL,
    "observation": EventType.OBSERVATION,
    "error": EventType.ERROR,
    "run_end": EventType.RUN_END,
}


class AgentLogImporter:
    """A stream of events; each `run_start` begins a run."""

    name: ClassVar[str] = "agent-log"
    title: ClassVar[str] = "agent logs of community games"

    def detects(self, value: Any) -> Claim | None:
        """Events have the five fields of the format."""
        if isinstance(value, dict) and all(key in value for key in _FIELDS):
            return Claim("it has seq, at, elapsedMs, type and data", is_whole=False)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """Events as they come; nothing is kept but ids that actions may name."""
        log: _Log | None = None
        for record in records:
            problem = _problem(record.value)
            if problem is not None:
                context.on_error(record.where, problem, _HINT)
                continue
            if log is not None and record.value["type"] == "run_start":
                yield from log.end()
                log = None
            if log is None:
                log = _Log(context, record)
                yield Opened(log.run)
            yield from log.take(record)
        if log is not None:
            yield from log.end()


class _Log:
    """One run of a log."""

    def __init__(self, context: Context, first: Record) -> None:
        self.run = context.run("agent-log", None)
        self._responses: OrderedDict[str, str] = OrderedDict()
        self._request: str | None = None
        data = Fields(first.value).object("data") or {}
        about = Fields(data)
        scaffold = about.part("scaffold")
        self._agent = scaffold.text("name") or "agent"
        self.run.framework = scaffold.text("name")
        game, category = about.text("game"), about.text("category")
        self.run.task_id = "/".join(part for part in (game, category) if part) or None
        self.run.started_at = stamp(first.value.get("at"))
        self.run.metadata |= {
            key: value
            for key, value in {
                "game": game,
                "category": category,
                "model": about.text("model"),
            }.items()
            if value is not None
        }

    def take(self, record: Record) -> list[Event]:
        value = record.value
        kind = _KINDS[value["type"]]
        self.run.index = record.index
        at = stamp(value.get("at"))
        before: list[Event] = []
        data = Fields(value["data"])
        made: EventFields = {
            "at": at,
            "agent": self._agent,
            "step": value.get("seq"),
            "metadata": {"elapsed_ms": value.get("elapsedMs")},
        }
        if at is None and "at" in value:
            made["metadata"]["timestamp_as_given"] = value["at"]
        match kind:
            case EventType.LLM_CALL:
                event = self._requested(data, made)
            case EventType.LLM_RESPONSE:
                reasoning = data.text("reasoning")
                if reasoning is not None:
                    thought: EventFields = {**made, "output": reasoning, "parent": self._request}
                    before.append(self.run.event(EventType.REFLECTION, **thought))
                event = self._responded(data, made)
            case EventType.TOOL_CALL:
                event = self._acted(data, made)
            case _:
                event = self._other(kind, data, made, at)
        if len(value) > len(_FIELDS):
            left = {key: item for key, item in value.items() if key not in _FIELDS}
            event["metadata"]["native_record"] = left
        return [*before, event]

    def end(self) -> Iterator[Piece]:
        self.run.finish()
        yield Closed(self.run)

    def _requested(self, data: Fields, made: EventFields) -> Event:
        made["input"] = data.left
        event = self.run.event(EventType.LLM_CALL, **made)
        self._request = event["event_id"]
        return event

    def _responded(self, data: Fields, made: EventFields) -> Event:
        name = data.text("id")
        made["output"] = data.text("text")
        made["parent"] = self._request
        made["metadata"] |= {
            "response_id": name,
            "model": data.text("model"),
            "actions": data.list("actions"),
            **usage_metadata(data.any("usage")),
        }
        made["native"] = data.left
        event = self.run.event(EventType.LLM_RESPONSE, **made)
        self._request = None
        if name is not None:
            self._responses[name] = event["event_id"]
            if len(self._responses) > REMEMBERED:
                self._responses.popitem(last=False)
        return event

    def _acted(self, data: Fields, made: EventFields) -> Event:
        asked = data.text("call")
        made["parent"] = self._responses.get(asked or "")
        if asked is not None and made["parent"] is None:
            self.run.note(
                f"actions name a response that is not among the {REMEMBERED:,} before them"
            )
        made["input"] = data.any("args")
        made["metadata"] |= {"tool": data.text("name"), "call": asked}
        made["native"] = data.left
        return self.run.event(EventType.TOOL_CALL, **made)

    def _other(self, kind: EventType, data: Fields, made: EventFields, at: Stamp | None) -> Event:
        if kind is EventType.ERROR:
            made["error"] = data.text("message") or "an error without a message"
            made["native"] = data.left
        elif kind is EventType.RUN_START:
            made["input"] = data.left
        else:
            made["output"] = data.left
        if kind is EventType.RUN_END:
            self.run.ended_at = at
        return self.run.event(kind, **made)


def _problem(value: Any) -> str | None:
    kind = value.get("type") if isinstance(value, dict) else None
    if is_one_of(kind, _KINDS) and isinstance(value.get("data"), dict):
        return None
    return "is no event of an agent log"
