"""
A WebSocket after its handshake: bytes both ways, counted and bounded, none kept.

mitmproxy's own layer reads the messages and keeps them all; nothing here looks into them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from mitmproxy.connection import ConnectionState
from mitmproxy.proxy import commands, events, layer

RELAY = "quickstarted_relay"
"""In a flow's metadata: the `Passing` of the connection that it becomes when it is answered 101."""

Passing = Callable[[bool, bytes], bool]
"""Takes whether the client sent it, and the bytes; says whether they may pass."""


@dataclass
class RelayEndedHook(commands.StartHook):  # type: ignore[misc]  # mitmproxy is not followed
    """The connection has ended, or was cut."""

    flow: Any


class RelayLayer(layer.Layer):  # type: ignore[misc]  # as above
    """Passes bytes on until either side closes; then both are closed."""

    def __init__(self, context: Any, flow: Any, passing: Passing) -> None:
        super().__init__(context)
        self._flow = flow
        self._passing = passing
        self._ended = False

    def _handle_event(self, event: Any) -> Iterator[Any]:
        if self._ended or isinstance(event, events.Start):
            return
        if isinstance(event, events.DataReceived):
            by_client = event.connection == self.context.client
            if self._passing(by_client, event.data):
                other = self.context.server if by_client else self.context.client
                yield commands.SendData(other, event.data)
                return
        yield from self._end()

    def _end(self) -> Iterator[Any]:
        self._ended = True
        yield RelayEndedHook(self._flow)
        for connection in (self.context.server, self.context.client):
            if connection.state is not ConnectionState.CLOSED:
                yield commands.CloseConnection(connection)
