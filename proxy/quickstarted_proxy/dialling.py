"""
Connections to servers: which are opened, and how they fail.

No upstream connection is opened without a permit that `gate` gave for this client and this
destination, so a decision that was never taken connects nowhere.
"""

from __future__ import annotations

import re
from typing import Any

from mitmproxy.connection import ConnectionState

from quickstarted_proxy.guard import guarded
from quickstarted_proxy.ledger import Target
from quickstarted_proxy.state import State
from quickstarted_proxy.strict_http import Malformed

_PEER_CLOSED = re.compile(r"closed", re.IGNORECASE)
"""In texts of h11 and mitmproxy about an end before the message's own."""


def _refuse_connect(dialling: Dialling, data: Any, exc: Exception) -> None:
    data.server.error = f"policy_exception: {exc!r}"
    dialling.note(data.client, "policy_exception", repr(exc))


def _only_tell(dialling: Dialling, _data: Any, exc: Exception) -> None:
    target = Target(host="", method="?", via="explicit")
    dialling.state.ledger.error(target, repr(exc), "policy_exception")


class Dialling:
    """Hooks of server connections."""

    def __init__(self, state: State) -> None:
        self.state = state

    def note(self, client: Any, detail: str, error: str) -> None:
        """Keep what went wrong until the request's `error` hook asks."""
        self.state.failures[client.id] = (detail, error)

    @guarded(_refuse_connect)
    def server_connect(self, data: Any) -> None:
        """Connect only where a decision permits it."""
        address = tuple(data.server.address[:2])
        if address not in self.state.permits.get(data.client.id, set()):
            data.server.error = "no decision permits this connection"
            self.note(data.client, "no_permit", f"no decision permits {address}")

    @guarded(_only_tell)
    def server_connect_error(self, data: Any) -> None:
        """The connection failed."""
        if data.client.id not in self.state.failures:
            self.note(data.client, "connect_failed", data.server.error or "connection failed")

    @guarded(_only_tell)
    def tls_failed_server(self, data: Any) -> None:
        """The upstream's certificate or TLS is not good."""
        self.note(data.context.client, "upstream_tls", data.conn.error or "TLS failed")

    @guarded(_only_tell)
    def http_connect_upstream(self, flow: Any) -> None:
        """Say to the host's proxy who asks."""
        proxy = self.state.proxies.https
        if proxy is not None and proxy.authorization is not None:
            flow.request.headers["Proxy-Authorization"] = proxy.authorization

    @guarded(_only_tell)
    def body_unreadable(self, data: Malformed) -> None:
        """The client's own fault, which the end of its connection must not hide."""
        self.note(data.context.client, data.detail, "the request's body is not what its head says")

    @guarded(_only_tell)
    def error(self, flow: Any) -> None:
        """An allowed request broke."""
        exchange = self.state.ledger.get(flow.id)
        if exchange is None:
            return
        message = flow.error.msg if flow.error else "failed"
        noted = self.state.failures.pop(flow.client_conn.id, None)
        if noted is not None:
            detail, message = noted
        elif not flow.client_conn.state & ConnectionState.CAN_READ:
            detail = "client_disconnected"
        elif flow.server_conn.timestamp_start is None:
            detail = "upstream_proxy" if exchange.detail else "connect_failed"
        elif flow.request.timestamp_end is None and flow.server_conn.timestamp_end is None:
            detail = "client_protocol"
        else:
            detail = "upstream_reset" if _PEER_CLOSED.search(message) else "upstream_protocol"
        self.state.ledger.fail(flow.id, message, detail)
