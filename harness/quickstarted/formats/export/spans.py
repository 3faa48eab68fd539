"""
Spans of OTLP/JSON: ids in hexadecimal, integers of 64 bits in strings, enumerations in numbers.

That is what the protocol's own text says. protobuf's JSON is another one, with ids in base64.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from quickstarted.formats.export.json_text import in_string
from quickstarted.formats.export.semconv import ERROR_TYPE
from quickstarted.formats.export.times import nanoseconds

INTERNAL, CLIENT = 1, 3
ERROR = 2
_INT_64 = 2**63
_MASK_64 = 2**64 - 1
_ODD = 0x9E3779B97F4A7C15

Attributes = Mapping[str, Any]


class Ids:
    """
    Ids of the spans of one trace: the same each time, none of them twice, none of them zero.

    Numbers from 1 on, multiplied by an odd number modulo 2**64, which gives each another one, and
    moved by a part of the trace's id.
    """

    def __init__(self, trace_id: str) -> None:
        self.trace_id = trace_id
        self._moved_by = int(trace_id[:16], 16)
        self._number = 0

    def next(self) -> str:
        """Sixteen hexadecimal digits."""
        self._number += 1
        made = (self._number * _ODD) & _MASK_64 ^ self._moved_by
        return f"{made:016x}" if made else self.next()


Failure = tuple[str, str] | None
"""`error.type` and a message; None where there was none."""


class Work(NamedTuple):
    """
    What a span is of.

    Attributes:
        times: Start and end, in epoch seconds; an end before the start is the start.
        attributes: None says nothing, and is left out.

    """

    name: str
    kind: int
    times: tuple[float, float]
    attributes: dict[str, Any]
    failure: Failure = None


def span(ids: tuple[str, str, str | None], work: Work) -> dict[str, Any]:
    """One span; *ids* are those of the trace, of the span and of the one above it."""
    trace_id, span_id, parent_id = ids
    start, end = work.times
    made: dict[str, Any] = {
        "traceId": trace_id,
        "spanId": span_id,
        "name": work.name,
        "kind": work.kind,
        "startTimeUnixNano": str(nanoseconds(start)),
        "endTimeUnixNano": str(nanoseconds(max(start, end))),
    }
    if parent_id is not None:
        made["parentSpanId"] = parent_id
    if work.failure is not None:
        kind, message = work.failure
        work.attributes[ERROR_TYPE] = kind
        made["status"] = {"code": ERROR, "message": message}
    made["attributes"] = attribute_list(work.attributes)
    return made


def occurrence(name: str, ts: float, attributes: Attributes) -> dict[str, Any]:
    """Something that happened at a moment, for a span's `events`."""
    return {
        "timeUnixNano": str(nanoseconds(ts)),
        "name": name,
        "attributes": attribute_list(attributes),
    }


def attribute_list(attributes: Attributes) -> list[dict[str, Any]]:
    """*attributes* as OTLP has them."""
    made = []
    for key, value in attributes.items():
        kind = type(value)
        if kind is str:
            made.append({"key": key, "value": {"stringValue": value}})
        elif kind is int and -_INT_64 <= value < _INT_64:
            made.append({"key": key, "value": {"intValue": str(value)}})
        elif value is not None:
            made.append({"key": key, "value": _value(value)})
    return made


def _value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool):
        return {"boolValue": value}
    if isinstance(value, float):
        return {"doubleValue": value}
    if isinstance(value, str):
        return {"stringValue": str(value)}
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return {"arrayValue": {"values": [{"stringValue": one} for one in value]}}
    return _text(value)


def _text(value: Any) -> dict[str, Any]:
    return {"stringValue": in_string(value)}
