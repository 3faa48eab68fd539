"""
A trace as an AgentTrajectory: every event of the trace is an event there, and the verdict metadata.

A refused or failed reading of a page is two events: what stopped it (`guardrail` or `error`), and
the result of the call. Fields that the format has no place for are in `metadata`, with the name of
the trace's event. It is written as it is read; that it passes the strict checker is for the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, TypedDict, Unpack

from quickstarted.events import (
    AffordanceWithheld,
    AgentFinal,
    AgentTurn,
    ApiRetry,
    DocsFetch,
    EgressAllowed,
    EgressBlocked,
    EgressError,
    Fault,
    FetchBlocked,
    FetchError,
    RunEnd,
    RunStart,
    Setup,
    SuccessCheck,
    Teardown,
    ToolCall,
    ToolResult,
    TraceEvent,
    UnknownEvent,
)
from quickstarted.formats.export.attempt import Attempt, known_fields, usage_of
from quickstarted.formats.export.calls import (
    READINGS,
    Answer,
    Calls,
    OpenCall,
    Reading,
    arguments_of,
    failure_of,
)
from quickstarted.formats.export.json_text import encoded, said
from quickstarted.formats.export.times import milliseconds, rfc3339
from quickstarted.formats.trajectory.model import MAX_UPLOAD_BYTES, EventType

FRAMEWORK = "quickstarted"
AGENT = "agent"
HARNESS = "harness"
PROXY = "proxy"
_USAGE_FIELDS = ("input_tokens", "output_tokens", "cache_write_tokens", "cache_read_tokens")
_TURN_WITHOUT = frozenset({"ts", "type", "text", "duration", *_USAGE_FIELDS})
_FINAL_WITHOUT = frozenset({"ts", "type", "text"})
_CALL_WITHOUT = frozenset({"ts", "type", "command", "url", "path", "restart"})
_RESULT_WITHOUT = frozenset({"ts", "type", "output", "duration"})
_EGRESS_WITHOUT = frozenset({"ts", "type", "duration"})
_HARNESS_WITHOUT = frozenset({"ts", "type", "output", "duration", *_USAGE_FIELDS})
_OF_THE_HARNESS = {
    RunStart: (EventType.RUN_START, None),
    Setup: (EventType.TOOL_RESULT, "setup"),
    Teardown: (EventType.TOOL_RESULT, "teardown"),
    SuccessCheck: (EventType.OBSERVATION, "success_check"),
    Fault: (EventType.ERROR, "fault"),
    ApiRetry: (EventType.ERROR, "api_retry"),
    RunEnd: (EventType.RUN_END, None),
}
"""Type and module; all other events of the harness are observations, by their own name."""

Made = dict[str, Any]


def write_trajectory(attempt: Attempt, out: IO[bytes]) -> None:
    """
    Write *attempt* as one AgentTrajectory.

    Raises:
        TraceInvalid: A line is no event.

    """
    events = TraceEvents(attempt.trace_id, attempt.start.agent)
    head = said(
        trace_id=attempt.trace_id,
        task_id=attempt.start.task,
        goal=attempt.goal,
        framework=FRAMEWORK,
        started_at=rfc3339(attempt.start.ts),
    )
    size_bytes = out.write(encoded(head)[:-1] + b',"events":[')
    separator = b"\n"
    for event in attempt.whole():
        for made in events.of(event):
            size_bytes += out.write(separator + encoded(made))
            separator = b",\n"
    ended = None if attempt.end is None else rfc3339(attempt.end.ts)
    tail = encoded(said(ended_at=ended, metadata=attempt.summary()))
    size_bytes += out.write(b"\n]," + tail[1:] + b"\n")
    if size_bytes > MAX_UPLOAD_BYTES:
        attempt.note(
            f"the trajectory has {size_bytes:,} bytes; checkers and uploads take"
            f" {MAX_UPLOAD_BYTES:,}"
        )


class _Places(TypedDict, total=False):
    """Fields of the format that not every event has; None where there is nothing to say."""

    agent_name: str
    parent_event_id: str | None
    module: str | None
    input: Any
    output: Any
    error: str | None
    duration_ms: float | None


class TraceEvents:
    """Makes the events of one trajectory, in order."""

    def __init__(self, trace_id: str, agent: str) -> None:
        self._trace_id = trace_id
        self._agent = agent or AGENT
        self._number = 0
        self._calls = Calls()
        self._turn: str | None = None
        self._makers: dict[type[TraceEvent], Callable[[Any], Made]] = {
            ToolCall: self._call,
            ToolResult: self._of_command,
            AgentTurn: self._of_turn,
            AgentFinal: self._final,
            UnknownEvent: self._unknown,
            **dict.fromkeys((EgressAllowed, EgressBlocked, EgressError), self._egress),
        }

    def of(self, event: TraceEvent) -> Iterable[Made]:
        """What *event* becomes."""
        makes = self._makers.get(type(event))
        if makes is not None:
            return (makes(event),)
        if isinstance(event, READINGS):
            return self._read(event)
        return (self._of_harness(event),)

    def _made(
        self, event: TraceEvent, kind: EventType, rest: Made, **places: Unpack[_Places]
    ) -> Made:
        number = self._number
        self._number = number + 1
        metadata = {"event": event.type, **rest}
        if event.__pydantic_extra__:
            metadata["native"] = event.__pydantic_extra__
        made: Made = {
            "event_id": f"evt_{number + 1:06d}",
            "trace_id": self._trace_id,
            "agent_name": self._agent,
            "event_type": kind.value,
            "step_index": number,
            "timestamp": rfc3339(event.ts),
            "metadata": metadata,
        }
        for name, value in places.items():
            if value is not None:
                made[name] = value
        return made

    def _of_turn(self, event: AgentTurn) -> Made:
        rest = {"usage": usage_of(event), **known_fields(event, _TURN_WITHOUT)}
        made = self._made(
            event,
            EventType.LLM_RESPONSE,
            rest,
            output=event.text,
            duration_ms=milliseconds(event.duration),
        )
        self._turn = made["event_id"]
        return made

    def _call(self, event: ToolCall) -> Made:
        rest = known_fields(event, _CALL_WITHOUT)
        made = self._made(
            event, EventType.TOOL_CALL, rest, parent_event_id=self._turn, input=arguments_of(event)
        )
        call = self._calls.add(event, made["event_id"])
        rest_of_made: Made = made["metadata"]
        rest_of_made["call_id"] = call.call_id
        return made

    def _final(self, event: AgentFinal) -> Made:
        rest = known_fields(event, _FINAL_WITHOUT)
        return self._made(event, EventType.AGENT_STEP, rest, module="final", output=event.text)

    def _unknown(self, event: UnknownEvent) -> Made:
        return self._made(event, EventType.OBSERVATION, {}, agent_name=HARNESS, module=event.type)

    def _of_command(self, event: ToolResult) -> Made:
        call = self._calls.answer(event)
        return self._result(event, call, known_fields(event, _RESULT_WITHOUT))

    def _read(self, event: Reading) -> Iterator[Made]:
        call = self._calls.answer(event)
        rest = known_fields(event)
        stopped = _STOPPED.get(type(event))
        if stopped is not None:
            stop = self._made(
                event,
                stopped,
                rest,
                parent_event_id=None if call is None else call.place,
                module="docs",
                error=failure_of(event),
            )
            yield stop
            rest = {"url": event.url, "stopped_by": stop["event_id"]}
        if call is not None or stopped is None:
            yield self._result(event, call, rest)

    def _result(self, event: Answer, call: OpenCall | None, rest: Made) -> Made:
        if call is not None:
            rest |= {"tool": call.event.tool, "call_id": call.call_id}
        made = self._made(
            event,
            EventType.TOOL_RESULT,
            rest,
            parent_event_id=None if call is None else call.place,
            error=failure_of(event),
        )
        if isinstance(event, ToolResult):
            made["output"] = event.output
            made["duration_ms"] = milliseconds(event.duration)
        elif isinstance(event, DocsFetch):
            made["artifacts"] = _page(event)
        return made

    def _egress(self, event: EgressAllowed | EgressBlocked | EgressError) -> Made:
        kind, error, duration_s = EventType.OBSERVATION, None, None
        if isinstance(event, EgressAllowed):
            duration_s = event.duration
        elif isinstance(event, EgressBlocked):
            kind, error = EventType.GUARDRAIL, str(event.reason)
        else:
            kind, error = EventType.ERROR, event.error
        call = self._calls.of_scope(event.scope)
        return self._made(
            event,
            kind,
            known_fields(event, _EGRESS_WITHOUT),
            agent_name=PROXY,
            parent_event_id=None if call is None else call.place,
            module="egress",
            error=error,
            duration_ms=milliseconds(duration_s),
        )

    def _of_harness(self, event: TraceEvent) -> Made:
        kind, module = _OF_THE_HARNESS.get(type(event), (EventType.OBSERVATION, event.type))
        rest = known_fields(event, _HARNESS_WITHOUT)
        if isinstance(event, ApiRetry):
            rest["usage"] = usage_of(event)
        made = self._made(
            event,
            kind,
            rest,
            agent_name=HARNESS,
            module=module,
            output=getattr(event, "output", None),
            error=failure_of(event),
            duration_ms=milliseconds(getattr(event, "duration", None)),
        )
        if isinstance(event, Setup | Teardown):
            made["input"] = {"command": rest.pop("command")}
            made["metadata"].pop("command")
        return made


_STOPPED: dict[type[TraceEvent], EventType] = {
    FetchBlocked: EventType.GUARDRAIL,
    AffordanceWithheld: EventType.GUARDRAIL,
    FetchError: EventType.ERROR,
}


def _page(event: DocsFetch) -> list[Made]:
    """The page that was read, by its address where that is one of the web."""
    address = event.resolved_to or event.url
    if not address.lower().startswith(("http://", "https://")):
        return []
    told = said(content_hash=event.content_hash, truncated=event.truncated or None)
    return [said(uri=address, modality="file", media_type=event.content_type, metadata=told)]
