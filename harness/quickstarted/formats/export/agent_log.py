"""
A trace as an agent log, written by the log's own writer.

The format is for runs of games. What it asks for and a documentation run does not have is taken
from what is nearest, and named in the documentation: the task stands for the game, the arm and the
policy on affordances for the category. A trace has no prompts, so there are no requests. A run
without a model, such as a replay, is none of the format's: there it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from quickstarted.errors import UsageError
from quickstarted.events import (
    AgentTurn,
    ApiRetry,
    EgressError,
    Fault,
    FetchError,
    RunEnd,
    ToolCall,
    ToolResult,
    TraceEvent,
)
from quickstarted.formats.agent_log import AgentLogWriter, RequestedAction, Scaffold
from quickstarted.formats.export.attempt import Attempt, fields_of
from quickstarted.formats.export.calls import arguments_of
from quickstarted.formats.export.semconv import provider_of

SCAFFOLD = "quickstarted"
UNKNOWN_PROVIDER = "unknown"
MAX_HELD_BYTES = 8 * 1024 * 1024
_EVENT_BYTES = 500
_FAILURES = (ApiRetry, Fault, FetchError, EgressError)
_NOT_PRESENT = "an agent log shows that a model asked for every action"
_HINT = "Convert it to another format: trajectory, atif, otlp, har or messages."


def write_agent_log(attempt: Attempt, out: IO[bytes]) -> None:
    """
    Write *attempt* as an agent log.

    Raises:
        UsageError: No model was called, or no tool, without which a log is not valid.
        TraceInvalid: A line is no event.

    """
    clock = _Clock(attempt.start.ts)
    start = attempt.start
    provider = provider_of(start.agent) or UNKNOWN_PROVIDER
    log = AgentLogWriter(
        out,
        game=start.task,
        category=f"{start.arm}+affordances-{start.affordance_policy}",
        model=f"{provider}/{start.model or start.agent}",
        scaffold=Scaffold(SCAFFOLD, start.harness_version),
        now_s=lambda: start.ts,
        monotonic_s=clock.read_s,
    )
    told = _Told(log, provider)
    for turn in _turns(attempt):
        told.take(turn, clock)
    _refuse_empty(attempt, told)


def _refuse_empty(attempt: Attempt, told: _Told) -> None:
    wanted = {"call of a model": told.responses, "call of a tool": told.actions}
    for what, number in wanted.items():
        if not number:
            raise UsageError(f"{attempt.path}: has no {what}; {_NOT_PRESENT}", hint=_HINT)
    if told.unasked:
        attempt.note(f"calls before the first turn of a model are observations: {told.unasked:,}")


class _Clock:
    """The trace's time; it never goes back, as that of a trace that was cut may."""

    def __init__(self, start_ts: float) -> None:
        self.now_s = start_ts

    def move(self, ts: float) -> None:
        self.now_s = max(self.now_s, ts)

    def read_s(self) -> float:
        return self.now_s


class _Told:
    """What the log holds so far."""

    def __init__(self, log: AgentLogWriter, provider: str) -> None:
        self._log = log
        self._provider = provider
        self._call: str | None = None
        self.responses = 0
        self.actions = 0
        self.unasked = 0

    def take(self, turn: _Turn, clock: _Clock) -> None:
        """Write a turn and what followed it."""
        for event in turn.events:
            clock.move(event.ts)
            if isinstance(event, AgentTurn):
                self._response(event, turn)
            elif isinstance(event, ToolCall) and self._call is not None:
                self._log.action(self._call, event.tool, arguments_of(event))
                self.actions += 1
            elif isinstance(event, _FAILURES):
                self._log.error(event.error or event.type)
                self._log.observation({"event": event.type, **fields_of(event)})
            else:
                self._observe(event)

    def _response(self, event: AgentTurn, turn: _Turn) -> None:
        self.responses += 1
        self._call = f"turn-{self.responses}"
        asked = [RequestedAction(one.tool, arguments_of(one)) for one in turn.calls]
        self._log.model_response(
            self._call,
            model=f"{self._provider}/{event.model}",
            usage={
                "input": event.input_tokens,
                "output": event.output_tokens,
                "cache_read_tokens": event.cache_read_tokens,
                "cache_write_tokens": event.cache_write_tokens,
            },
            text=event.text,
            actions=asked if turn.is_whole else None,
        )

    def _observe(self, event: TraceEvent) -> None:
        self.unasked += isinstance(event, ToolCall)
        self._log.observation({"event": event.type, **fields_of(event)})
        # Without an action it is no log, and is refused as one once the trace is read.
        if isinstance(event, RunEnd) and self.actions:
            self._log.run_end(event.stop_reason)


class _Turn:
    """
    A turn of a model with all that follows it, up to the next one.

    Attributes:
        is_whole: False where it was too much to be held, and calls may follow that are not here.

    """

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []
        self.is_whole = True
        self.held_bytes = 0

    @property
    def calls(self) -> Iterator[ToolCall]:
        return (event for event in self.events if isinstance(event, ToolCall))

    def add(self, event: TraceEvent) -> None:
        self.events.append(event)
        self.held_bytes += _EVENT_BYTES
        if isinstance(event, ToolResult):
            self.held_bytes += len(event.output)


def _turns(attempt: Attempt) -> Iterator[_Turn]:
    """
    The events in groups that begin with a model's turn.

    A response lists what was asked for, which a trace has after it: as far as a turn can be held.
    """
    turn = _Turn()
    for event in attempt:
        is_next = isinstance(event, AgentTurn)
        if is_next or turn.held_bytes > MAX_HELD_BYTES:
            turn.is_whole = is_next
            yield turn
            turn = _Turn()
        turn.add(event)
    yield turn
