"""
How many connections there may be at once, of clients and to servers.

A client's connection carries one request at a time, so the number of clients bounds the number of
requests. There is no limit for each host: a package manager opens many to one, and a limit on all
protects the sidecar's memory as well.
"""

from __future__ import annotations

from typing import Any, Literal

from quickstarted_proxy.guard import guarded
from quickstarted_proxy.state import State

MAX_CLIENTS = 256
"""Client connections at once; as many as fit into 256 MiB when each is a stalled download."""
MAX_TURNED_AWAY = 64
"""How many more are held until they can be told that there is no room; the rest are closed."""
MAX_SERVERS = 512
"""Connections to servers at once: one client can keep several, each to another host."""


class ClientCap:
    """Which clients are in, and which wait to be told that there is no room."""

    def __init__(self) -> None:
        self._admitted: set[str] = set()
        self.turned_away: set[str] = set()
        self._told = False

    def enter(self, client_id: str) -> Literal["admitted", "turned_away", "closed"]:
        """Decide on a new client."""
        if len(self._admitted) < MAX_CLIENTS:
            self._admitted.add(client_id)
            return "admitted"
        if len(self.turned_away) < MAX_TURNED_AWAY:
            self.turned_away.add(client_id)
            return "turned_away"
        return "closed"

    @staticmethod
    def reached() -> str:
        """What to say when there is no room."""
        return f"more than {MAX_CLIENTS} connections at once; further ones are answered 503"

    def leave(self, client_id: str) -> None:
        """A client is gone."""
        self._admitted.discard(client_id)
        self.turned_away.discard(client_id)
        if len(self._admitted) < MAX_CLIENTS // 2:
            self._told = False

    def to_be_told(self) -> bool:
        """Whether an event is due: one, until the number of clients has fallen by half."""
        due, self._told = not self._told, True
        return due


def _refuse_connect(cap: ServerCap, data: Any, exc: Exception) -> None:
    cap.refuse(data, "policy_exception", repr(exc))


def _only_forget(_cap: ServerCap, _data: Any, _exc: Exception) -> None:
    """Nothing to refuse: the connection is closed."""


class ServerCap:
    """Hooks of connections to servers that keep their number bounded."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._open: set[str] = set()

    def refuse(self, data: Any, detail: str, error: str) -> None:
        """Do not open it; the request's `error` hook reports why."""
        data.server.error = error
        self.state.failures[data.client.id] = (detail, error)

    @guarded(_refuse_connect)
    def server_connect(self, data: Any) -> None:
        """Let a connection be opened while there is room."""
        if len(self._open) >= MAX_SERVERS:
            text = f"more than {MAX_SERVERS} connections to servers at once"
            self.refuse(data, "connection_cap", text)
            return
        self._open.add(data.server.id)

    @guarded(_only_forget)
    def server_connect_error(self, data: Any) -> None:
        """It was not opened."""
        self._open.discard(data.server.id)

    @guarded(_only_forget)
    def server_disconnected(self, data: Any) -> None:
        """It is closed."""
        self._open.discard(data.server.id)
