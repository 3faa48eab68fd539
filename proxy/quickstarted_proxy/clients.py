"""
Connections of clients: how many, for how long, and which protocol they may speak.

A client that says nothing, that says something else than HTTP or TLS, or that does not trust the
sandbox's CA is closed with an event that says so.
"""

from __future__ import annotations

import asyncio
import re
from typing import Any

from mitmproxy import ctx

from quickstarted_proxy.authority import (
    Authority,
    a_label,
    disagreement_of_names,
    refusal,
)
from quickstarted_proxy.ca_hints import ca_hint
from quickstarted_proxy.caps import ClientCap
from quickstarted_proxy.doors import via
from quickstarted_proxy.guard import guarded
from quickstarted_proxy.ledger import Target
from quickstarted_proxy.policy import Decision, decide
from quickstarted_proxy.protocol_layers import (
    NO_HOST,
    BusyLayer,
    RefusalLayer,
    admitted,
    build,
    classify,
)
from quickstarted_proxy.state import State
from quickstarted_proxy.strict_http import Malformed

HEAD_TIMEOUT_S = 20.0
"""From a connection's or a tunnel's begin to the first complete request head in it."""
_REJECTED_CA = re.compile(
    r"unknown ca|bad certificate|certificate unknown|unknown_ca", re.IGNORECASE
)
_HUNG_UP = re.compile(r"client disconnected|connection closed", re.IGNORECASE)


def tunnel_target(client: Any, server: Any, method: str) -> Target:
    """What a connection that has no readable request was for."""
    host, port = server.address[:2] if server.address else ("", client.sockname[1])
    host = "" if host == NO_HOST else a_label(str(host))
    return Target(host=host or (client.sni or ""), port=port, method=method, via=via(client))


def _handshake_detail(error: str) -> str:
    if _REJECTED_CA.search(error):
        return "client_rejected_ca"
    return "client_disconnected" if _HUNG_UP.search(error) else "client_tls"


def drop_client(client_id: str) -> None:
    """Close a client's connection, whatever state its layers are in. From any thread."""
    handler = ctx.master.addons.get("proxyserver").connections.get(client_id)
    if handler is not None:
        asyncio.run_coroutine_threadsafe(handler.on_timeout(), ctx.master.event_loop)


def _refuse_layer(clients: Clients, nextlayer: Any, exc: Exception) -> None:
    clients.broken(nextlayer.context, exc)
    nextlayer.layer = RefusalLayer(nextlayer.context)


def _refuse_hello(clients: Clients, data: Any, exc: Exception) -> None:
    clients.broken(data.context, exc)
    data.context.server.address = (NO_HOST, 443)


def _refuse_client(_clients: Clients, client: Any, exc: Exception) -> None:
    client.error = f"policy_exception: {exc!r}"


def _only_tell(clients: Clients, _data: Any, exc: Exception) -> None:
    target = Target(host="", method="?", via="explicit")
    clients.state.ledger.error(target, repr(exc), "policy_exception")


class Clients:
    """Hooks of client connections."""

    name = "nextlayer"
    """mitmproxy looks for an addon of this name before it starts its listeners."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._cap = ClientCap()
        self._waiting: dict[str, asyncio.TimerHandle] = {}
        self._programs: dict[str, str] = {}
        """User-Agent of a tunnel's CONNECT, by client connection."""

    def broken(self, context: Any, exc: Exception) -> None:
        """A hook raised: an event says so."""
        self._blocked(context, "policy_exception")
        target = tunnel_target(context.client, context.server, "?")
        self.state.ledger.error(target, repr(exc), "policy_exception")

    # Clients

    @guarded(_refuse_client)
    def client_connected(self, client: Any) -> None:
        """Admit a client while there is room, and wait for its first request."""
        if client.transport_protocol != "tcp":
            return
        own = tuple(client.peername[:2]) in self.state.own_clients
        fate = "admitted" if own else self._cap.enter(client.id)
        if fate != "admitted" and self._cap.to_be_told():
            target = Target(host="", method="?", port=client.sockname[1], via=via(client))
            self.state.ledger.error(target, self._cap.reached(), "connection_cap")
        if fate == "closed":
            client.error = "too many connections"
            return
        if via(client) != "dns":
            self._await_head(client)

    @guarded(_only_tell)
    def client_disconnected(self, client: Any) -> None:
        """Report what the client left under way."""
        self._cap.leave(client.id)
        self.head_seen(client)
        self._programs.pop(client.id, None)
        self.state.permits.pop(client.id, None)
        detail, error = self.state.failures.pop(
            client.id, ("client_disconnected", "the client closed the connection")
        )
        self.state.ledger.abandon(client.id, error, detail)
        self.state.tunnels.gone(client.id)

    def _await_head(self, client: Any) -> None:
        self.head_seen(client)
        loop = asyncio.get_running_loop()
        self._waiting[client.id] = loop.call_later(HEAD_TIMEOUT_S, self._head_missing, client)

    def head_seen(self, client: Any) -> None:
        """The client has sent a complete request, or is gone."""
        timer = self._waiting.pop(client.id, None)
        if timer is not None:
            timer.cancel()

    def _head_missing(self, client: Any) -> None:
        self._waiting.pop(client.id, None)
        if client.id in self._cap.turned_away:
            drop_client(client.id)
            return
        target = Target(host=client.sni or "", method="?", port=client.sockname[1], via=via(client))
        text = f"no complete request within {HEAD_TIMEOUT_S:g} s"
        if not self.state.tunnels.ends(client.id, "header_timeout"):
            self.state.ledger.error(target, text, "header_timeout")
        drop_client(client.id)

    # Protocols

    @guarded(_refuse_layer)
    def next_layer(self, nextlayer: Any) -> None:
        """Admit HTTP and TLS where they belong, and refuse the rest at its first bytes."""
        kind = classify(nextlayer.data_client())
        if kind == "more":
            return
        context = nextlayer.context
        if context.client.id in self._cap.turned_away:
            nextlayer.layer = BusyLayer(context, kind)
            return
        if kind in admitted(context):
            nextlayer.layer = build(context, kind)
            return
        detail = {"http": "not_tls", "tls": "tls_to_proxy"}.get(kind, kind)
        self._blocked(context, detail)
        nextlayer.layer = RefusalLayer(context)

    @guarded(_only_tell)
    def request_malformed(self, data: Malformed) -> None:
        """A later request on a connection could not be read."""
        self._blocked(data.context, data.detail)

    def _blocked(self, context: Any, detail: str) -> None:
        if self.state.tunnels.ends(context.client.id, detail):
            return
        self.state.ledger.blocked(
            tunnel_target(context.client, context.server, "?"),
            Decision(allowed=False, reason="not_allowlisted", detail=detail),
        )

    @guarded(_only_tell)
    def http_connected(self, flow: Any) -> None:
        """A tunnel begins: a request must come in it."""
        self._programs[flow.client_conn.id] = flow.request.headers.get("user-agent", "")
        self._await_head(flow.client_conn)

    @guarded(_only_tell)
    def requestheaders(self, flow: Any) -> None:
        """The awaited request is here."""
        self.head_seen(flow.client_conn)

    @guarded(_refuse_hello)
    def tls_clienthello(self, data: Any) -> None:
        """
        Hold a connection whose server name is refused, so that it leaves an event whatever comes.

        On the transparent door the server name is the destination.
        """
        client, server = data.context.client, data.context.server
        sni = data.client_hello.sni
        explicit = via(client) == "explicit"
        if not explicit:
            server.address = (sni or NO_HOST, client.sockname[1])
        if client.id in self.state.tunnels:
            return
        host, port = a_label(str(server.address[0])), server.address[1]
        decision = self._judge_hello(host, port, sni)
        if decision is not None:
            target = Target(
                host=decision.host,
                port=port,
                method="CONNECT" if explicit else "TLS",
                via=via(client),
            )
            self.state.tunnels.open(client.id, target, decision)

    def _judge_hello(self, host: str, port: int, sni: str | None) -> Decision | None:
        """The refusal that any request in this connection would get, by what is known of it."""
        named = None if host == NO_HOST else Authority(host, port)
        claim = disagreement_of_names(named, sni)
        if claim is not None:
            return refusal(self.state.policy, claim, port)
        decision = decide(self.state.policy, host, port)
        return None if decision.allowed else decision

    @guarded(_only_tell)
    def tls_failed_client(self, data: Any) -> None:
        """Tell a client that rejects our CA from one that hangs up."""
        client = data.context.client
        self.head_seen(client)
        error = client.error or "TLS handshake failed"
        detail = _handshake_detail(error)
        if self.state.tunnels.ends(client.id, detail):
            return
        door = via(client)
        method = "TLS" if door == "https" else "CONNECT"
        target = tunnel_target(client, data.context.server, method)
        decision = decide(self.state.policy, target.host, target.port or 0)
        if not decision.allowed:
            self.state.ledger.blocked(target, decision)
        else:
            rejected = detail == "client_rejected_ca"
            hint = f": {ca_hint(self._programs.get(client.id, ''))}" if rejected else ""
            self.state.ledger.error(target, error + hint, detail)
