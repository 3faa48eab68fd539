"""
A trace as steps of a conversation: what a model said, the calls it asked for, and their results.

ATIF and chat messages have the calls of a step together and their results with them, while a trace
has everything in the order of time. A step is kept until the next one has begun and its calls are
answered; how much is kept is bounded, and a result that comes after that is given away without its
call. Calls of an agent without a model are steps of their own.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from quickstarted.events import (
    AgentFinal,
    AgentTurn,
    SuccessCheck,
    ToolCall,
    ToolResult,
    TraceEvent,
)
from quickstarted.formats.export.attempt import Attempt
from quickstarted.formats.export.calls import ANSWERS, Answer, Calls, OpenCall

MAX_KEPT_BYTES = 16 * 1024 * 1024
_EVENT_BYTES = 2_000
"""What an event takes beside its long texts, roughly."""


@dataclass(slots=True)
class Step:
    """
    One step.

    Attributes:
        ts: When it began, in epoch seconds.
        opening: The model's turn or the agent's last words; None for what only calls tools, and for
            what the harness did.
        calls: In their order.
        results: Each with its call, in the order in which they came.
        others: What else happened meanwhile.

    """

    ts: float
    opening: AgentTurn | AgentFinal | None = None
    calls: list[OpenCall] = field(default_factory=list)
    results: list[tuple[OpenCall, Answer]] = field(default_factory=list)
    others: list[TraceEvent] = field(default_factory=list)
    awaited: set[int] = field(default_factory=set)
    kept_bytes: int = 0

    @property
    def is_of_agent(self) -> bool:
        """Whether the agent did something in it."""
        return self.opening is not None or bool(self.calls)


def steps_of(attempt: Attempt, max_kept_bytes: int = MAX_KEPT_BYTES) -> Iterator[Step]:
    """
    The steps of *attempt*, in order; each event after `run_start` is in exactly one of them.

    Raises:
        TraceInvalid: A line is no event.

    """
    maker = _Maker(max_kept_bytes)
    for event in attempt:
        maker.take(event)
        yield from maker.ready()
    yield from maker.rest()


class _Maker:
    def __init__(self, max_kept_bytes: int) -> None:
        self._max_kept_bytes = max_kept_bytes
        self._calls = Calls()
        self._steps: deque[Step] = deque()
        self._places: dict[int, Step] = {}
        """The step of each call that is waited for."""
        self._kept_bytes = 0

    def take(self, event: TraceEvent) -> None:
        if isinstance(event, AgentTurn):
            self._begin(event, event)
        elif isinstance(event, AgentFinal):
            self._final(event)
        elif isinstance(event, ToolCall):
            self._call(event)
        elif isinstance(event, ANSWERS):
            self._answer(event)
        elif isinstance(event, SuccessCheck):
            self._keep(self._begin(event), event).others.append(event)
        else:
            self._keep(self._current(event), event).others.append(event)

    def ready(self) -> Iterator[Step]:
        """Steps that nothing more belongs to, and those that take too much room."""
        while self._steps:
            first = self._steps[0]
            is_over = len(self._steps) > 1 and not first.awaited
            if not is_over and self._kept_bytes <= self._max_kept_bytes:
                return
            yield self._release()

    def rest(self) -> Iterator[Step]:
        while self._steps:
            yield self._release()

    def _release(self) -> Step:
        step = self._steps.popleft()
        self._kept_bytes -= step.kept_bytes
        for number in step.awaited:
            del self._places[number]
        return step

    def _begin(self, event: TraceEvent, opening: AgentTurn | AgentFinal | None = None) -> Step:
        step = Step(event.ts, opening)
        self._steps.append(step)
        return self._keep(step, event) if opening is not None else step

    def _current(self, event: TraceEvent) -> Step:
        return self._steps[-1] if self._steps else self._begin(event)

    def _keep(self, step: Step, event: TraceEvent) -> Step:
        size = _size_bytes(event)
        step.kept_bytes += size
        self._kept_bytes += size
        return step

    def _final(self, event: AgentFinal) -> None:
        """The last words of a model are its last turn's text; of a program they are news."""
        last = self._steps[-1] if self._steps else None
        opening = None if last is None else last.opening
        if last is not None and isinstance(opening, AgentTurn) and opening.text == event.text:
            self._keep(last, event).others.append(event)
        else:
            self._begin(event, event)

    def _call(self, event: ToolCall) -> None:
        last = self._steps[-1] if self._steps else None
        step = last if last is not None and last.opening is not None else self._begin(event)
        call = self._calls.add(event)
        self._keep(step, event).calls.append(call)
        if call.is_answered_later:
            step.awaited.add(call.number)
            self._places[call.number] = step

    def _answer(self, event: Answer) -> None:
        call = self._calls.answer(event)
        step = None if call is None else self._places.pop(call.number, None)
        if call is None or step is None:
            self._keep(self._current(event), event).others.append(event)
            return
        step.awaited.discard(call.number)
        self._keep(step, event).results.append((call, event))


def _size_bytes(event: TraceEvent) -> int:
    if isinstance(event, ToolResult):
        return _EVENT_BYTES + len(event.output)
    texts = (value for value in event.__dict__.values() if isinstance(value, str))
    return _EVENT_BYTES + sum(map(len, texts))
