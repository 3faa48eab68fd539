"""
Which result answers which call of a tool, and which call a request belongs to.

By the model's own name for the call where there is one, else by the order: a harness that gives
calls no names carries them out one after the other. Calls that a trace records no answer to (a new
shell, one that was refused, a file that a program reads) are not waited for. What is remembered is
bounded, whatever a trace holds.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Any

from quickstarted.events import (
    AffordanceWithheld,
    ApiRetry,
    DocsFetch,
    Fault,
    FetchBlocked,
    FetchError,
    Setup,
    Teardown,
    ToolCall,
    ToolResult,
    TraceEvent,
)

MAX_REMEMBERED = 4_096

Reading = DocsFetch | FetchBlocked | FetchError | AffordanceWithheld
"""What reading a page may come to."""
READINGS = (DocsFetch, FetchBlocked, FetchError, AffordanceWithheld)
Answer = ToolResult | Reading
"""What a call of a tool may come to."""
ANSWERS = (ToolResult, *READINGS)


@dataclass(frozen=True, slots=True)
class OpenCall:
    """
    A call of a tool.

    Attributes:
        number: Counts from 1.
        call_id: The model's name for it, else one that is made of its number.
        place: What the format that is written calls it.

    """

    number: int
    call_id: str
    event: ToolCall
    place: str

    @property
    def is_answered_later(self) -> bool:
        """Whether a trace records what comes of a call like this."""
        event = self.event
        return event.refused is None and (event.command is not None or event.url is not None)


class Calls:
    """The calls of one trace, in its order."""

    def __init__(self) -> None:
        self._number = 0
        self._by_id: OrderedDict[str, OpenCall] = OrderedDict()
        self._in_turn: dict[bool, deque[OpenCall]] = {False: deque(), True: deque()}
        self._by_scope: OrderedDict[int, OpenCall] = OrderedDict()
        self.forgotten: OpenCall | None = None
        """A call that is not waited for any more since the last `add`, as there are too many."""

    def add(self, event: ToolCall, place: str = "") -> OpenCall:
        """Take a call that *place* names in the format that is written."""
        self._number += 1
        name = event.call_id or f"qs-call-{self._number}"
        call = OpenCall(self._number, name, event, place)
        if event.scope is not None:
            _remember(self._by_scope, event.scope, call)
        self.forgotten = self._wait_for(call) if call.is_answered_later else None
        return call

    def _wait_for(self, call: OpenCall) -> OpenCall | None:
        event = call.event
        if event.call_id:
            return _remember(self._by_id, event.call_id, call)
        waiting = self._in_turn[event.url is not None]
        waiting.append(call)
        return waiting.popleft() if len(waiting) > MAX_REMEMBERED else None

    def answer(self, event: Answer) -> OpenCall | None:
        """The call that *event* is the result of; it is not waited for any more."""
        if event.call_id:
            return self._by_id.pop(event.call_id, None)
        waiting = self._in_turn[not isinstance(event, ToolResult)]
        return waiting.popleft() if waiting else None

    def of_scope(self, scope: int | None) -> OpenCall | None:
        """The command that caused the requests of *scope*."""
        return None if scope is None else self._by_scope.get(scope)

    def waiting(self) -> list[OpenCall]:
        """Calls whose result is still to come, or never will."""
        found = [*self._by_id.values(), *self._in_turn[False], *self._in_turn[True]]
        return sorted(found, key=lambda call: call.number)


def arguments_of(event: ToolCall) -> dict[str, Any]:
    """What the tool was called with."""
    given = {"command": event.command, "url": event.url, "path": event.path}
    made: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
    return {**made, "restart": True} if event.restart else made


def failure_of(event: TraceEvent) -> str | None:
    """Why what *event* tells of did not succeed, by its fields alone; None where it did."""
    match event:
        case ToolResult() | Setup() | Teardown():
            return _failure_of_command(event)
        case FetchBlocked():
            return event.reason
        case FetchError() | Fault() | ApiRetry():
            return event.error
        case AffordanceWithheld():
            return event.type
        case _:
            return None


def _failure_of_command(event: ToolResult | Setup | Teardown) -> str | None:
    if not isinstance(event, Teardown) and event.timed_out:
        return "timed out"
    return f"exit code {event.exit_code}" if event.exit_code else None


def _remember(known: OrderedDict[Any, OpenCall], key: Any, call: OpenCall) -> OpenCall | None:
    """Keep *call* under *key*; the one that has to go for it, if any."""
    gone = known.pop(key, None)
    known[key] = call
    return known.popitem(last=False)[1] if len(known) > MAX_REMEMBERED else gone
