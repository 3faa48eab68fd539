"""How a trajectory's events belong together: one trace, ids of their own, parents, no circles."""

from __future__ import annotations

from typing import Any

from quickstarted.formats.strict_json import quote
from quickstarted.formats.trajectory.shapes import Found


def tree_problems(trace_id: Any, events: list[Any]) -> Found:
    """What is wrong between *events*; without recursion, whatever the tree."""
    first: dict[str, int] = {}
    parents: dict[str, str] = {}
    for number, event in enumerate(events):
        if not isinstance(event, dict):
            continue
        path = f"events[{number}]"
        own = event.get("trace_id")
        if isinstance(own, str) and isinstance(trace_id, str) and own != trace_id:
            yield (
                "event-trace-id-differs",
                f"{path}.trace_id is {quote(own)}, and must be the trajectory's, {quote(trace_id)}",
            )
        event_id, parent = event.get("event_id"), event.get("parent_event_id")
        if not isinstance(event_id, str):
            continue
        if event_id in first:
            yield (
                "event-id-duplicate",
                f"{path}.event_id is {quote(event_id)}, that of events[{first[event_id]}] too",
            )
            continue
        first[event_id] = number
        if isinstance(parent, str):
            parents[event_id] = parent
    yield from _unknown_parents(events, first)
    yield from _circles(parents, first)


def _unknown_parents(events: list[Any], first: dict[str, int]) -> Found:
    for number, event in enumerate(events):
        parent = event.get("parent_event_id") if isinstance(event, dict) else None
        if isinstance(parent, str) and parent not in first:
            yield (
                "parent-unknown",
                f"events[{number}].parent_event_id is {quote(parent)}, no event of this trajectory",
            )


def _circles(parents: dict[str, str], first: dict[str, int]) -> Found:
    """One problem for each circle, at the event where it is entered first."""
    done: set[str] = set()
    for start in parents:
        way: set[str] = set()
        at = start
        while at in parents and at not in done and at not in way:
            way.add(at)
            at = parents[at]
        if at in way:
            yield "parent-cycle", f"events[{first[at]}] ({quote(at)}) is its own ancestor"
        done |= way
