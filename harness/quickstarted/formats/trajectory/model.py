"""
AgentTrajectory: a run of one agent or many as a tree of events, for exchange between programs.

The models give exactly the published JSON Schema (a test compares them), so names, defaults and
docstrings are the format's. The format comes from AgentDebugX; its schema requires nothing of a
trajectory, and the text beside it requires `trace_id` and `events`: `checker` holds to the text.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from typing import Any
from uuid import uuid4

from pydantic import BaseModel, ConfigDict, Field

MAX_UPLOAD_BYTES = 26_214_400
"""What an upload takes at most, in bytes of the body."""


class EventType(Enum):  # noqa: D101 (the published schema has no description here)
    RUN_START = "run.start"
    RUN_END = "run.end"
    AGENT_STEP = "agent.step"
    LLM_CALL = "llm.call"
    LLM_RESPONSE = "llm.response"
    TOOL_CALL = "tool.call"
    TOOL_RESULT = "tool.result"
    MEMORY_READ = "memory.read"
    MEMORY_WRITE = "memory.write"
    REFLECTION = "reflection"
    PLAN = "plan"
    HANDOFF = "handoff"
    GUARDRAIL = "guardrail"
    OBSERVATION = "observation"
    ERROR = "error"
    HUMAN_FEEDBACK = "human.feedback"


class Modality(Enum):  # noqa: D101 (nor here)
    TEXT = "text"
    IMAGE = "image"
    AUDIO = "audio"
    VIDEO = "video"
    UI = "ui"
    FILE = "file"
    TOOL = "tool"
    STATE = "state"
    OTHER = "other"


def _new_id(prefix: str) -> Callable[[], str]:
    return lambda: f"{prefix}_{uuid4().hex}"


def _now() -> datetime:
    return datetime.now(UTC)


class _Model(BaseModel):
    # Otherwise what is no number becomes null without a word, where it is to be refused.
    model_config = ConfigDict(ser_json_inf_nan="constants")


class Artifact(_Model):
    """A payload linked to an event, including multimodal evidence."""

    uri: str
    modality: Modality = Modality.OTHER
    media_type: str | None = None
    description: str | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)


class AgentEvent(_Model):
    """A normalized event emitted by an agentic system."""

    event_id: str = Field(default_factory=_new_id("evt"))
    trace_id: str
    parent_event_id: str | None = None
    agent_name: str = "agent"
    event_type: EventType = EventType.AGENT_STEP
    module: str | None = None
    step_index: int | None = None
    timestamp: datetime = Field(default_factory=_now)
    input: Any = None
    output: Any = None
    error: str | None = None
    duration_ms: float | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    artifacts: list[Artifact] = Field(default_factory=list)


class AgentTrajectory(_Model):
    """Portable trajectory IR for single-agent and multi-agent runs."""

    trace_id: str = Field(default_factory=_new_id("trace"))
    task_id: str | None = None
    goal: str | None = None
    framework: str | None = None
    started_at: datetime = Field(default_factory=_now)
    ended_at: datetime | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)
    events: list[AgentEvent] = Field(default_factory=list)
