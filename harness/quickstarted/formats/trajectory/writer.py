"""Trajectories as JSON; what is written passes the strict checker first."""

from __future__ import annotations

import json
from typing import Any

from quickstarted.errors import QuickstartedError
from quickstarted.formats.trajectory.checker import check_value
from quickstarted.formats.trajectory.model import AgentTrajectory
from quickstarted.formats.trajectory.rules import RULES

_ERRORS = frozenset(rule.code for rule in RULES if rule.severity == "error")


class TrajectoryRefused(QuickstartedError):
    """A trajectory of this program's own making is not valid."""


def encode(trajectory: AgentTrajectory, *, indent: int | None = None) -> bytes:
    """
    *trajectory* as one JSON text in UTF-8: without *indent* on one line, ready for JSON Lines.

    All fields are there, defaults too, so that no reader makes up an id. A time that its source did
    not have (`metadata.timestamp_source` is `none`) is left out, as nobody knows it.

    Raises:
        TrajectoryRefused: It breaks a rule; the first is named.

    """
    try:
        value = trajectory.model_dump(mode="json")
        _leave_out_unknown_times(value)
        text = json.dumps(
            value,
            allow_nan=False,
            ensure_ascii=False,
            indent=indent,
            separators=None if indent else (",", ":"),
        )
        encoded = text.encode("utf-8") + b"\n"
    except ValueError as exc:
        raise TrajectoryRefused(f"the trajectory is not for JSON: {exc}") from exc
    wrong: list[str] = []
    check_value(value, lambda code, message: wrong.append(message) if code in _ERRORS else None)
    if wrong:
        raise TrajectoryRefused(f"the trajectory is not valid: {wrong[0]}")
    return encoded


def _leave_out_unknown_times(value: dict[str, Any]) -> None:
    if value["metadata"].get("timestamp_source") == "none":
        del value["started_at"]
    for event in value["events"]:
        if event["metadata"].get("timestamp_source") == "none":
            del event["timestamp"]
