"""What CrewAI's types of events are in ours: about 150 names, most of them by their pattern."""

from __future__ import annotations

import re

from quickstarted.formats.trajectory.model import EventType

CHUNKS = frozenset({"llm_stream_chunk", "llm_thinking_chunk"})
"""Pieces of an answer that comes whole as well."""
TOOL_CALLS = frozenset({"tool_usage_started", "mcp_tool_execution_started"})
TOOL_RESULTS = frozenset(
    {
        "tool_usage_finished",
        "tool_usage_error",
        "tool_execution_error",
        "tool_validate_input_error",
        "tool_selection_error",
        "tool_failure_detected",
        "mcp_tool_execution_completed",
        "mcp_tool_execution_failed",
    }
)
_PATTERNS = (
    (r"crew_kickoff_started", EventType.RUN_START),
    (r"crew_kickoff_completed", EventType.RUN_END),
    (r"llm_call_started", EventType.LLM_CALL),
    (r"llm_call_completed", EventType.LLM_RESPONSE),
    (r"llm_guardrail_.*", EventType.GUARDRAIL),
    (r"memory_save_failed|memory_query_failed|knowledge_.*_(failed|error)", EventType.ERROR),
    (r"memory_save_.*", EventType.MEMORY_WRITE),
    (r"memory_.*|knowledge_.*", EventType.MEMORY_READ),
    (r"(agent_reasoning|plan)_.*(failed|error)", EventType.ERROR),
    (r"agent_reasoning_.*|plan_.*", EventType.PLAN),
    (r"step_observation_.*", EventType.REFLECTION),
    (r"human_feedback_.*|flow_input_.*", EventType.HUMAN_FEEDBACK),
    (r"a2a_delegation_.*|a2a_message_sent|a2a_response_received", EventType.HANDOFF),
    (r".*_(failed|error)", EventType.ERROR),
)
_COMPILED = tuple((re.compile(pattern), kind) for pattern, kind in _PATTERNS)


def kind_of(name: str) -> EventType:
    """The type of the event that CrewAI calls *name*."""
    if name in TOOL_CALLS:
        return EventType.TOOL_CALL
    if name in TOOL_RESULTS:
        return EventType.TOOL_RESULT
    for pattern, kind in _COMPILED:
        if pattern.fullmatch(name):
            return kind
    return EventType.AGENT_STEP
