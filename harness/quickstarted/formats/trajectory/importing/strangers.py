"""What is no run of an agent, or cannot be read as one, and is known all the same."""

from __future__ import annotations

from typing import Any

from quickstarted.formats.strict_json import quote_all
from quickstarted.formats.trajectory.lenient import NotMendable, mend

HINT = "docs/trajectory.md has the kinds that are known; --format takes one of them by force."


def stranger(value: dict[str, Any] | list[Any]) -> tuple[str, str]:
    """What *value* is, as a sentence without its subject, and what to do."""
    if isinstance(value, list):
        return (
            "is a list, and no run that is known here",
            "Put what is in it on lines of their own.",
        )
    if "trace_id" in value or "events" in value:
        return _broken(value)
    for has, says, hint in _KNOWN:
        if all(key in value for key in has):
            return says, hint
    if not value:
        return "is an empty object", HINT
    return f"is of no kind that is known here; it has {quote_all(value)}", HINT


def _broken(value: dict[str, Any]) -> tuple[str, str]:
    try:
        mend(value, lambda _: None)
    except NotMendable as exc:
        return f"looks like AgentTrajectory, and is none: {exc}", "Mend that field."
    return "is no run", HINT


_KNOWN = (
    (
        ("mapping", "title"),
        "is a conversation of a ChatGPT account's export, a tree and no run",
        "Export its messages as a list first.",
    ),
    (
        ("critical_failure_step", "trajectory_id"),
        "has AgentErrorBench's labels without full_trajectory",
        "Import the row that has full_trajectory in it, or the trajectory's own file.",
    ),
    (
        ("log",),
        "looks like a HAR: requests of a browser, and no run of an agent",
        "Import the log of the agent instead.",
    ),
)
