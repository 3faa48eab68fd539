"""AgentTrajectory itself, also where it is a little wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds.event_list import is_event
from quickstarted.formats.trajectory.importing.run import Piece, Run
from quickstarted.formats.trajectory.importing.times import Stamp
from quickstarted.formats.trajectory.lenient import NotMendable, mend
from quickstarted.formats.trajectory.model import AgentEvent, AgentTrajectory

_OTHERS = (("type", "event_type"), ("id", "event_id"), ("parent_id", "parent_event_id"))


class NativeImporter:
    """It has `trace_id` and `events`, and validates once it is mended."""

    name: ClassVar[str] = "native"
    title: ClassVar[str] = "AgentTrajectory"

    def detects(self, value: Any) -> Claim | None:
        """It has `trace_id` and `events`, and validates; else it may be an event list of others."""
        if not isinstance(value, dict) or "trace_id" not in value or "events" not in value:
            return None
        try:
            mend(value, lambda _: None)
        except NotMendable:
            return None
        events = value["events"]
        if events and any(map(_is_foreign, events)) and all(map(is_event, events)):
            return None
        return Claim("it has trace_id and events, and validates")

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """One run for each record."""
        for record in records:
            with context.guard(record):
                yield from self._run(record, context).pieces()

    def _run(self, record: Record, context: Context) -> Run:
        notes: list[str] = []
        try:
            made = mend(record.value, notes.append)
        except NotMendable as exc:
            raise NotConvertible(str(exc), "Mend that field.") from exc
        run = context.run(self.name, record, made.trace_id)
        run.index = None
        for words in notes:
            run.note(words)
        as_given = run.metadata.get("trace_id_as_given")
        run.metadata = {} if as_given is None else {"trace_id_as_given": as_given}
        add_native(run, made, record.value)
        return run


def add_native(run: Run, made: AgentTrajectory, given: dict[str, Any]) -> None:
    """Add all of *made*, which was read from *given*."""
    run.task_id, run.goal, run.framework = made.task_id, made.goal, made.framework
    run.started_at = _stamp(made, "started_at")
    run.ended_at = None if made.ended_at is None else Stamp(made.ended_at)
    run.metadata = {**made.metadata, **run.metadata}
    for event, source in zip(made.events, given["events"], strict=True):
        _add(run, event, source)


def _add(run: Run, event: AgentEvent, given: dict[str, Any]) -> None:
    metadata = dict(event.metadata)
    run.add(
        event.event_type,
        agent=event.agent_name,
        at=_stamp(event, "timestamp"),
        event_id=event.event_id if "event_id" in given else None,
        parent=event.parent_event_id,
        module=event.module,
        step=event.step_index,
        input=event.input,
        output=event.output,
        error=event.error,
        artifacts=[one.model_dump(mode="json") for one in event.artifacts],
    )
    made = run.events[-1]
    made["duration_ms"] = event.duration_ms
    made["metadata"] = metadata | made["metadata"]


def _is_foreign(event: dict[str, Any]) -> bool:
    """Whether *event* spells a field as others do, and would lose it here."""
    return any(theirs in event and ours not in event for theirs, ours in _OTHERS)


def _stamp(value: AgentEvent | AgentTrajectory, key: str) -> Stamp | None:
    return Stamp(getattr(value, key)) if key in value.model_fields_set else None
