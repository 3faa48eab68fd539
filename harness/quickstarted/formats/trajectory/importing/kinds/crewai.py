"""
Events of CrewAI, as `to_json` writes them, one a line or in a list.

An event that ends something names the one that began it (`started_event_id`): calls and results are
paired by it, and durations come from their times.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds.crewai_types import (
    CHUNKS,
    TOOL_CALLS,
    TOOL_RESULTS,
    kind_of,
)
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import error_text
from quickstarted.formats.trajectory.importing.times import Stamp, milliseconds, stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, from_text, is_objects
from quickstarted.formats.trajectory.model import EventType


class CrewAIImporter:
    """A stream of events, or `events` in an object."""

    name: ClassVar[str] = "crewai"
    title: ClassVar[str] = "CrewAI events"

    def detects(self, value: Any) -> Claim | None:
        """`emission_sequence`, or an id, a fingerprint and a type, are CrewAI's alone."""
        if not isinstance(value, dict):
            return None
        if _is_event(value):
            return Claim("it has CrewAI's emission_sequence or fingerprint", is_whole=False)
        events = value.get("events")
        if is_objects(events) and all(_is_event(one) or _is_old(one) for one in events):
            return Claim("it has events with types of CrewAI")
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """A run for each object with `events`, and one for the stream."""
        stream: _Crew | None = None
        for record in context.hold(records):
            with context.guard(record):
                value = record.value
                if not isinstance(value, dict):
                    raise NotConvertible("is no event of CrewAI", "Take it out.")
                if isinstance(value.get("events"), list):
                    crew = _Crew(context.run(self.name, record))
                    for event in value["events"]:
                        crew.take(event)
                    yield from crew.run.pieces()
                    continue
                if stream is None:
                    stream = _Crew(context.run(self.name, None))
                stream.run.index = record.index
                stream.take(value)
        if stream is not None:
            yield from stream.run.pieces()


class _Crew:
    """Events of one crew."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self._times: dict[str, Stamp | None] = {}
        self._calls: dict[str, str] = {}
        self._chunks: dict[str, int] = {}
        run.framework = "crewai"

    def take(self, event: Any) -> None:
        if not isinstance(event, dict) or not (event.get("type") or event.get("event")):
            raise NotConvertible("is no event with a type", "Take it out.")
        fields = Fields(event)
        name = fields.text("type", "event") or ""
        if name in CHUNKS:
            call = fields.text("call_id") or ""
            self._chunks[call] = self._chunks.get(call, 0) + 1
            self._calls[fields.text("event_id") or ""] = fields.text("parent_event_id") or ""
            return
        at = stamp(fields.any("timestamp"))
        event_id = fields.text("event_id")
        self._times[event_id or ""] = at
        if self.run.started_at is None and not self.run.count:
            self.run.started_at = at
        kind = kind_of(name)
        self._about(fields, name)
        started = fields.text("started_event_id")
        parent = fields.text("parent_event_id")
        if kind is not EventType.TOOL_RESULT and started in self._times:
            parent = started
        elif parent in self._calls:
            parent = self._calls[parent]
        made: EventFields = {
            "at": at,
            "event_id": event_id,
            "parent": parent,
            "agent": fields.text("agent_role") or _name_of(fields.any("agent")) or "crew",
            "module": name,
            "metadata": {"type": name, "started_event_id": started},
        }
        begun = self._times.get(started or "")
        if started is not None and begun is not None and at is not None:
            made["duration_ms"] = milliseconds(begun, at)
            made["metadata"]["duration_source"] = "timestamps"
        if name in TOOL_CALLS or name in TOOL_RESULTS:
            self._tool(name, fields, made, started)
        else:
            self._other(kind, fields, made)
        if kind is EventType.RUN_END:
            self.run.ended_at = at

    def _about(self, fields: Fields, name: str) -> None:
        if name == "task_started":
            task = fields.object("task")
            if task is not None:
                fields.put("task", task)
                description = task.get("description")
                if self.run.goal is None and isinstance(description, str):
                    self.run.goal = description
            self.run.task_id = self.run.task_id or fields.text("task_id")

    def _tool(self, name: str, fields: Fields, made: EventFields, started: str | None) -> None:
        tool = fields.text("tool_name")
        arguments, is_valid = from_text(fields.any("tool_args"))
        made["input"] = arguments
        made["metadata"] |= {"arguments_invalid": None if is_valid else True}
        if name in TOOL_CALLS:
            made["native"] = fields.left
            self.run.call(tool, made["event_id"], **made)
            return
        error, failure = fields.any("error"), fields.any("failure")
        words = error_text(error) or error_text(failure)
        if words is None and name != "tool_usage_finished" and not name.endswith("_completed"):
            words = name
        made |= {"output": fields.any("output", "result"), "error": words}
        made["metadata"] |= {"failure": failure}
        made["native"] = fields.left
        made.pop("parent", None)
        self.run.result(started, tool, **made)

    def _other(self, kind: EventType, fields: Fields, made: EventFields) -> None:
        error = fields.any("error")
        made["error"] = error_text(error)
        if kind is EventType.ERROR and made["error"] is None:
            made["error"] = made["module"]
        call = fields.text("call_id")
        made["metadata"] |= {
            "call_id": call,
            "model": fields.text("model"),
            "error": error if isinstance(error, dict) else None,
            **usage_metadata(fields.any("usage")),
        }
        if kind is EventType.LLM_RESPONSE:
            made["metadata"]["chunks"] = self._chunks.pop(call or "", None)
        if kind is EventType.GUARDRAIL and fields.any("success") is False and not made["error"]:
            made["error"] = "success is false"
        made["input"] = fields.any("messages", "inputs", "query", "task_prompt")
        made["output"] = fields.any("response", "output", "plan", "feedback", "value", "result")
        made["native"] = fields.left
        self.run.add(kind, **made)


def _is_event(value: dict[str, Any]) -> bool:
    if not isinstance(value.get("type"), str):
        return False
    return "emission_sequence" in value or ("event_id" in value and "source_fingerprint" in value)


def _is_old(value: dict[str, Any]) -> bool:
    """As others write them: `event` with a name that CrewAI has."""
    name = value.get("event")
    return isinstance(name, str) and ("crew" in value or "task" in value)


def _name_of(agent: Any) -> str | None:
    if isinstance(agent, dict):
        return Fields(agent).text("role", "name")
    return agent if isinstance(agent, str) else None
