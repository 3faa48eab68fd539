"""
A trace as a trajectory of ATIF v1.7, the format of Harbor that most programs for agents exchange.

A step is a model's turn with its calls and their results; a call that no model asked for is a step
of its own. What ATIF has no place for is in `extra`: the trace's other events as they
are, in the step during which they happened, and the verdict in the document's.
"""

from __future__ import annotations

from typing import IO, Any

from quickstarted.events import AgentTurn, ToolResult
from quickstarted.formats.export.attempt import Attempt, Spent, fields_of
from quickstarted.formats.export.calls import Answer, OpenCall, arguments_of, failure_of
from quickstarted.formats.export.json_text import encoded, said
from quickstarted.formats.export.steps import Step, steps_of
from quickstarted.formats.export.times import rfc3339

SCHEMA_VERSION = "ATIF-v1.7"
UNKNOWN_VERSION = "unknown"
REPLAY = "replay"
"""The agent that has no model: its steps are known to have taken no call of one."""
NOTES = (
    "Made from a trace of quickstarted, which holds the hash of the prompt and not its text, and"
    " addresses of pages and not their text."
)
_RESULT_WITHOUT = frozenset({"ts", "type", "output", "call_id"})
_CALL_WITHOUT = frozenset({"ts", "type", "tool", "command", "url", "path", "restart", "call_id"})
_TURN_WITHOUT = frozenset(
    {
        "ts",
        "type",
        "text",
        "model",
        "cost_usd",
        "input_tokens",
        "output_tokens",
        "cache_write_tokens",
        "cache_read_tokens",
    }
)


def write_atif(attempt: Attempt, out: IO[bytes]) -> None:
    """
    Write *attempt* as one ATIF document.

    Raises:
        TraceInvalid: A line is no event.

    """
    start = attempt.start
    agent = {
        "name": start.agent,
        "version": start.harness_version or UNKNOWN_VERSION,
        **said(model_name=start.model),
        "extra": {"harness": "quickstarted", "backend": start.backend},
    }
    head = {
        "schema_version": SCHEMA_VERSION,
        **said(session_id=start.run_id),
        "trajectory_id": attempt.trace_id,
        "agent": agent,
    }
    out.write(encoded(head)[:-1] + b',"steps":[')
    number = 0
    for number, step in enumerate(steps_of(attempt), 1):
        made = _step(step, number)
        if start.agent == REPLAY and step.calls and step.opening is None:
            made["llm_call_count"] = 0
        out.write((b",\n" if number > 1 else b"\n") + encoded(made))
    if number == 0:
        # Readers want a step at least; a run that was killed at once has none.
        number = 1
        out.write(b"\n" + encoded(_step(Step(start.ts), number)))
    unfinished = attempt.unfinished
    tail = said(
        notes=f"{NOTES} The trace is not whole: {unfinished}." if unfinished else NOTES,
        final_metrics=_final_metrics(attempt.spent, number),
        extra={**said(goal=attempt.goal), **attempt.summary()},
    )
    out.write(b"\n]," + encoded(tail)[1:] + b"\n")


def _step(step: Step, number: int) -> dict[str, Any]:
    made: dict[str, Any] = {"step_id": number, "timestamp": rfc3339(step.ts)}
    if not step.is_of_agent:
        made |= {"source": "system", "message": ""}
    elif isinstance(step.opening, AgentTurn):
        made |= _turn(step.opening)
    else:
        text = "" if step.opening is None else step.opening.text
        made |= {"source": "agent", "message": text}
    if step.calls:
        made["tool_calls"] = [_call(call) for call in step.calls]
    if step.results:
        made["observation"] = {"results": [_result(*one) for one in step.results]}
    extra = said(
        turn=None if step.opening is None else fields_of(step.opening, _TURN_WITHOUT),
        events=[{"ts": one.ts, "type": one.type, **fields_of(one)} for one in step.others],
    )
    return {**made, "extra": extra} if extra else made


def _turn(event: AgentTurn) -> dict[str, Any]:
    cached = event.cache_read_tokens + event.cache_write_tokens
    metrics = said(
        prompt_tokens=event.input_tokens + cached,
        completion_tokens=event.output_tokens,
        cached_tokens=event.cache_read_tokens,
        cost_usd=event.cost_usd,
        extra={"cache_creation_input_tokens": event.cache_write_tokens},
    )
    return {
        "source": "agent",
        "message": event.text or "",
        "model_name": event.model,
        "metrics": metrics,
        "llm_call_count": 1,
    }


def _call(call: OpenCall) -> dict[str, Any]:
    event = call.event
    return {
        "tool_call_id": call.call_id,
        "function_name": event.tool,
        "arguments": arguments_of(event),
        "extra": {"ts": event.ts, **fields_of(event, _CALL_WITHOUT)},
    }


def _result(call: OpenCall, event: Answer) -> dict[str, Any]:
    """The text that the agent got, where the trace has it: of pages it has only what they were."""
    told = {"ts": event.ts, "event": event.type, **fields_of(event, _RESULT_WITHOUT)}
    made: dict[str, Any] = {"source_call_id": call.call_id}
    if isinstance(event, ToolResult):
        made["content"] = event.output
    error = failure_of(event)
    return {**made, "extra": {**told, "failure": error} if error else told}


def _final_metrics(spent: Spent, steps: int) -> dict[str, Any]:
    if not spent.calls:
        return {"total_steps": steps}
    cached = spent.cache_read_tokens + spent.cache_write_tokens
    return said(
        total_prompt_tokens=spent.input_tokens + cached,
        total_completion_tokens=spent.output_tokens,
        total_cached_tokens=spent.cache_read_tokens,
        total_cost_usd=spent.cost_usd,
        total_steps=steps,
        extra={"total_cache_creation_input_tokens": spent.cache_write_tokens},
    )
