"""
Trajectories that others wrote a little wrong, mended, with a note for everything that was done.

Where nothing can be mended without making something up, it is refused. Times come from the source
or are marked as absent (`metadata.timestamp_source`); what has no field goes to `metadata.native`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import ValidationError

from quickstarted.formats.strict_json import quote, quote_all
from quickstarted.formats.trajectory.model import AgentEvent, AgentTrajectory, Artifact, Modality

_TRAJECTORY_FIELDS = frozenset(AgentTrajectory.model_fields)
_EVENT_FIELDS = frozenset(AgentEvent.model_fields)
_ARTIFACT_FIELDS = frozenset(Artifact.model_fields)
_MODALITIES = frozenset(one.value for one in Modality)
_LONG_FRACTION = re.compile(r"[.,]\d{7}", re.ASCII)

Note = Callable[[str], None]
"""Takes a sentence on what was done, or was not as it should be."""

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNITS = ((1e8, 1e11, 1e6), (1e11, 1e14, 1e3), (1e14, 1e17, 1.0), (1e17, 1e20, 1e-3))
"""From, below, microseconds: times of our century in s, ms, us and ns do not overlap."""


class NotMendable(ValueError):
    """A value is no trajectory, or one that contradicts itself."""


def mend(value: Any, note: Note) -> AgentTrajectory:
    """
    The trajectory that *value*, parsed JSON with `trace_id` and `events`, means.

    Raises:
        NotMendable: It means none.

    """
    if not isinstance(value, dict) or not isinstance(value.get("events"), list):
        raise NotMendable("is no object with a list of events")
    trace_id = value.get("trace_id")
    if not isinstance(trace_id, str) or not trace_id:
        raise NotMendable(f"trace_id is {quote(trace_id)}, and must be a string")
    made = _with_native(value, _TRAJECTORY_FIELDS, "", note)
    for key in ("started_at", "ended_at"):
        _mend_time(made, key, key, note)
    if "started_at" not in made:
        _put(made, timestamp_source="none")
    made["events"] = [
        _event(event, trace_id, f"events[{number}]", note)
        for number, event in enumerate(value["events"])
    ]
    try:
        return AgentTrajectory.model_validate(made)
    except ValidationError as exc:
        first = exc.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise NotMendable(f"{where}: {first['msg']}") from exc


def _event(event: Any, trace_id: str, path: str, note: Note) -> dict[str, Any]:
    if not isinstance(event, dict):
        raise NotMendable(f"{path} is {quote(event)}, and must be an object")
    made = _with_native(event, _EVENT_FIELDS, f"{path}.", note)
    if made.setdefault("trace_id", trace_id) != trace_id:
        raise NotMendable(f"{path}.trace_id is {quote(made['trace_id'])}, not {quote(trace_id)}")
    if "trace_id" not in event:
        note(f"{path} had no trace_id; it has the trajectory's")
    _mend_time(made, "timestamp", f"{path}.timestamp", note)
    if "timestamp" not in made:
        _put(made, timestamp_source="none")
    for key in ("step_index", "duration_ms"):
        if isinstance(made.get(key), str | bool):
            _put(made, **{f"{key}_as_given": made[key]})
            note(f"{path}.{key} was {quote(made[key])}, and is read as a number")
    if isinstance(made.get("artifacts"), list):
        made["artifacts"] = [
            _artifact(one, f"{path}.artifacts[{number}]", note)
            for number, one in enumerate(made["artifacts"])
        ]
    error = made.get("error")
    if error is not None and not isinstance(error, str):
        message = error.get("message") if isinstance(error, dict) else None
        made["error"] = message if isinstance(message, str) else json.dumps(error)
        _put(made, error=error)
        note(f"{path}.error was no string; the whole is in metadata.error")
    return made


def _with_native(
    value: dict[str, Any], fields: frozenset[str], prefix: str, note: Note
) -> dict[str, Any]:
    """A copy of *value* in which what is not among *fields* is kept in its metadata."""
    if value.keys() <= fields:
        return dict(value)
    native = {key: item for key, item in value.items() if key not in fields}
    made = {key: item for key, item in value.items() if key in fields}
    _put(made, native=native)
    note(f"{prefix}metadata.native has {quote_all(native)}, not in the schema")
    return made


def _artifact(given: Any, path: str, note: Note) -> Any:
    if not isinstance(given, dict):
        return given
    made = _with_native(given, _ARTIFACT_FIELDS, f"{path}.", note)
    modality = made.get("modality")
    if isinstance(modality, str) and modality not in _MODALITIES:
        _put(made, modality_as_given=modality)
        note(f"{path}.modality was {quote(modality)}, which is none, and is read as other")
        made["modality"] = Modality.OTHER.value
    return made


def _put(made: dict[str, Any], **told: Any) -> None:
    """Add to the metadata; what stands there under the same name stays, under another."""
    metadata = dict(_metadata(made))
    for name, value in told.items():
        if name in metadata and metadata[name] != value:
            kept, number = f"{name}_as_given", 1
            while kept in metadata:
                number += 1
                kept = f"{name}_as_given#{number}"
            metadata[kept] = metadata[name]
        metadata[name] = value
    made["metadata"] = metadata


def _metadata(made: dict[str, Any]) -> dict[str, Any]:
    metadata = made.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise NotMendable(f"metadata is {quote(metadata)}, and must be an object")
    return metadata or {}


def _mend_time(made: dict[str, Any], key: str, path: str, note: Note) -> None:
    given = made.get(key)
    if given is None:
        made.pop(key, None)
        return
    time = _time(given)
    if time is None:
        raise NotMendable(f"{path} is {quote(given)}, and is no time")
    is_naive = time.tzinfo is None
    if is_naive or not isinstance(given, str):
        note(f"{path} was {quote(given)}, and is read as {'UTC' if is_naive else 'a count'}")
        _put(made, **{f"{key}_as_given": given})
    elif _LONG_FRACTION.search(given):
        note(f"{path} was {quote(given)}, of which a time holds microseconds")
        _put(made, **{f"{key}_as_given": given})
    made[key] = time.replace(tzinfo=UTC) if is_naive else time


def _time(given: Any) -> datetime | None:
    if isinstance(given, str):
        try:
            return datetime.fromisoformat(given.upper())
        except ValueError:
            return None
    if isinstance(given, int | float) and not isinstance(given, bool):
        for least, below, microseconds in _UNITS:
            if least <= given < below:
                return EPOCH + timedelta(microseconds=given * microseconds)
    return None
