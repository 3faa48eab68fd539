"""Which result belongs to which call of a tool: by id, and by position where there is none."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from quickstarted.formats.trajectory.importing.times import Stamp

_LOOKED_AT = 1_000
"""Open calls, for a result that has no id."""

How = Literal["id", "position", "nothing", "id-again"]


@dataclass(slots=True)
class Call:
    """A call of a tool that is an event."""

    event_id: str
    tool: str | None
    call_id: str | None
    at: Stamp | None


class Calls:
    """
    The calls of one run.

    Those that were answered are remembered, to know when one is answered twice; not in a run that
    is written as it is read.
    """

    def __init__(self, *, remembers: bool = True) -> None:
        self._remembers = remembers
        # Not a dict: to take the first out again and again would look at all that were taken.
        self._open: OrderedDict[str, Call] = OrderedDict()
        self._answered: dict[str, Call] = {}

    def add(self, call: Call) -> None:
        """Take a call; a second one with the same id takes the place of the first."""
        key = call.event_id if call.call_id is None else f"id:{call.call_id}"
        self._open.pop(key, None)
        self._open[key] = call

    def answer(self, call_id: str | None, tool: str | None = None) -> tuple[Call | None, How]:
        """The call that a result belongs to, and how that is known."""
        if call_id is not None:
            key = f"id:{call_id}"
            call = self._open.pop(key, None)
            if call is not None:
                if self._remembers:
                    self._answered[key] = call
                return call, "id"
            again = self._answered.get(key)
            return (again, "id-again") if again is not None else (None, "nothing")
        for key, call in islice(self._open.items(), _LOOKED_AT):
            if tool is None or call.tool is None or call.tool == tool:
                del self._open[key]
                return call, "position"
        return None, "nothing"

    def named(self, call_id: str) -> Call | None:
        """The call with this id, answered or not."""
        key = f"id:{call_id}"
        return self._open.get(key) or self._answered.get(key)

    def waiting(self, tool: str) -> Call | None:
        """The first call of *tool* that has no result yet."""
        return next((call for call in self._open.values() if call.tool == tool), None)

    @property
    def unanswered(self) -> list[str]:
        """Event ids of calls without a result."""
        return [call.event_id for call in self._open.values()]
