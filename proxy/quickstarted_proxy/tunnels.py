"""
Tunnels that are refused because of the name they are for, and held open to say so.

Standard library only. Clients drop the body of a refused CONNECT, so the request inside is what is
answered, and what is recorded. A tunnel that ends without a request is recorded when its client is
gone. A TLS connection whose server name is refused, with or without a CONNECT before it, is held in
the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from quickstarted_proxy.ledger import Ledger, Target
from quickstarted_proxy.policy import Decision

BY_NAME = (None, "host")
"""Details of a refusal that is for the host's name alone; it leaves room to say how it ended."""


@dataclass(slots=True)
class _Tunnel:
    decision: Decision
    event: dict[str, Any]
    """To be reported if no request comes."""
    told: bool = False
    """Nothing is left to report of the tunnel itself."""
    end: str | None = None


class RefusedTunnels:
    """By client connection, which carries one tunnel at most, and nothing after it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._tunnels: dict[str, _Tunnel] = {}

    def open(self, client_id: str, target: Target, decision: Decision) -> None:
        """Refuse from now on, as *decision* says, all that comes on this connection."""
        self._tunnels[client_id] = _Tunnel(decision, self._ledger.refusal(target, decision))

    def __contains__(self, client_id: str) -> bool:
        return client_id in self._tunnels

    def judge(self, client_id: str) -> Decision | None:
        """
        Refuse a request inside, whatever it names; it leaves an event of its own.

        Returns:
            None when the connection is no refused tunnel.

        """
        tunnel = self._tunnels.get(client_id)
        if tunnel is None:
            return None
        tunnel.told = True
        return tunnel.decision

    def ends(self, client_id: str, detail: str) -> bool:
        """
        Note how a tunnel ends; the first cause stands.

        Returns:
            False when the connection is no tunnel that waits for its first request.

        """
        tunnel = self._tunnels.get(client_id)
        if tunnel is None or tunnel.told:
            return False
        tunnel.end = tunnel.end or detail
        return True

    def end_all(self, detail: str) -> list[str]:
        """The same for all tunnels; returns the connections, which are to be closed."""
        for client_id in self._tunnels:
            self.ends(client_id, detail)
        return list(self._tunnels)

    def gone(self, client_id: str) -> None:
        """The connection is closed."""
        tunnel = self._tunnels.pop(client_id, None)
        if tunnel is None or tunnel.told:
            return
        detail = tunnel.decision.detail
        if detail in BY_NAME:
            detail = tunnel.end or "client_disconnected"
        self._ledger.report({**tunnel.event, "detail": detail})

    def reset(self) -> None:
        """Another attempt begins: what is still open stays refused, and is not reported."""
        for tunnel in self._tunnels.values():
            tunnel.told = True
