"""What is being written of answers: by flow, until the answer ends or breaks off."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from quickstarted_proxy.budgets import Meter
from quickstarted_proxy.package_writing import Writing

Then = Callable[[Writing], Coroutine[Any, Any, None]]
"""What becomes of an answer that has come whole."""


class Keeping:
    """The stream function of an answer that is written: its meter's, and each piece is written."""

    def __init__(self, meter: Meter, writing: Writing, tell: Callable[[str], None]) -> None:
        self._meter = meter
        self._writing = writing
        self._tell = tell

    def __call__(self, data: bytes) -> bytes | list[bytes]:
        """Take a piece, or the empty one at the end."""
        return data if self.passes(data) else []

    def passes(self, data: bytes | memoryview) -> bool:
        """Take a piece; whether it may pass."""
        if not self._meter.passes(data):
            self._writing.abort()
            return False
        try:
            self._writing.write(data)
        except OSError as exc:
            self._writing.abort()
            self._tell(f"the package cache cannot be written: {exc}")
        return True


@dataclass(frozen=True, slots=True)
class _One:
    client_id: str
    writing: Writing
    then: Then


class Underway:
    """All of them; *tell* takes what is wrong with the folder."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._by_flow: dict[str, _One] = {}

    def begin(self, flow: Any, writing: Writing, then: Then) -> None:
        """Write the answer of a flow, whose stream function is a meter, from now on."""
        self._by_flow[flow.id] = _One(flow.client_conn.id, writing, then)
        flow.response.stream = Keeping(flow.response.stream, writing, self._tell)

    def ended(self, flow_id: str) -> Coroutine[Any, Any, None] | None:
        """The answer has ended: what is to be done, if all of it has come."""
        one = self._by_flow.pop(flow_id, None)
        return one.then(one.writing) if one is not None and one.writing.end() else None

    def broke(self, flow_id: str) -> None:
        """The answer broke off."""
        one = self._by_flow.pop(flow_id, None)
        if one is not None:
            one.writing.abort()

    def left(self, client_id: str) -> None:
        """Nothing more comes of what a client has asked for."""
        for flow_id in [key for key, one in self._by_flow.items() if one.client_id == client_id]:
            self.broke(flow_id)
