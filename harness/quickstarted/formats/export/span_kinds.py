"""What calls of models, calls of tools, requests and commands say as spans, each by its events."""

from __future__ import annotations

from typing import Any

from quickstarted.events import (
    AgentTurn,
    ApiRetry,
    DocsFetch,
    EgressAllowed,
    EgressBlocked,
    EgressError,
    Setup,
    SuccessCheck,
    Teardown,
    ToolResult,
    TraceEvent,
)
from quickstarted.formats.export import semconv as names
from quickstarted.formats.export.attempt import fields_of
from quickstarted.formats.export.calls import Answer, OpenCall, arguments_of, failure_of
from quickstarted.formats.export.json_text import in_string
from quickstarted.formats.export.spans import CLIENT, INTERNAL, Failure, Work

UNKNOWN_MODEL = "unknown"
OWN = "quickstarted."
"""Attributes that no convention has a name for."""

Egress = EgressAllowed | EgressBlocked | EgressError
Command = Setup | Teardown | SuccessCheck

_TOKENS = ("input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens")
_TURN_WITHOUT = frozenset({"ts", "type", "text", "model", "stop_reason", "duration", *_TOKENS})
_TOLD = frozenset({"ts", "type", "tool", "call_id", "scope"})
_CALL_WITHOUT = _TOLD | {"command", "url", "path", "restart"}
_ANSWER_WITHOUT = frozenset({"ts", "type", "call_id"})
_RESULT_WITHOUT = _TOLD | {"output", "exit_code", "duration", "cwd", "timed_out"}
_LINE = frozenset({"ts", "type", "host", "port", "method", "path", "scope", "seq"})
_EGRESS_WITHOUT = _LINE | {"status", "bytes_in", "bytes_out", "duration"}
_COMMAND_WITHOUT = frozenset({"ts", "type", "exit_code", "duration"})


def own(event: TraceEvent, without: frozenset[str]) -> dict[str, Any]:
    """The other fields of *event*, by names of this program's own."""
    made = {
        f"{OWN}{key}": value
        for key, value in event.__dict__.items()
        if value is not None and key not in without
    }
    extra = event.__pydantic_extra__
    return {**made, **{f"{OWN}{key}": value for key, value in extra.items()}} if extra else made


def work_of_chat(event: AgentTurn | ApiRetry, provider: str | None, asked: str | None) -> Work:
    """A call of a model; *asked* is the one that was asked for."""
    cached = event.cache_read_tokens + event.cache_write_tokens
    attributes = {
        names.OPERATION: names.CHAT,
        names.PROVIDER: provider,
        names.REQUEST_MODEL: asked,
        names.RESPONSE_MODEL: event.model,
        names.INPUT_TOKENS: event.input_tokens + cached,
        names.OUTPUT_TOKENS: event.output_tokens,
        names.CACHE_READ_TOKENS: event.cache_read_tokens,
        names.CACHE_WRITE_TOKENS: event.cache_write_tokens,
        **own(event, _TURN_WITHOUT),
    }
    duration_s, failure = 0.0, None
    if isinstance(event, AgentTurn):
        duration_s = max(event.duration or 0.0, 0.0)
        attributes[names.FINISH_REASONS] = [event.stop_reason]
        attributes[names.OUTPUT_MESSAGES] = _said_by(event)
    else:
        failure = ("retry" if event.status is None else str(event.status), event.error)
    name = f"{names.CHAT} {event.model or asked or UNKNOWN_MODEL}"
    return Work(name, CLIENT, (event.ts - duration_s, event.ts), attributes, failure)


def work_of_call(call: OpenCall, answer: Answer | None) -> Work:
    """A call of a tool and what came of it, if anything."""
    asked = call.event
    attributes = {
        names.OPERATION: names.EXECUTE_TOOL,
        names.TOOL_NAME: asked.tool,
        names.TOOL_TYPE: "function",
        names.TOOL_CALL_ID: call.call_id,
        names.TOOL_ARGUMENTS: in_string(arguments_of(asked)),
        **own(asked, _CALL_WITHOUT),
        **({} if answer is None else _answered(answer)),
    }
    why = asked.refused if answer is None else failure_of(answer)
    failure = None if why is None else (_error_type(answer), why)
    times = (asked.ts, asked.ts if answer is None else answer.ts)
    return Work(f"{names.EXECUTE_TOOL} {asked.tool}", INTERNAL, times, attributes, failure)


def work_of_request(event: Egress) -> Work:
    """A request, from the proxy's decision to the end of the answer."""
    path, question, query = (event.path or "").partition("?")
    is_known = event.method in names.HTTP_METHODS
    attributes = {
        names.HTTP_METHOD: event.method if is_known else names.OTHER_METHOD,
        names.HTTP_METHOD_ORIGINAL: None if is_known else event.method,
        names.SERVER_ADDRESS: event.host,
        names.SERVER_PORT: event.port,
        names.URL_PATH: path or None,
        names.URL_QUERY: query if question else None,
        **own(event, _EGRESS_WITHOUT),
    }
    duration_s, failure = 0.0, None
    if isinstance(event, EgressAllowed):
        duration_s = max(event.duration or 0.0, 0.0)
        attributes[names.HTTP_STATUS] = event.status
        attributes[names.HTTP_RESPONSE_BYTES] = event.bytes_in
        attributes[names.HTTP_REQUEST_BYTES] = event.bytes_out
    elif isinstance(event, EgressBlocked):
        failure = (str(event.reason), f"refused by the policy: {event.reason}")
    else:
        failure = (event.detail or event.type, event.error)
    name = event.method if is_known else "HTTP"
    return Work(name, CLIENT, (event.ts, event.ts + duration_s), attributes, failure)


def work_of_command(event: Command) -> Work:
    """A command of the harness, which is on record when it has ended."""
    duration_s = 0.0 if isinstance(event, Teardown) else max(event.duration or 0.0, 0.0)
    attributes = {names.EXIT_CODE: event.exit_code, **own(event, _COMMAND_WITHOUT)}
    failure: Failure = None
    if event.exit_code:
        failure = (names.NONZERO_EXIT, f"exit code {event.exit_code}")
    return Work(event.type, INTERNAL, (event.ts - duration_s, event.ts), attributes, failure)


def _answered(answer: Answer) -> dict[str, Any]:
    if isinstance(answer, ToolResult):
        return {
            names.TOOL_RESULT: answer.output,
            names.EXIT_CODE: answer.exit_code,
            names.WORKING_DIRECTORY: answer.cwd,
            **own(answer, _RESULT_WITHOUT),
        }
    return {
        names.URL_FULL: answer.url,
        names.TOOL_RESULT: in_string({"event": answer.type, **fields_of(answer, _ANSWER_WITHOUT)}),
        names.HTTP_STATUS: answer.status if isinstance(answer, DocsFetch) else None,
    }


def _error_type(answer: Answer | None) -> str:
    if answer is None:
        return "refused"
    if isinstance(answer, ToolResult):
        return "timeout" if answer.timed_out else names.NONZERO_EXIT
    return answer.type


def _said_by(event: AgentTurn) -> str | None:
    if not event.text:
        return None
    message = {
        "role": "assistant",
        "parts": [{"type": "text", "content": event.text}],
        "finish_reason": names.FINISHES.get(event.stop_reason, event.stop_reason),
    }
    return in_string([message])
