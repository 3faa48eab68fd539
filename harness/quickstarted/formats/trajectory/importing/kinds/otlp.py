"""
OTLP/JSON spans with the GenAI conventions of OpenTelemetry, or those of OpenInference.

Ids are hex, whole numbers may be strings, and times are nanoseconds in strings. The collector's
file exporter writes one request a line; a trace can be on many.
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
from quickstarted.formats.trajectory.importing.kinds.otlp_attributes import attributes, value_of
from quickstarted.formats.trajectory.importing.kinds.otlp_spans import add_span
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.times import Stamp, milliseconds, stamp
from quickstarted.formats.trajectory.importing.values import Fields, is_objects
from quickstarted.formats.trajectory.model import EventType

_FAILED = (2, "STATUS_CODE_ERROR")


class OtlpImporter:
    """`resourceSpans`, in one object or in a stream."""

    name: ClassVar[str] = "otlp"
    title: ClassVar[str] = "OTLP/JSON with GenAI or OpenInference attributes"

    def detects(self, value: Any) -> Claim | None:
        """`resourceSpans` is a list of objects."""
        if isinstance(value, dict) and is_objects(value.get("resourceSpans")):
            return Claim("it has resourceSpans", is_whole=False)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """A run for each trace, in the order in which they begin."""
        traces: dict[str, _Trace] = {}
        for record in context.hold(records):
            with context.guard(record):
                for span, about in _spans(record.value):
                    name = span.get("traceId")
                    name = name if isinstance(name, str) else ""
                    traces.setdefault(name, _Trace()).add(record, span, about)
        for name, trace in traces.items():
            yield from trace.run(context, name).pieces()


class _Trace:
    """The spans of one trace."""

    def __init__(self) -> None:
        self._spans: list[tuple[Record, dict[str, Any]]] = []
        self._resource: dict[str, Any] = {}

    def add(self, record: Record, span: dict[str, Any], about: dict[str, Any]) -> None:
        self._spans.append((record, span))
        for key, value in about.items():
            self._resource.setdefault(key, value)

    def run(self, context: Context, name: str) -> Run:
        run = context.run("otlp", self._spans[0][0], name or None)
        service = self._resource.get("service.name")
        run.framework = service if isinstance(service, str) else None
        run.metadata |= {"resource": self._resource} if self._resource else {}
        timed = [
            (_nanos(span.get("startTimeUnixNano")), order, record, span)
            for order, (record, span) in enumerate(self._spans)
        ]
        if all(start is not None for start, *_ in timed):
            timed.sort(key=lambda one: (one[0] or 0, one[1]))
        run.started_at = stamp(timed[0][0])
        ends = [end for _, span in self._spans if (end := _nanos(span.get("endTimeUnixNano")))]
        run.ended_at = stamp(max(ends)) if ends else None
        for start, _, record, span in timed:
            run.index = record.index
            _add(run, span, stamp(start))
        return run


def _add(run: Run, span: dict[str, Any], start: Stamp | None) -> None:
    fields = Fields(span)
    fields.drop("traceId", "startTimeUnixNano")
    end_nanos = fields.any("endTimeUnixNano")
    end = stamp(_nanos(end_nanos))
    status = fields.part("status")
    code, message = status.any("code"), status.text("message")
    values = attributes(fields.list("attributes"))
    error_type = values.get("error.type")
    words = None
    if code in _FAILED or error_type is not None:
        words = message or (str(error_type) if error_type is not None else "status is ERROR")
    elif message:
        status.put("message", message)
    span_id = fields.text("spanId")
    made: EventFields = {
        "at": start,
        "event_id": span_id,
        "parent": fields.text("parentSpanId") or None,
        "duration_ms": milliseconds(start, end),
        "error": words,
        "metadata": {
            "span_name": fields.text("name"),
            "status_code": code,
            "error_type": error_type,
            "unfinished": True if end is None else None,
        },
    }
    happened = fields.list("events") or []
    made["native"] = fields.left
    last = add_span(run, values, made, end)
    for event in happened:
        _add_event(run, event, last)


def _add_event(run: Run, value: Any, parent: str) -> None:
    """An event of a span: an exception, or what else happened in it."""
    fields = Fields(value)
    values = attributes(fields.list("attributes"))
    at = stamp(_nanos(fields.any("timeUnixNano")))
    name = fields.text("name")
    made: EventFields = {"at": at, "parent": parent, "module": name, "output": values or None}
    if name == "exception":
        said = values.get("exception.message") or values.get("exception.type")
        made["error"] = said if isinstance(said, str) else "exception"
    made["native"] = fields.left
    run.add(EventType.ERROR if name == "exception" else EventType.OBSERVATION, **made)


def _spans(value: Any) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each span with the attributes of its resource, and the scope that made it."""
    resources = value.get("resourceSpans") if isinstance(value, dict) else None
    if not isinstance(resources, list):
        raise NotConvertible("has no resourceSpans", "Export traces as OTLP/JSON.")
    for one in resources:
        holder = Fields(one)
        about = attributes(holder.part("resource").list("attributes"))
        for scope_spans in holder.list("scopeSpans", "instrumentationLibrarySpans") or []:
            inner = Fields(scope_spans)
            scope = inner.object("scope", "instrumentationLibrary") or {}
            for span in inner.list("spans") or []:
                if not isinstance(span, dict):
                    raise NotConvertible("has a span that is no object", "Take it out.")
                yield span, {**about, **{f"scope.{key}": item for key, item in scope.items()}}


def _nanos(given: Any) -> int | None:
    found = value_of({"intValue": given})
    return found if type(found) is int and 0 < found < 10**20 else None
