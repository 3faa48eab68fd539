"""What goes on in an attempt after an event, in a few words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quickstarted import events as ev
from quickstarted.console.words import seconds

COMMAND_CHARS = 300
"""Of a command or address that are kept; no terminal shows more of them on one line."""
MODEL = "model at work"

PHASES = {
    "opening": "sandbox is being made",
    "waiting": "ready, waits for its turn",
    "working": "",
    "judging": "outcome is being checked",
}
"""What goes on in a phase until an event says more."""


def doing_after(event: ev.Event) -> str | None:
    """Not yet `visible`; empty for nothing in particular, None when it goes on as before."""
    say = _SAYS.get(type(event))
    return None if say is None else say(event)


def is_trouble(event: ev.Event) -> bool:
    """Whether *event* is one that somebody should look at."""
    return isinstance(event, ev.ApiRetry | ev.Fault)


def _call(event: ev.ToolCall) -> str | None:
    if event.command is not None:
        first, _, more = event.command[:COMMAND_CHARS].strip("\n").partition("\n")
        return f"$ {first} ..." if more else f"$ {first}"
    if event.url is not None:
        return f"read {event.url[:COMMAND_CHARS]}"
    return f"{event.tool} {(event.path or '')[:COMMAND_CHARS]}".rstrip()


def _retry(event: ev.ApiRetry) -> str:
    return f"model failed, again in {seconds(event.sleep)}: {event.error[:COMMAND_CHARS]}"


def _fault(event: ev.Fault) -> str:
    return f"{event.component}: {event.error[:COMMAND_CHARS]}"


def _checked(event: ev.SuccessCheck) -> str:
    return "check passed" if event.passed else "check failed"


def _nothing(event: ev.EventBase) -> str:
    del event
    return ""


_SAYS: dict[type, Callable[[Any], str | None]] = {
    ev.ToolCall: _call,
    ev.ToolResult: _nothing,
    ev.DocsFetch: _nothing,
    ev.FetchBlocked: _nothing,
    ev.FetchError: _nothing,
    ev.AffordanceWithheld: _nothing,
    ev.AgentTurn: _nothing,
    ev.ApiRetry: _retry,
    ev.Fault: _fault,
    ev.SuccessCheck: _checked,
}
