"""Lists of events of no known program: `event_type` or `type`, and fields by many names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.strict_json import quote
from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import error_text
from quickstarted.formats.trajectory.importing.times import Stamp, stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, from_text, is_objects
from quickstarted.formats.trajectory.model import EventType

_ALIASES = {
    EventType.AGENT_STEP: ("message", "assistant", "step", "agent_message"),
    EventType.OBSERVATION: ("user", "system", "user_message"),
    EventType.REFLECTION: ("thought", "thinking", "reasoning"),
    EventType.TOOL_CALL: ("tool", "tool_use", "function_call", "action", "function"),
    EventType.TOOL_RESULT: ("tool_output", "function_call_output", "tool_response"),
    EventType.LLM_CALL: ("llm_request", "model_request", "prompt", "llm_start"),
    EventType.LLM_RESPONSE: ("completion", "model_response", "generation", "llm_end"),
    EventType.RUN_START: ("start", "begin", "started", "run_started"),
    EventType.RUN_END: ("end", "finish", "finished", "run_finished", "final", "stop"),
    EventType.MEMORY_READ: ("retrieval",),
    EventType.HUMAN_FEEDBACK: ("feedback",),
}
_BY_NAME = {
    **{alias: kind for kind, aliases in _ALIASES.items() for alias in aliases},
    **{kind.value.replace(".", "_"): kind for kind in EventType},
}
_WHEN = ("timestamp", "ts", "time", "created_at", "started_at", "at")


class EventListImporter:
    """`events` in an object, a bare list, or a stream."""

    name: ClassVar[str] = "event-list"
    title: ClassVar[str] = "lists of events"

    def detects(self, value: Any) -> Claim | None:
        """Events have `event_type`, `type` or `event`, a string."""
        if isinstance(value, dict):
            if is_objects(value.get("events")) and all(map(is_event, value["events"])):
                return Claim("it has events, each with a type")
            if is_event(value):
                return Claim("it has a type, as an event", is_whole=False, is_weak=True)
        if is_objects(value) and all(map(is_event, value)):
            return Claim("a list of objects, each with a type")
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """
        A run for each list, and one for each trace_id of events that stand alone.

        Those without one belong to the run of the event before them.
        """
        streams: dict[str | None, Run] = {}
        current: str | None = None
        for record in context.hold(records):
            with context.guard(record):
                value = record.value
                if isinstance(value, list) or (
                    isinstance(value, dict) and isinstance(value.get("events"), list)
                ):
                    yield from self._whole(record, context).pieces()
                    continue
                if not is_event(value):
                    raise NotConvertible("is no event with a type", "Give it a type.")
                current = _trace_id(value) or current
                if current not in streams:
                    streams[current] = context.run(self.name, None, current)
                streams[current].index = record.index
                add_event(streams[current], value, record.where)
        for stream in streams.values():
            yield from stream.pieces()

    def _whole(self, record: Record, context: Context) -> Run:
        value = record.value if isinstance(record.value, dict) else {"events": record.value}
        fields = Fields(value)
        events = fields.list("events") or []
        run = context.run(self.name, record, fields.text("trace_id", "trajectory_id", "id"))
        given = value.get("trace_id")
        run.task_id, run.goal = fields.text("task_id"), fields.text("goal", "task")
        run.framework = fields.text("framework")
        run.started_at = stamp(fields.any("started_at", "start_time"))
        run.ended_at = stamp(fields.any("ended_at", "end_time"))
        metadata = fields.object("metadata")
        run.metadata |= {"given": metadata} if metadata else {}
        run.metadata |= {"native": fields.left} if fields.left else {}
        for number, event in enumerate(events):
            own = event.get("trace_id") if isinstance(event, dict) else None
            if own is not None and own != given:
                raise NotConvertible(
                    f"events[{number}].trace_id is {quote(own)}, not {quote(given)}",
                    "One run has one trace_id; split it by trace_id.",
                )
            if not is_event(event):
                raise NotConvertible(f"events[{number}] is no event with a type", "Take it out.")
            add_event(run, event, f"events[{number}]")
        return run


def is_event(value: Any) -> bool:
    """Whether *value* has the type of an event."""
    return isinstance(value, dict) and any(
        isinstance(value.get(key), str) for key in ("event_type", "type", "event")
    )


def kind_of(name: str) -> EventType | None:
    """The type that *name*, in any spelling, means."""
    return _BY_NAME.get(name.lower().replace(".", "_").replace("-", "_").replace(" ", "_"))


def add_event(run: Run, event: dict[str, Any], where: str) -> None:
    """Add one event of a kind that nobody has told of."""
    fields = Fields(event)
    fields.drop("trace_id")
    name = fields.text("event_type", "type", "event") or ""
    kind = kind_of(name)
    if kind is None:
        kind = EventType.AGENT_STEP
        run.note(f"events of type {quote(name)} are taken for agent.step ({where})")
    at = _time(fields)
    if run.started_at is None and not run.count:
        run.started_at = at
    error = fields.any("error")
    made: EventFields = {
        "at": at,
        "event_id": fields.text("event_id", "id", "uuid"),
        "parent": fields.text("parent_event_id", "parent_id", "parent"),
        "agent": fields.text("agent_name", "agent", "role"),
        "module": fields.text("module"),
        "input": fields.any("input", "args", "arguments", "params", "parameters"),
        "output": fields.any("output", "content", "result", "text", "message", "response"),
        "error": error_text(error),
        "duration_ms": fields.number("duration_ms"),
        "metadata": {
            "event_type_as_given": name if name != kind.value else None,
            "error": error if isinstance(error, dict) else None,
            **usage_metadata(fields.object("usage")),
        },
    }
    step = fields.any("step_index", "step", "index")
    if step is not None:
        made["step"] = step
    _add(run, kind, fields, made)


def _add(run: Run, kind: EventType, fields: Fields, made: EventFields) -> None:
    if kind not in {EventType.TOOL_CALL, EventType.TOOL_RESULT}:
        made["native"] = fields.left
        run.add(kind, **made)
        return
    call_id = fields.text("call_id", "tool_call_id", "tool_use_id")
    tool = fields.text("tool", "tool_name", "name", "function")
    if kind is EventType.TOOL_CALL:
        value, _ = from_text(made["input"])
        made["input"] = made["input"] if isinstance(made["input"], str) and value == {} else value
        made["native"] = fields.left
        run.call(tool, call_id, **made)
        return
    if made["error"] is None and fields.flag("is_error"):
        made["error"] = "the result is flagged as an error"
    made["native"] = fields.left
    parent = made.get("parent")
    run.result(call_id, tool, **made)
    if parent is not None:
        run.events[-1]["parent_event_id"] = parent


def _time(fields: Fields) -> Stamp | None:
    for key in _WHEN:
        given = fields.any(key)
        found = stamp(given)
        if found is not None:
            return found
        if given is not None:
            fields.put(key, given)
    return None


def _trace_id(value: dict[str, Any]) -> str | None:
    found = value.get("trace_id")
    return found if isinstance(found, str) and found else None
