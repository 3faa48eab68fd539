"""ATIF, the Agent Trajectory Interchange Format of Harbor, versions 1.x."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.strict_json import quote
from quickstarted.formats.trajectory.importing.content import read_content
from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import add_call
from quickstarted.formats.trajectory.importing.times import Stamp, stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields
from quickstarted.formats.trajectory.model import EventType

_PREFIX = "ATIF-v1."
_SOURCES = ("system", "user", "agent")


class AtifImporter:
    """One document with `schema_version`."""

    name: ClassVar[str] = "atif"
    title: ClassVar[str] = "ATIF v1.x (Harbor)"

    def detects(self, value: Any) -> Claim | None:
        """`schema_version` says it."""
        version = value.get("schema_version") if isinstance(value, dict) else None
        if isinstance(version, str) and version.startswith("ATIF-"):
            return Claim(f"schema_version is {quote(version)}")
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """One run for each document, and for each of its subagents' trajectories."""
        for record in records:
            with context.guard(record):
                for run in _documents(record, record.value, context, None):
                    yield from run.pieces()


def _documents(record: Record, value: Any, context: Context, parent: str | None) -> Iterator[Run]:
    fields = Fields(value)
    version = fields.text("schema_version") or ""
    if not version.startswith(_PREFIX):
        raise NotConvertible(
            f"schema_version is {quote(version)}, and 1.x is read", "Write ATIF v1.x."
        )
    agent = fields.part("agent")
    name = agent.text("name") or "agent"
    run = context.run("atif", record, fields.text("trajectory_id", "session_id"))
    run.framework = name
    steps = fields.list("steps")
    if not steps:
        raise NotConvertible("has no steps", "ATIF wants one step at least.")
    for number, step in enumerate(steps, 1):
        _step(run, step, name, number)
    subagents = fields.list("subagent_trajectories") or []
    run.metadata |= {
        "schema_version": version,
        "session_id": fields.text("session_id"),
        "parent_trace_id": parent,
        "agent_version": agent.text("version"),
        "model": agent.text("model_name"),
        "final_metrics": fields.object("final_metrics"),
        "extra": fields.object("extra"),
        "native": fields.left,
    }
    run.metadata = {key: item for key, item in run.metadata.items() if item not in (None, {})}
    yield run
    for inner in subagents:
        yield from _documents(record, inner, context, run.trace_id)


def _step(run: Run, value: Any, name: str, number: int) -> None:
    fields = Fields(value)
    source, at = fields.text("source"), stamp(fields.any("timestamp"))
    if source not in _SOURCES:
        raise NotConvertible(
            f"steps[{number - 1}] has source {quote(source)}", "It is system, user or agent."
        )
    if run.started_at is None and not run.count:
        run.started_at = at
    step = fields.any("step_id")
    if step != number:
        run.note(f"step_id {quote(step)} stands where {number} should")
    content = read_content(fields.any("message"), run)
    made: EventFields = {"at": at, "step": step, "output": content.output}
    made["artifacts"] = content.artifacts
    if source != "agent":
        if source == "user" and run.goal is None:
            run.goal = content.text
        made["native"] = {**_left(fields, ("observation",)), **content.rest}
        made["agent"] = source
        last = run.add(EventType.OBSERVATION, **made)
    else:
        last = _answer(run, fields, made, name)
    _observation(run, fields, last, at, step)


def _answer(run: Run, fields: Fields, made: EventFields, name: str) -> str:
    at, step = made["at"], made["step"]
    reasoning = fields.text("reasoning_content")
    if reasoning is not None:
        run.add(EventType.REFLECTION, at=at, step=step, agent=name, output=reasoning)
    metrics = fields.part("metrics")
    counts = {
        key: metrics.any(key)
        for key in ("prompt_tokens", "completion_tokens", "cached_tokens")
        if key in metrics
    }
    extra = metrics.object("extra") or {}
    written = extra.get("cache_creation_input_tokens")
    usage = usage_metadata(
        {**counts, **({"cache_creation.input_tokens": written} if written else {})}
    )
    calls = fields.list("tool_calls") or []
    made["metadata"] = {
        **(usage if counts else {}),
        "cost_usd": metrics.number("cost_usd"),
        "metrics_extra": extra,
        "model": fields.text("model_name"),
        "llm_call_count": fields.number("llm_call_count"),
    }
    made["native"] = _left(fields, ("observation",))
    made["agent"] = name
    said = run.add(EventType.LLM_RESPONSE, **made)
    for call in calls:
        inner = Fields(call)
        tool, call_id = inner.text("function_name"), inner.text("tool_call_id")
        given = inner.any("arguments")
        put: EventFields = {"at": at, "step": step, "agent": name, "parent": said}
        add_call(run, tool, call_id, given, put, inner)
    return said


def _observation(run: Run, fields: Fields, last: str, at: Stamp | None, step: Any) -> None:
    for result in fields.part("observation").list("results") or []:
        inner = Fields(result)
        call_id = inner.text("source_call_id")
        content = read_content(inner.any("content"), run)
        subagents = inner.list("subagent_trajectory_ref")
        made: EventFields = {"at": at, "step": step, "output": content.output}
        made["artifacts"] = content.artifacts
        extra = inner.object("extra") or {}
        # As this program writes it: ATIF has no field for what went wrong.
        failure = extra.get("failure")
        made["error"] = failure if isinstance(failure, str) else None
        made["metadata"] = {"extra": extra}
        made["native"] = {**inner.left, **content.rest}
        if call_id is not None:
            call = run.calls.named(call_id)
            event_id = run.result(call_id, call.tool if call else None, **made)
        else:
            made["parent"], made["agent"] = last, "environment"
            event_id = run.add(EventType.OBSERVATION, **made)
        if subagents:
            run.add(EventType.HANDOFF, at=at, step=step, output=subagents, parent=event_id)


def _left(fields: Fields, taken_later: tuple[str, ...]) -> dict[str, Any]:
    return {key: item for key, item in fields.left.items() if key not in taken_later}
