"""Agent logs of community games, as they are read: of any length, in memory that does not grow."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
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
from quickstarted.formats.trajectory.importing.times import stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, without_nulls
from quickstarted.formats.trajectory.model import EventType

REMEMBERED = 100_000
"""Responses that an action may name; what is held of a log must not grow with it."""
_FIELDS = ("seq", "at", "elapsedMs", "type", "data")
_HINT = "quickstarted agent-log check FILE says what it lacks."
_KINDS = frozenset(
    {
        "run_start",
        "model_request",
        "model_response",
        "action",
        "observation",
        "error",
        "run_end",
    }
)


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
        self._makers: dict[str, Callable[[dict[str, Any], EventFields], list[Event]]] = {
            "run_start": self._began,
            "model_request": self._requested,
            "model_response": self._responded,
            "action": self._acted,
            "observation": self._observed,
            "error": self._failed,
            "run_end": self._ended,
        }
        data = Fields(first.value).object("data") or {}
        about = Fields(data)
        scaffold = about.part("scaffold")
        self.run.framework = scaffold.text("name")
        self._agent = self.run.framework or "agent"
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
        self.run.index = record.index
        at = stamp(value.get("at"))
        metadata: dict[str, Any] = {"elapsed_ms": value.get("elapsedMs")}
        if at is None and "at" in value:
            metadata["timestamp_as_given"] = value["at"]
        made: EventFields = {
            "at": at,
            "agent": self._agent,
            "step": value.get("seq"),
            "metadata": metadata,
        }
        events = self._makers[value["type"]](value["data"], made)
        if len(value) > len(_FIELDS):
            left = {key: item for key, item in value.items() if key not in _FIELDS}
            events[-1]["metadata"]["native_record"] = left
        return events

    def end(self) -> Iterator[Piece]:
        self.run.finish()
        yield Closed(self.run)

    def _requested(self, data: dict[str, Any], made: EventFields) -> list[Event]:
        made["input"] = without_nulls(data)
        event = self.run.event(EventType.LLM_CALL, **made)
        self._request = event["event_id"]
        return [event]

    def _responded(self, data: dict[str, Any], made: EventFields) -> list[Event]:
        events = []
        made["parent"], self._request = self._request, None
        about = Fields(data)
        reasoning = about.text("reasoning")
        if reasoning is not None:
            thought: EventFields = {**made, "output": reasoning}
            events.append(self.run.event(EventType.REFLECTION, **thought))
        name = about.text("id")
        made["output"] = about.text("text")
        made["metadata"] |= {
            "response_id": name,
            "model": about.text("model"),
            "actions": about.list("actions"),
            **usage_metadata(about.any("usage")),
        }
        made["native"] = about.left
        event = self.run.event(EventType.LLM_RESPONSE, **made)
        if name is not None:
            self._responses[name] = event["event_id"]
            if len(self._responses) > REMEMBERED:
                self._responses.popitem(last=False)
        events.append(event)
        return events

    def _acted(self, data: dict[str, Any], made: EventFields) -> list[Event]:
        about = Fields(data)
        asked = about.text("call")
        made["parent"] = self._responses.get(asked or "")
        if asked is not None and made["parent"] is None:
            self.run.note(
                f"actions name a response that is not among the {REMEMBERED:,} before them"
            )
        made["input"] = about.any("args")
        made["metadata"] |= {"tool": about.text("name"), "call": asked}
        made["native"] = about.left
        return [self.run.event(EventType.TOOL_CALL, **made)]

    def _observed(self, data: dict[str, Any], made: EventFields) -> list[Event]:
        made["output"] = without_nulls(data)
        return [self.run.event(EventType.OBSERVATION, **made)]

    def _failed(self, data: dict[str, Any], made: EventFields) -> list[Event]:
        about = Fields(data)
        made["error"] = about.text("message") or "an error without a message"
        made["native"] = about.left
        return [self.run.event(EventType.ERROR, **made)]

    def _began(self, data: dict[str, Any], made: EventFields) -> list[Event]:
        made["input"] = without_nulls(data)
        return [self.run.event(EventType.RUN_START, **made)]

    def _ended(self, data: dict[str, Any], made: EventFields) -> list[Event]:
        self.run.ended_at = made["at"]
        made["output"] = without_nulls(data)
        return [self.run.event(EventType.RUN_END, **made)]


def _problem(value: Any) -> str | None:
    if isinstance(value, dict) and isinstance(value.get("data"), dict):
        kind = value.get("type")
        if isinstance(kind, str) and kind in _KINDS:
            return None
    return "is no event of an agent log"
