"""Trajectories of SWE-agent (`.traj`) and mini-swe-agent (`.traj.json`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds.messages import add_message
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import Talk
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, is_objects, is_one_of
from quickstarted.formats.trajectory.model import EventType

_BEFORE = ("system_prompt", "demonstration")


class SweAgentImporter:
    """One document of either kind."""

    name: ClassVar[str] = "swe-agent"
    title: ClassVar[str] = "SWE-agent and mini-swe-agent trajectories"

    def detects(self, value: Any) -> Claim | None:
        """Steps have action and observation; the small one says `trajectory_format`."""
        if not isinstance(value, dict):
            return None
        kind = value.get("trajectory_format")
        if isinstance(kind, str) and kind.startswith("mini-swe-agent"):
            return Claim("trajectory_format is mini-swe-agent")
        steps = value.get("trajectory")
        if is_objects(steps) and all("action" in one and "observation" in one for one in steps):
            return Claim("it has a trajectory of actions and observations")
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """One run for each document."""
        for record in records:
            with context.guard(record):
                fields = Fields(record.value)
                wanted = fields.text("instance_id", "environment")
                run = context.run(self.name, record, wanted)
                if "trajectory" in fields:
                    _steps(run, fields)
                else:
                    _messages(run, fields)
                run.metadata |= {"info": fields.object("info")} if "info" in fields else {}
                run.metadata |= {"native": fields.left} if fields.left else {}
                yield from run.pieces()


def _steps(run: Run, fields: Fields) -> None:
    run.framework = "swe-agent"
    history = fields.list("history") or []
    for message in history:
        # What the agent and its tools say later is in the steps.
        if isinstance(message, dict) and is_one_of(message.get("message_type"), _BEFORE):
            _opening(run, message)
    first = next((one for one in history if _is_user(one)), None)
    if first is not None:
        _opening(run, first)
    for number, value in enumerate(fields.list("trajectory") or []):
        _step(run, value, number)
    run.metadata |= {"history": history} if history else {}


def _opening(run: Run, message: dict[str, Any]) -> None:
    role, content = message.get("role"), message.get("content")
    if role == "user" and isinstance(content, str):
        run.goal = content
    name = role if isinstance(role, str) else "user"
    run.add(EventType.OBSERVATION, agent=name, output=content)


def _is_user(value: Any) -> bool:
    return isinstance(value, dict) and value.get("role") == "user"


def _step(run: Run, value: Any, number: int) -> None:
    fields = Fields(value)
    thought, said = fields.text("thought"), fields.text("response")
    if thought:
        run.add(EventType.REFLECTION, step=number, agent="swe-agent", output=thought)
    made: EventFields = {"step": number, "agent": "swe-agent", "output": said}
    answer = run.add(EventType.LLM_RESPONSE, **made)
    seconds = fields.number("execution_time")
    call: EventFields = {"step": number, "agent": "swe-agent", "parent": answer}
    call["input"] = fields.any("action")
    name = f"step-{number}"
    run.call("shell", name, **call)
    run.result(
        name,
        "shell",
        step=number,
        output=fields.any("observation"),
        duration_ms=None if seconds is None else seconds * 1000,
        native=fields.left,
    )


def _messages(run: Run, fields: Fields) -> None:
    run.framework = "mini-swe-agent"
    run.metadata["trajectory_format"] = fields.text("trajectory_format")
    messages = fields.list("messages")
    if not messages:
        raise NotConvertible("has no messages", "See whether its writer was killed.")
    talk = Talk(run, "mini-swe-agent")
    for message in messages:
        if not isinstance(message, dict):
            raise NotConvertible("has a message that is no object", "Take it out.")
        before = run.count
        add_message(run, talk, message)
        _extra(run, message, before)


def _extra(run: Run, message: dict[str, Any], before: int) -> None:
    """Tokens and exit codes are beside the message."""
    extra = Fields(message.get("extra"))
    usage = extra.part("response").object("usage")
    code = extra.any("returncode")
    for event in run.events[before:]:
        if event["event_type"] == EventType.LLM_RESPONSE.value and usage is not None:
            event["metadata"] |= usage_metadata(usage)
        if event["event_type"] == EventType.TOOL_RESULT.value and type(code) is int:
            event["metadata"]["exit_code"] = code
            event["error"] = f"exit code {code}" if code else event["error"]
