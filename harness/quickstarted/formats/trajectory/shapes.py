"""A trajectory's fields, held to the models, and to what the models leave open."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ValidationError

from quickstarted.formats.strict_json import quote
from quickstarted.formats.trajectory.model import AgentEvent, AgentTrajectory, Artifact
from quickstarted.formats.trajectory.rules import MAX_INTEGER, MAX_SAFE_INTEGER

Found = Iterator[tuple[str, str]]
"""Codes and messages."""

_RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(Z|[+-]\d\d:\d\d)?", re.ASCII | re.IGNORECASE
)
_WEB = re.compile(r"https?://", re.IGNORECASE)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_REQUIRED = {
    ("trace_id",): "trace-id-missing",
    ("events",): "events-missing",
}
_TIMES = ("started_at", "ended_at")
_IS_TIME = frozenset({"started_at", "ended_at", "timestamp"})


def shape_problems(value: dict[str, Any]) -> Found:
    """What is wrong with the fields of *value*, each by itself."""
    for (key,), code in _REQUIRED.items():
        if key not in value:
            yield code, f"has no {key}"
    yield from _by_models(value)
    yield from _unknown(value, AgentTrajectory, "")
    for key in _TIMES:
        yield from _time(value, key, key)
    yield from _order(value)
    events = value.get("events")
    for number, event in enumerate(events if isinstance(events, list) else ()):
        if isinstance(event, dict):
            yield from _event(event, f"events[{number}]")


def _by_models(value: dict[str, Any]) -> Found:
    text = json.dumps(value, ensure_ascii=False).encode("utf-8")
    try:
        AgentTrajectory.model_validate_json(text, strict=True)
    except ValidationError as exc:
        for error in exc.errors(include_url=False, include_context=False):
            where = _path(error["loc"])
            if error["loc"][-1] in _IS_TIME and isinstance(error["input"], str):
                continue
            yield _code(error["type"], error["loc"]), _message(where, error["type"], error["input"])


def _code(kind: str, where: tuple[int | str, ...]) -> str:
    if kind == "missing":
        return "event-trace-id-missing" if where[-1] == "trace_id" else "field-missing"
    if kind == "enum":
        return "unknown-choice"
    return "timestamp-invalid" if where[-1] in _IS_TIME else "wrong-type"


def _message(where: str, kind: str, given: Any) -> str:
    if kind == "missing":
        return f"{where} is missing"
    if kind == "enum":
        return f"{where} is {quote(given)}, which the schema does not list"
    return f"{where} is {quote(given)}, and must be {_KINDS.get(kind, 'of the schema')}"


_KINDS = {
    "string_type": "a string",
    "int_type": "an integer",
    "float_type": "a number",
    "dict_type": "an object",
    "model_type": "an object",
    "list_type": "a list",
    "datetime_type": "a time, such as 2026-11-02T09:00:00Z",
}


def _path(where: tuple[int | str, ...]) -> str:
    text = "".join(f"[{one}]" if isinstance(one, int) else f".{one}" for one in where)
    return text.removeprefix(".")


def _event(event: dict[str, Any], path: str) -> Found:
    yield from _unknown(event, AgentEvent, f"{path}.")
    yield from _time(event, "timestamp", f"{path}.timestamp")
    step, duration = event.get("step_index"), event.get("duration_ms")
    if type(step) is int and abs(step) > MAX_SAFE_INTEGER:
        code = "number-too-large" if abs(step) > MAX_INTEGER else "number-unsafe"
        yield code, f"{path}.step_index is {quote(step)}"
    if isinstance(duration, int | float) and duration < 0:
        yield "duration-negative", f"{path}.duration_ms is {quote(duration)}"
    artifacts = event.get("artifacts")
    for number, artifact in enumerate(artifacts if isinstance(artifacts, list) else ()):
        if isinstance(artifact, dict):
            where = f"{path}.artifacts[{number}]"
            yield from _unknown(artifact, Artifact, f"{where}.")
            uri = artifact.get("uri")
            if isinstance(uri, str) and _leads_out(uri):
                yield "artifact-outside", f"{where}.uri is {quote(uri)}"


def _leads_out(uri: str) -> bool:
    """Whether *uri* is neither a web address nor a path that stays in its folder."""
    if _WEB.match(uri):
        return False
    is_path = not _SCHEME.match(uri) and not uri.startswith(("/", "\\"))
    return not is_path or ".." in re.split(r"[/\\]", uri)


def _unknown(value: dict[str, Any], model: type[BaseModel], prefix: str) -> Found:
    for key in [key for key in value if key not in model.model_fields]:
        yield "unknown-field", f"{prefix}{_name(key)} is not in the schema"


def _name(key: str) -> str:
    return key if key.isidentifier() and key.isascii() else quote(key)


def _time(value: dict[str, Any], key: str, where: str) -> Found:
    text = value.get(key)
    if not isinstance(text, str):
        return
    match = _RFC_3339.fullmatch(text)
    if match is None or _parsed(text) is None:
        yield "timestamp-invalid", f"{where} is {quote(text)}, not like 2026-11-02T09:00:00Z"
    elif match[1] is None:
        yield "timestamp-no-offset", f"{where} is {quote(text)}, without Z or an offset"


def _parsed(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        return None


def _order(value: dict[str, Any]) -> Found:
    started, ended = (
        _parsed(value[key]) if isinstance(value.get(key), str) else None for key in _TIMES
    )
    if started is None or ended is None or (started.tzinfo is None) != (ended.tzinfo is None):
        return
    if ended < started:
        yield "ended-before-start", f"ended_at is {(started - ended).total_seconds():.10g} s early"
