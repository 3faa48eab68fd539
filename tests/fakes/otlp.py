"""OTLP/JSON, read by the protocol's own messages."""

from __future__ import annotations

import base64
import json
from typing import Any

from google.protobuf import json_format
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

_IDS = frozenset({"traceId", "spanId", "parentSpanId"})


def parsed(content: bytes) -> list[Span]:
    """
    The spans of one request.

    protobuf's JSON has bytes in base64, and OTLP/JSON has ids in hexadecimal: they are respelled
    first, and nothing else is.
    """
    request = ExportTraceServiceRequest()
    json_format.ParseDict(_respelled(json.loads(content)), request)
    return [
        span
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]


def attributes(span: Span) -> dict[str, Any]:
    """Attributes by name, as plain values."""
    return {one.key: _plain(one.value) for one in span.attributes}


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    found = getattr(value, kind)
    return [_plain(one) for one in found.values] if kind == "array_value" else found


def _respelled(value: Any) -> Any:
    if isinstance(value, list):
        return [_respelled(one) for one in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(item)).decode() if key in _IDS else _respelled(item)
        for key, item in value.items()
    }
