"""
Spans of the OpenAI Agents SDK: a batch as it is sent to be ingested, a list, or one a line.

Spans are written when they end, children before parents; events are in the order of their start.
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
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import error_text
from quickstarted.formats.trajectory.importing.times import Stamp, milliseconds, stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, from_text, is_objects
from quickstarted.formats.trajectory.model import EventType

_OBJECTS = ("trace", "trace.span")


class OpenAIAgentsImporter:
    """`object` is `trace` or `trace.span`; flat dumps of spans are taken too."""

    name: ClassVar[str] = "openai-agents"
    title: ClassVar[str] = "OpenAI Agents SDK spans"

    def detects(self, value: Any) -> Claim | None:
        """The SDK says `object`; a `name` or a `trace_id` is not enough."""
        if _is_part(value):
            return Claim(f"object is {value.get('object', 'a span')}", is_whole=False)
        if isinstance(value, dict):
            for key in ("data", "spans"):
                parts = value.get(key)
                if is_objects(parts) and all(_is_part(one) or _is_flat(one) for one in parts):
                    return Claim(f"it has {key}, all of it traces and spans")
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """A run for each trace; those of whole batches and those of a stream alike."""
        traces: dict[str, _Trace] = {}
        for record in context.hold(records):
            with context.guard(record):
                for part in _parts(record):
                    name = str(part.get("trace_id") or part.get("id") or "")
                    if part.get("object") != "trace":
                        name = str(part.get("trace_id") or "")
                    traces.setdefault(name, _Trace()).take(record, part)
        for name, trace in traces.items():
            yield from trace.run(context, name).pieces()


class _Trace:
    """What belongs to one trace."""

    def __init__(self) -> None:
        self._about: dict[str, Any] = {}
        self._spans: list[tuple[Record, dict[str, Any]]] = []
        self._agents: dict[str, str] = {}
        self._parents: dict[str, str] = {}

    def take(self, record: Record, part: dict[str, Any]) -> None:
        if part.get("object") == "trace":
            self._about = part
        else:
            self._spans.append((record, part))

    def run(self, context: Context, name: str) -> Run:
        about = Fields(self._about)
        about.drop("object", "id")
        run = context.run("openai-agents", self._spans[0][0] if self._spans else None, name or None)
        run.framework = "openai-agents"
        run.metadata |= about.left
        for _, span in self._spans:
            self._know(span)
        timed = [
            (_start(span), order, record, span) for order, (record, span) in enumerate(self._spans)
        ]
        known = [one[0].time for one in timed if one[0] is not None]
        if len(known) == len(timed):
            timed.sort(key=lambda one: (one[0].time if one[0] else known[0], one[1]))
            run.started_at = timed[0][0] if timed else None
            ends = [end for _, span in self._spans if (end := stamp(span.get("ended_at")))]
            run.ended_at = max(ends, key=lambda one: one.time) if ends else None
        ends_of_runs: list[tuple[str, EventFields]] = []
        for at, _, record, span in timed:
            run.index = record.index
            self._span(run, span, at, ends_of_runs)
        for parent, made in ends_of_runs:
            made["parent"] = parent
            run.add(EventType.RUN_END, **made)
        return run

    def _know(self, span: dict[str, Any]) -> None:
        own, parent = _id(span), span.get("parent_id")
        data = span.get("span_data")
        if own and isinstance(parent, str):
            self._parents[own] = parent
        if own and isinstance(data, dict) and data.get("type") == "agent":
            self._agents[own] = str(data.get("name") or "agent")

    def _agent_of(self, span: dict[str, Any]) -> str:
        """The nearest agent above."""
        at, way = _id(span), set[str]()
        while at and at not in self._agents and at not in way:
            way.add(at)
            at = self._parents.get(at, "")
        found = self._agents.get(at, "")
        # Those on the way have the same agent, and are not gone through again.
        self._agents.update(dict.fromkeys(way, found))
        return found or str(span.get("agent") or "agent")

    def _span(
        self, run: Run, span: dict[str, Any], at: Stamp | None, ends: list[tuple[str, EventFields]]
    ) -> None:
        agent = self._agent_of(span)
        fields = Fields(span)
        fields.drop("object", "trace_id", "started_at", "agent")
        end = stamp(fields.any("ended_at"))
        error = fields.any("error")
        data = fields.part("span_data") if "span_data" in fields else fields
        kind = data.text("type") or "custom"
        made: EventFields = {
            "at": at,
            "agent": agent,
            "event_id": fields.text("id", "span_id"),
            "parent": fields.text("parent_id"),
            "error": error_text(error),
            "duration_ms": milliseconds(at, end) if end else fields.number("duration_ms"),
            "metadata": {
                "span_type": kind,
                "unfinished": True if end is None and at is not None else None,
                "error": error if isinstance(error, dict) else None,
            },
        }
        if kind in {"function", "tool"}:
            self._function(run, data, fields, made, end)
            return
        event_type = _fill(kind, data, made)
        if event_type is EventType.RUN_START:
            usage = made["metadata"].pop("usage", None)
            made["native"] = fields.left
            duration, made["duration_ms"] = made["duration_ms"], None
            parent = run.add(event_type, **made)
            closing: EventFields = {"at": end, "agent": agent, "duration_ms": duration}
            closing["metadata"] = {"span_type": kind, "usage": usage}
            ends.append((parent, closing))
            return
        made["native"] = fields.left
        run.add(event_type, **made)

    def _function(
        self, run: Run, data: Fields, fields: Fields, made: EventFields, end: Stamp | None
    ) -> None:
        """A call and its result, in one span."""
        tool, span_id = data.text("name"), made["event_id"]
        value, is_valid = from_text(data.any("input"))
        output, duration, error = data.any("output"), made["duration_ms"], made["error"]
        details = made["metadata"].pop("error", None)
        made |= {"input": value, "duration_ms": None, "error": None, "native": fields.left}
        made["metadata"] |= {"arguments_invalid": None if is_valid else True}
        run.call(tool, span_id, **made)
        run.result(
            span_id,
            tool,
            at=end,
            event_id=f"{span_id}:result" if span_id else None,
            output=output,
            error=error,
            duration_ms=duration,
            metadata={"error": details},
        )


def _fill(kind: str, data: Fields, made: EventFields) -> EventType:
    """Put what a span of *kind* says into *made*; the type of its event."""
    metadata = made["metadata"]
    match kind:
        case "generation" | "response" | "transcription" | "speech":
            made["input"], output = data.any("input"), data.any("output")
            if isinstance(output, dict) and output.get("data") and kind == "speech":
                metadata["audio"] = output
            made["output"] = output
            metadata |= {"model": data.text("model"), "response_id": data.text("response_id")}
            metadata |= usage_metadata(data.any("usage"))
            return EventType.LLM_RESPONSE
        case "handoff":
            made["input"] = {"from": data.text("from_agent")}
            made["output"] = {"to": data.text("to_agent")}
            return EventType.HANDOFF
        case "guardrail":
            metadata["name"] = data.text("name")
            triggered = data.flag("triggered")
            made["output"] = {"triggered": triggered}
            if triggered and made["error"] is None:
                made["error"] = "the guardrail was triggered"
            return EventType.GUARDRAIL
        case "mcp_tools":
            made["input"], made["output"] = {"server": data.text("server")}, data.any("result")
            return EventType.OBSERVATION
        case "agent":
            made["module"] = "agent"
            data.text("name")
            return EventType.AGENT_STEP
    inner = data.part("data")
    task = inner.text("sdk_span_type")
    metadata |= {"name": data.text("name"), "sdk_span_type": task, "turn": inner.number("turn")}
    metadata |= usage_metadata(inner.object("usage"))
    return EventType.RUN_START if task == "task" else EventType.AGENT_STEP


def _parts(record: Record) -> Iterator[dict[str, Any]]:
    value = record.value
    if isinstance(value, dict) and not _is_part(value):
        value = value.get("data", value.get("spans"))
    parts = value if isinstance(value, list) else [value]
    for part in parts:
        if not isinstance(part, dict) or not (_is_part(part) or _is_flat(part)):
            raise NotConvertible("has something that is no trace or span", "Take it out.")
        yield part


def _is_part(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("object") in _OBJECTS:
        return True
    return isinstance(value.get("span_data"), dict) and "trace_id" in value


def _is_flat(value: dict[str, Any]) -> bool:
    return isinstance(value.get("span_id"), str) and isinstance(value.get("type"), str)


def _id(span: dict[str, Any]) -> str:
    return str(span.get("id") or span.get("span_id") or "")


def _start(span: dict[str, Any]) -> Stamp | None:
    return stamp(span.get("started_at"))
