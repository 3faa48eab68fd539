"""
Traces of this program (trace.jsonl), as they are read: of any length, in memory that does not grow.

What an event becomes is said once, in `export.trajectory`: an import of a trace gives the events of
its export. Lines that are no event are told, and lose no other.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.errors import TraceInvalid
from quickstarted.events import RunStart, TraceEvent
from quickstarted.formats.export.attempt import NO_END, AttemptSummary
from quickstarted.formats.export.times import MAX_TS
from quickstarted.formats.export.trajectory import FRAMEWORK, TraceEvents
from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.run import Closed, Opened, Piece
from quickstarted.formats.trajectory.importing.times import Stamp, stamp
from quickstarted.formats.trajectory.importing.values import is_number
from quickstarted.formats.trajectory.model import AgentEvent
from quickstarted.trace.reader import event_of

_EMPTY = dict.fromkeys(AgentEvent.model_fields)


class TraceImporter:
    """A stream of events; each `run_start` begins a run."""

    name: ClassVar[str] = "trace"
    title: ClassVar[str] = "traces of quickstarted (trace.jsonl)"

    def detects(self, value: Any) -> Claim | None:
        """Its first line has task and agent; logs of others have events of the same names."""
        if not isinstance(value, dict) or value.get("type") != "run_start":
            return None
        is_named = isinstance(value.get("task"), str) and isinstance(value.get("agent"), str)
        if is_named and is_number(value.get("ts")):
            return Claim("it is a run_start with ts, task and agent", is_whole=False)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """Events as they come."""
        trace: _Trace | None = None
        for record in records:
            with context.guard(record):
                event = _event(record)
                if isinstance(event, RunStart):
                    if trace is not None:
                        yield from trace.end()
                    trace = _Trace(context, event)
                    yield Opened(trace.run)
                elif trace is None:
                    raise NotConvertible(
                        "stands before any run_start", "A trace begins with run_start."
                    )
                yield from trace.take(record, event)
        if trace is not None:
            yield from trace.end()


class _Trace:
    """One attempt."""

    def __init__(self, context: Context, start: RunStart) -> None:
        self._summary = AttemptSummary(start)
        self.run = context.run("trace", None, self._summary.trace_id)
        self.run.framework = FRAMEWORK
        self.run.task_id = start.task
        self.run.started_at = _at(start)
        self._events = TraceEvents(self.run.trace_id, start.agent)

    def take(self, record: Record, event: TraceEvent) -> Iterator[Piece]:
        self._summary.count(event)
        for made in self._events.of(event):
            made["metadata"]["source_index"] = record.index
            self.run.count += 1
            # An export leaves out what is null; here every event has every field.
            yield {**_EMPTY, **made, "artifacts": made.get("artifacts", [])}

    def end(self) -> Iterator[Piece]:
        if self._summary.end is None:
            self.run.note(NO_END)
        else:
            self.run.ended_at = _at(self._summary.end)
        self.run.metadata |= self._summary.summary()
        yield Closed(self.run)


def _event(record: Record) -> TraceEvent:
    value = record.value
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise NotConvertible("is no event of a trace: it has no type", "Take it out.")
    try:
        event = event_of(value, "event", is_plain=True)
    except TraceInvalid as exc:
        said = exc.message.removeprefix("event: ")
        raise NotConvertible(f"is no event of a trace: {said}", "docs/trace.md has them.") from exc
    if not 0 <= event.ts <= MAX_TS:
        raise NotConvertible(f"has the ts {event.ts:.10g}, no time from 1970 on", "In seconds.")
    return event


def _at(event: TraceEvent) -> Stamp | None:
    return stamp(event.ts)
