"""
A trajectory in the making: events with ids, parents, times and what their source says beside them.

Events are plain objects with the fields of the format and no other, so that a run of any length can
be written as it is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypedDict, Unpack

from quickstarted.formats.trajectory.importing.calls import Call, Calls
from quickstarted.formats.trajectory.importing.names import Names
from quickstarted.formats.trajectory.importing.times import Stamp, milliseconds
from quickstarted.formats.trajectory.importing.values import is_number
from quickstarted.formats.trajectory.model import EventType
from quickstarted.formats.trajectory.rules import MAX_SAFE_INTEGER

_NOTHING: dict[str, Any] = {}
_SILENT: tuple[Any, ...] = (None, {}, [])
_COUNTED = object()
_SHORT = 99

Event = dict[str, Any]
"""One event as JSON, with all fields of the format; `timestamp` only where it is known."""


class EventFields(TypedDict, total=False):
    """
    What is known of an event beside its type.

    Attributes:
        native: What of the source's record has no place in the format.
        step: As the source counts; without it events are counted from 0.

    """

    agent: str | None
    at: Stamp | None
    event_id: str | None
    parent: str | None
    module: str | None
    step: Any
    input: Any
    output: Any
    error: str | None
    duration_ms: Any
    metadata: dict[str, Any]
    native: dict[str, Any]
    artifacts: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Opened:
    """A run begins; its events follow."""

    run: Run


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that events of a run name, as `uri`: a path beside the trajectory."""

    uri: str
    content: bytes


@dataclass(frozen=True, slots=True)
class Closed:
    """A run is complete."""

    run: Run


Piece = Opened | Event | Attachment | Closed


class Run:
    """
    One trajectory in the making.

    Attributes:
        index: Of the source's record that events come from, from 0.
        metadata: Of the trajectory.

    """

    def __init__(self, trace_id: str, source_format: str, note: Callable[[str], None]) -> None:
        self.trace_id = trace_id
        self._prefix = f"{trace_id}_evt_"
        self.task_id: str | None = None
        self.goal: str | None = None
        self.framework: str | None = None
        self.started_at: Stamp | None = None
        self.ended_at: Stamp | None = None
        self.metadata: dict[str, Any] = {"source_format": source_format}
        self.calls = Calls()
        self.note = note
        self.index: int | None = None
        self.count = 0
        self._events: list[Event] = []
        self._attachments: dict[str, bytes] = {}
        self._ids: Names | None = None

    # Names, not `**fields`: to look for each in a mapping takes half as long again.
    def event(  # noqa: PLR0913 (those of EventFields)
        self,
        kind: EventType,
        *,
        agent: str | None = None,
        at: Stamp | None = None,
        event_id: str | None = None,
        parent: str | None = None,
        module: str | None = None,
        step: Any = _COUNTED,
        input: Any = None,  # noqa: A002 (the format's name)
        output: Any = None,
        error: str | None = None,
        duration_ms: Any = None,
        metadata: dict[str, Any] | None = None,
        native: dict[str, Any] | None = None,
        artifacts: list[dict[str, Any]] | None = None,
    ) -> Event:
        """An event of this run, not kept here; for runs that are written as they are read."""
        told = {key: value for key, value in (metadata or _NOTHING).items() if value not in _SILENT}
        if self.index is not None:
            told["source_index"] = self.index
        if native:
            told["native"] = native
        made: Event = {
            "event_id": self._own_id(event_id, told),
            "trace_id": self.trace_id,
            "parent_event_id": parent,
            "agent_name": agent or "agent",
            "event_type": kind._value_,  # `value` is a property, and takes as long as five fields
            "module": module,
            "step_index": self.count if step is _COUNTED else _step(step, told),
        }
        if at is None:
            told["timestamp_source"] = "none"
        else:
            made["timestamp"] = at.text
            if at.source != "source":
                told["timestamp_source"] = at.source
            if at.as_given is not None:
                told["timestamp_as_given"] = at.as_given
        made["input"] = input
        made["output"] = output
        made["error"] = error
        made["duration_ms"] = None if duration_ms is None else _duration(duration_ms, told)
        made["metadata"] = told
        made["artifacts"] = artifacts or []
        self.count += 1
        return made

    def add(self, kind: EventType, **fields: Unpack[EventFields]) -> str:
        """Add an event, to be written when the run is complete; its id."""
        made = self.event(kind, **fields)
        self._events.append(made)
        event_id: str = made["event_id"]
        return event_id

    def call(self, tool: str | None, call_id: str | None, **fields: Unpack[EventFields]) -> str:
        """Add a call of a tool; its id."""
        made = self.call_event(tool, call_id, **fields)
        self._events.append(made)
        event_id: str = made["event_id"]
        return event_id

    def call_event(
        self, tool: str | None, call_id: str | None, **fields: Unpack[EventFields]
    ) -> Event:
        """A call of a tool, not kept here but for its result."""
        metadata = {"tool": tool, "call_id": call_id, **fields.get("metadata", {})}
        given: EventFields = {**fields, "metadata": metadata}
        made = self.event(EventType.TOOL_CALL, **given)
        self.calls.add(Call(made["event_id"], tool, call_id, fields.get("at")))
        return made

    def result(self, call_id: str | None, tool: str | None, **fields: Unpack[EventFields]) -> str:
        """Add the result of a call; its id."""
        made = self.result_event(call_id, tool, **fields)
        self._events.append(made)
        event_id: str = made["event_id"]
        return event_id

    def result_event(
        self, call_id: str | None, tool: str | None, **fields: Unpack[EventFields]
    ) -> Event:
        """The result of a call, whose child it is; how they were paired is said."""
        call, how = self.calls.answer(call_id, tool)
        metadata = {"call_id": call_id, **fields.get("metadata", {})}
        if how == "position":
            metadata["paired_by"] = "position"
            self.note("results without an id are paired with calls by position")
        elif how != "id":
            metadata["paired_by"] = how
            self.note(
                "results that belong to no call have no parent"
                if how == "nothing"
                else "calls are answered twice"
            )
        name = tool or (call.tool if call is not None else None)
        metadata = {"tool": name, **metadata}
        made: EventFields = {**fields, "metadata": metadata, "agent": name or "tool"}
        if call is not None:
            made["parent"] = call.event_id
            self._measure(made, metadata, call)
        return self.event(EventType.TOOL_RESULT, **made)

    def attach(self, content: bytes, suffix: str) -> str:
        """Keep a file that an event has in it; the path to name it by."""
        uri = f"artifacts/{hashlib.sha256(content).hexdigest()}{suffix}"
        self._attachments[uri] = content
        return uri

    def pieces(self) -> Iterator[Piece]:
        """All of the run: what was added, with parents that are there."""
        self.finish()
        known = {event["event_id"]: event for event in self._events}
        _mend_parents(self._events, known, self.note)
        yield Opened(self)
        for uri, content in self._attachments.items():
            yield Attachment(uri, content)
        yield from self._events
        yield Closed(self)

    def finish(self) -> None:
        """Note what the whole run shows."""
        unanswered = self.calls.unanswered
        if unanswered:
            self.metadata["calls_without_result"] = unanswered
            self.note("calls have no result; metadata.calls_without_result names them")
        if self.started_at is None:
            self.metadata["timestamp_source"] = "none"
        for key, at in (("started_at", self.started_at), ("ended_at", self.ended_at)):
            if at is not None and at.as_given is not None:
                self.metadata[f"{key}_as_given"] = at.as_given
            if at is not None and at.source != "source":
                self.metadata["timestamp_source"] = at.source

    @property
    def events(self) -> list[Event]:
        """Those that were added."""
        return self._events

    def _own_id(self, given: str | None, metadata: dict[str, Any]) -> str:
        own = self._numbered(self.count + 1)
        if self._ids is None:
            if not given:
                return own
            # Until a source gives the first, all ids are numbers, and need not be remembered.
            self._ids = Names()
            for number in range(self.count):
                self._ids.take(self._numbered(number + 1))
        event_id = self._ids.take(given or own)
        if given and event_id != given:
            metadata["event_id_as_given"] = given
            self.note("event ids that occur twice have a number after them")
        return event_id

    def _numbered(self, number: int) -> str:
        return f"{self._prefix}{number}" if number > _SHORT else f"{self._prefix}{number:03}"

    @staticmethod
    def _measure(made: EventFields, metadata: dict[str, Any], call: Call) -> None:
        if made.get("duration_ms") is not None:
            return
        at = made.get("at")
        duration = milliseconds(call.at, at)
        if duration and (at is None or at.source == "source"):
            made["duration_ms"] = duration
            metadata["duration_source"] = "timestamps"


def _step(given: Any, metadata: dict[str, Any]) -> int | None:
    if isinstance(given, float) and given.is_integer() and abs(given) <= MAX_SAFE_INTEGER:
        given = int(given)
    if given is None or (type(given) is int and -MAX_SAFE_INTEGER <= given <= MAX_SAFE_INTEGER):
        return given
    metadata["step_as_given"] = given
    return None


def _duration(given: Any, metadata: dict[str, Any]) -> float | None:
    if is_number(given) and given >= 0:
        duration: float = given
        return duration
    metadata["duration_as_given"] = given
    return None


def _mend_parents(
    events: list[Event], known: dict[str, Event], note: Callable[[str], None]
) -> None:
    """Take out parents that are no events, and those that close a circle; both stay in metadata."""
    for event in events:
        parent = event["parent_event_id"]
        if parent is not None and parent not in known:
            _orphan(event)
            note("parents that are not in the source are left out")
    done: set[str] = set()
    for event in events:
        way: set[str] = set()
        at: Event | None = event
        while at is not None and at["event_id"] not in done:
            way.add(at["event_id"])
            parent = at["parent_event_id"]
            if parent in way:
                _orphan(at)
                note("events are their own ancestors; the circle is cut")
                break
            at = None if parent is None else known[parent]
        done |= way


def _orphan(event: Event) -> None:
    event["metadata"]["parent_as_given"] = event["parent_event_id"]
    event["parent_event_id"] = None
