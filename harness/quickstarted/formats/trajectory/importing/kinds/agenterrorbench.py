"""
Rows of AgentErrorBench: a run in a string, and labels of the step that made it fail.

Step n is the n-th message of the assistant. Labels go to the metadata, and never become errors.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds.messages import add_message, is_message
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import Talk
from quickstarted.formats.trajectory.importing.values import Fields, from_text, is_objects
from quickstarted.formats.trajectory.model import EventType

_TAG = re.compile(
    r"<(?P<tag>memory|memory_recall|memory_analysis|reflection|plan|think|action|tool_call|answer)>"
    r"(?P<text>.*?)</(?P=tag)>",
    re.DOTALL,
)
_KINDS = {
    "memory": EventType.MEMORY_READ,
    "memory_recall": EventType.MEMORY_READ,
    "memory_analysis": EventType.MEMORY_READ,
    "reflection": EventType.REFLECTION,
    "plan": EventType.PLAN,
    "think": EventType.PLAN,
    "action": EventType.TOOL_CALL,
    "tool_call": EventType.TOOL_CALL,
    "answer": EventType.RUN_END,
}
_LABELS = ("failure_types", "failure_modules", "failure_reasonings", "critical_failure_module")


class AgentErrorBenchImporter:
    """Rows with `full_trajectory`, and a trajectory's own file."""

    name: ClassVar[str] = "agenterrorbench"
    title: ClassVar[str] = "AgentErrorBench rows"

    def detects(self, value: Any) -> Claim | None:
        """`full_trajectory` is a string; or messages lie beside an environment."""
        if not isinstance(value, dict):
            return None
        if isinstance(value.get("full_trajectory"), str):
            return Claim("full_trajectory is a string")
        about = value.get("metadata")
        messages = value.get("messages", value.get("chat_history"))
        if isinstance(about, dict) and "environment" in about and is_objects(messages):
            return Claim("it has messages, and an environment in its metadata")
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """One run for each row."""
        for record in records:
            with context.guard(record):
                yield from _row(record, context).pieces()


def _row(record: Record, context: Context) -> Run:
    row = Fields(record.value)
    packed = row.text("full_trajectory")
    if packed is not None:
        inner, is_valid = from_text(packed)
        if not is_valid or not isinstance(inner, dict):
            raise NotConvertible("full_trajectory is no JSON object", "Take the row out.")
        own = Fields(inner)
    else:
        own = row
    messages = own.list("messages", "chat_history")
    if not is_objects(messages) or not all(map(is_message, messages)):
        raise NotConvertible("has no messages with roles", "Take the row out.")
    about = own.part("metadata")
    run = context.run("agenterrorbench", record, row.text("trajectory_id", "trace_id"))
    run.task_id = about.text("task_id")
    annotations, _ = from_text(row.any("step_annotations"))
    critical = row.any("critical_failure_step")
    run.metadata |= {
        "environment": about.text("environment") or row.text("task_type"),
        "success": about.flag("success", "won"),
        "model": row.text("llm_model", "LLM"),
        "critical_failure_step": critical,
        "labels": {key: row.any(key) for key in _LABELS if key in row},
        "step_annotations": annotations or None,
    }
    _messages(run, messages, critical)
    rest = {**row.left, **(own.left if own is not row else {})}
    run.metadata = {key: item for key, item in run.metadata.items() if item not in (None, {})}
    run.metadata |= {"native": rest} if rest else {}
    return run


def _messages(run: Run, messages: list[dict[str, Any]], critical: Any) -> None:
    talk, step = Talk(run), 0
    for message in messages:
        before = run.count
        add_message(run, talk, message)
        if message["role"] != "assistant":
            continue
        step += 1
        said = run.events[-1]["event_id"]
        if isinstance(message.get("content"), str):
            _tags(run, message["content"], said)
        for event in run.events[before:]:
            event["metadata"]["step"] = step
            if critical == step and type(critical) is int:
                event["metadata"]["critical_failure"] = True


def _tags(run: Run, text: str, parent: str) -> None:
    for found in _TAG.finditer(text):
        kind, said = _KINDS[found["tag"]], found["text"].strip()
        made: EventFields = {"agent": "assistant", "parent": parent, "module": found["tag"]}
        if kind is EventType.TOOL_CALL:
            made["input"] = said
        else:
            made["output"] = said
        run.add(kind, **made)
