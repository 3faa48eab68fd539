"""
Which actions the model has asked for, and which of them were sent.

An action names the response that asked for it. Each action that was asked for is sent at most once.
Ids of all responses are known for ever; the actions that they asked for only as far back as memory
is bounded.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from enum import Enum
from typing import Any

from quickstarted.formats.agent_log.model import RequestedAction
from quickstarted.formats.agent_log.rules import WINDOW_RESPONSES
from quickstarted.formats.ids import IdSet
from quickstarted.formats.strict_json import equal

WINDOW_BYTES = 8 * 1024 * 1024


class Match(Enum):
    """What an action is to the response that it names."""

    ASKED = "asked"
    UNKNOWN_CALL = "unknown_call"
    TOO_FAR = "too_far"
    NOT_LISTED = "not_listed"
    """The response lists no actions."""
    NOT_REQUESTED = "not_requested"
    ARGS_DIFFER = "args_differ"
    REPEATED = "repeated"


@dataclass(slots=True)
class _Response:
    size_bytes: int
    open: list[RequestedAction] | None
    """Asked for and not yet sent; None where the response lists no actions."""
    sent: list[RequestedAction]


class Responses:
    """All responses so far."""

    def __init__(self) -> None:
        self._ids = IdSet()
        self._window: OrderedDict[str, _Response] = OrderedDict()
        self._window_bytes = 0

    def add(self, response_id: str, asked: list[RequestedAction] | None, size_bytes: int) -> bool:
        """Note a response of a line of *size_bytes*; False where its id was used before."""
        if not self._ids.add(response_id):
            return False
        self._window[response_id] = _Response(size_bytes, asked, [])
        self._window_bytes += size_bytes
        while len(self._window) > WINDOW_RESPONSES or (
            self._window_bytes > WINDOW_BYTES and len(self._window) > 1
        ):
            self._window_bytes -= self._window.popitem(last=False)[1].size_bytes
        return True

    def __len__(self) -> int:
        return len(self._ids)

    def match(self, call: str, action: RequestedAction) -> tuple[Match, RequestedAction | None]:
        """
        What *action* is, and what it is taken for where its args differ.

        It uses up what it is taken for.
        """
        response = self._window.get(call)
        if response is None:
            return (Match.TOO_FAR if call in self._ids else Match.UNKNOWN_CALL), None
        if response.open is None:
            return Match.NOT_LISTED, None
        name, args = action
        for at, (asked_name, asked_args) in enumerate(response.open):
            if asked_name == name and equal(asked_args, args):
                return Match.ASKED, _use(response, at)
        for at, asked in enumerate(response.open):
            if asked.name == name:
                return Match.ARGS_DIFFER, _use(response, at)
        sent_before = any(one.name == name for one in response.sent)
        return (Match.REPEATED if sent_before else Match.NOT_REQUESTED), None


def requested(actions: Any) -> list[RequestedAction] | None:
    """
    The actions that a response lists; None where it lists none.

    Raises:
        ValueError: They are no list of objects with `name` and `args`.

    """
    if actions is None:
        return None
    if not isinstance(actions, list):
        raise ValueError("it is no list")  # noqa: TRY004 (of a stranger's file)
    made = []
    for number, one in enumerate(actions, 1):
        if not isinstance(one, dict) or not isinstance(one.get("name"), str) or "args" not in one:
            raise ValueError(f"its item {number} is no object with a name and args")
        made.append(RequestedAction(one["name"], one["args"]))
    return made


def _use(response: _Response, at: int) -> RequestedAction:
    assert response.open is not None
    asked = response.open.pop(at)
    response.sent.append(asked)
    return asked
