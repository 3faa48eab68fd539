"""What a span of an agent means, by its attributes: GenAI's, or OpenInference's."""

from __future__ import annotations

from typing import Any

from quickstarted.formats.trajectory.importing.kinds.otlp_attributes import indexed
from quickstarted.formats.trajectory.importing.run import EventFields, Run
from quickstarted.formats.trajectory.importing.times import Stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, from_text, is_one_of
from quickstarted.formats.trajectory.model import EventType

_GEN_AI = "gen_ai."
_LLM = frozenset({"chat", "generate_content", "text_completion", "embeddings"})
_OPERATIONS = {
    "invoke_agent": EventType.AGENT_STEP,
    "create_agent": EventType.AGENT_STEP,
    "invoke_workflow": EventType.AGENT_STEP,
    "plan": EventType.PLAN,
    "retrieval": EventType.MEMORY_READ,
}
_KINDS = {
    "LLM": "chat",
    "EMBEDDING": "embeddings",
    "TOOL": "execute_tool",
    "AGENT": "invoke_agent",
    "CHAIN": "invoke_workflow",
    "RETRIEVER": "retrieval",
    "RERANKER": "retrieval",
    "GUARDRAIL": "guardrail",
    "EVALUATOR": "evaluate",
}
_PARSED = ("input.messages", "output.messages", "system_instructions", "tool.definitions")


def add_span(run: Run, values: dict[str, Any], made: EventFields, end: Stamp | None) -> str:
    """Add the events of a span; the one that what happened in it belongs to."""
    values = _in_one_spelling(values)
    operation = values.pop("operation.name", None)
    agent = values.pop("agent.name", None)
    if isinstance(agent, str):
        made["agent"] = agent
    if operation == "execute_tool" or "tool.call.id" in values:
        return _tool(run, values, made, end)
    made["metadata"] |= {"operation": operation}
    if is_one_of(operation, _LLM):
        return _model(run, values, made)
    made["input"] = values.pop("input.messages", None)
    made["output"] = values.pop("output.messages", None)
    if run.goal is None and isinstance(made["input"], str):
        run.goal = made["input"]
    kind = _OPERATIONS.get(str(operation), EventType.AGENT_STEP)
    if isinstance(operation, str) and operation.startswith(("memory", "search_memory")):
        kind = EventType.MEMORY_READ
    if operation == "guardrail":
        kind = EventType.GUARDRAIL
    made["metadata"] |= {"attributes": values}
    return run.add(kind, **made)


def _model(run: Run, values: dict[str, Any], made: EventFields) -> str:
    counts = {
        name: values.pop(f"usage.{name}", None)
        for name in (
            "input_tokens",
            "output_tokens",
            "total_tokens",
            "cache_read.input_tokens",
            "cache_creation.input_tokens",
            "cache_write.input_tokens",
            "reasoning.output_tokens",
        )
    }
    response = values.pop("response.model", None)
    asked = values.pop("request.model", None)
    made["input"] = values.pop("input.messages", None)
    made["output"] = values.pop("output.messages", None)
    made["metadata"] |= {
        "model": response if response is not None else asked,
        "request_model": asked if response not in (None, asked) else None,
        "response_id": values.pop("response.id", None),
        "finish_reasons": values.pop("response.finish_reasons", None),
        **usage_metadata(
            {key: count for key, count in counts.items() if count is not None} or None
        ),
        "attributes": values,
    }
    return run.add(EventType.LLM_RESPONSE, **made)


def _tool(run: Run, values: dict[str, Any], made: EventFields, end: Stamp | None) -> str:
    """A call and its result, in one span."""
    tool, call_id = values.pop("tool.name", None), values.pop("tool.call.id", None)
    arguments = values.pop("tool.call.arguments", values.pop("input.messages", None))
    result = values.pop("tool.call.result", values.pop("output.messages", None))
    given, is_valid = from_text(arguments)
    span_id = made.get("event_id")
    name = tool if isinstance(tool, str) else None
    join = span_id if span_id is not None else str(call_id)
    error, duration, failed = made["error"], made["duration_ms"], made["metadata"]
    asked: EventFields = {**made, "input": given, "error": None, "duration_ms": None}
    asked["metadata"] = {
        **{key: item for key, item in failed.items() if key not in ("status_code", "error_type")},
        "tool_call_id": call_id,
        "arguments_invalid": None if is_valid else True,
        "attributes": values,
    }
    run.call(name, join, **asked)
    return run.result(
        join,
        name,
        at=end,
        event_id=f"{span_id}:result" if span_id else None,
        output=result,
        error=error,
        duration_ms=duration,
        metadata={
            "tool_call_id": call_id,
            "status_code": failed["status_code"],
            "error_type": failed["error_type"],
        },
    )


def _in_one_spelling(values: dict[str, Any]) -> dict[str, Any]:
    """*values* with GenAI's names without their prefix, also where they came in OpenInference's."""
    made = {key.removeprefix(_GEN_AI): value for key, value in values.items()}
    kind = made.pop("openinference.span.kind", None)
    if kind is not None:
        made.setdefault("operation.name", _KINDS.get(str(kind), str(kind).lower()))
        _from_openinference(made)
    for key in _PARSED:
        if isinstance(made.get(key), str):
            made[key] = from_text(made[key])[0]
    return made


def _from_openinference(made: dict[str, Any]) -> None:
    for theirs, ours in (
        ("llm.model_name", "response.model"),
        ("llm.token_count.prompt", "usage.input_tokens"),
        ("llm.token_count.completion", "usage.output_tokens"),
        ("llm.token_count.total", "usage.total_tokens"),
        ("llm.token_count.prompt_details.cache_read", "usage.cache_read.input_tokens"),
        ("llm.token_count.prompt_details.cache_write", "usage.cache_write.input_tokens"),
        ("llm.token_count.completion_details.reasoning", "usage.reasoning.output_tokens"),
    ):
        if theirs in made:
            made[ours] = made.pop(theirs)
    for key in ("input", "output"):
        messages = [_message(one) for one in indexed(made, f"llm.{key}_messages")]
        plain = made.pop(f"{key}.value", None)
        if messages:
            made[f"{key}.messages"] = messages
            if plain is not None:
                made[f"{key}.value"] = plain
        elif plain is not None:
            made[f"{key}.messages"] = plain


def _message(flat: dict[str, Any]) -> dict[str, Any]:
    values = {key.removeprefix("message."): value for key, value in flat.items()}
    calls = [
        {
            key.removeprefix("tool_call.").replace("function.", ""): value
            for key, value in one.items()
        }
        for one in indexed(values, "tool_calls")
    ]
    for call in calls:
        fields = Fields(call)
        call["arguments"] = from_text(fields.any("arguments"))[0]
    return {**values, **({"tool_calls": calls} if calls else {})}
