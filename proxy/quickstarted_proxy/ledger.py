"""
What has been decided and what became of it: every request leaves one event, and one only.

Standard library only. An allowed request is reported when its answer has ended, with `ts` of the
moment of the decision, so that sorting by `ts` gives the order of decisions.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from quickstarted_proxy import clock
from quickstarted_proxy.policy import Decision
from quickstarted_proxy.wording import printable, printable_host

MAX_DNS_NAMES = 1000
"""Refused names kept apart in one scope; what comes after is reported once, as a sum."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What was asked for, as events show it."""

    host: str
    method: str
    via: str
    port: int | None = None
    path: str | None = None

    def fields(self) -> dict[str, Any]:
        """The fields of an event, without those that do not apply."""
        shown: dict[str, Any] = {"host": printable_host(self.host), "method": self.method}
        if self.port is not None:
            shown["port"] = self.port
        if self.path is not None:
            shown["path"] = self.path
        return {**shown, "via": self.via}


@dataclass(slots=True, kw_only=True)
class Exchange:
    """An allowed request under way."""

    target: Target
    client_id: str
    scope: int
    reason: str | None
    detail: str | None = None
    ts: float = field(default_factory=clock.now)
    started: float = field(default_factory=time.monotonic)
    status: int | None = None
    bytes_in: int = 0
    bytes_out: int = 0
    from_cache: bool = False
    """Answered with a file that was kept, without asking upstream."""

    def figures(self) -> dict[str, Any]:
        """Counts so far, as fields of an event."""
        return {
            "status": self.status,
            "bytes_in": self.bytes_in,
            "bytes_out": self.bytes_out,
            "duration": round(time.monotonic() - self.started, 6),
        }


class Ledger:
    """All exchanges of one attempt; *emit* takes each finished event."""

    def __init__(self, emit: Callable[[dict[str, Any]], None]) -> None:
        self._emit = emit
        self._open: dict[str, Exchange] = {}
        self._dns_names: set[str] = set()
        self.scope = 0

    def begin(
        self, flow_id: str, target: Target, client_id: str, *, reason: str | None
    ) -> Exchange:
        """Note an allowed request."""
        exchange = Exchange(target=target, client_id=client_id, scope=self.scope, reason=reason)
        self._open[flow_id] = exchange
        return exchange

    def get(self, flow_id: str) -> Exchange | None:
        """The exchange under way, or None when it was refused, has ended or was settled."""
        return self._open.get(flow_id)

    def finish(self, flow_id: str) -> None:
        """Report an exchange whose answer has ended."""
        exchange = self._open.pop(flow_id, None)
        if exchange is not None:
            self._allowed(exchange, exchange.detail)

    def fail(self, flow_id: str, error: str, detail: str) -> None:
        """Report an exchange that the network, a server or the client broke."""
        exchange = self._open.pop(flow_id, None)
        if exchange is not None:
            known = {name: value for name, value in exchange.figures().items() if value}
            self._emit(
                {
                    **self._head("egress_error", exchange.target, exchange.ts, exchange.scope),
                    "error": printable(error),
                    "detail": detail,
                    **known,
                }
            )

    def refuse(self, flow_id: str, detail: str) -> None:
        """Report an exchange that turned out to be forbidden after it was under way."""
        exchange = self._open.pop(flow_id, None)
        if exchange is not None:
            head = self._head("egress_blocked", exchange.target, exchange.ts, exchange.scope)
            self._emit({**head, "reason": "not_allowlisted", "detail": detail})

    def abandon(self, client_id: str, error: str, detail: str) -> bool:
        """Report what a client left under way when its connection ended; whether there was any."""
        left = [key for key, value in self._open.items() if value.client_id == client_id]
        for flow_id in left:
            self.fail(flow_id, error, detail)
        return bool(left)

    def blocked(self, target: Target, decision: Decision) -> None:
        """Report a refusal."""
        self.report(self.refusal(target, decision))

    def refusal(self, target: Target, decision: Decision) -> dict[str, Any]:
        """The event of a refusal of now."""
        event = self._head("egress_blocked", target, clock.now(), self.scope)
        event["reason"] = decision.reason or "not_allowlisted"
        if decision.detail is not None:
            event["detail"] = decision.detail
        return event

    def report(self, event: dict[str, Any]) -> None:
        """Report an event that was made before."""
        self._emit(event)

    def error(self, target: Target, error: str, detail: str, **more: Any) -> None:
        """Report a failure that belongs to no exchange."""
        head = self._head("egress_error", target, clock.now(), self.scope)
        self._emit({**head, "error": printable(error), "detail": detail, **more})

    def blocked_name(self, target: Target, decision: Decision) -> None:
        """Report a refused name lookup, once for each name and scope."""
        if target.host in self._dns_names or len(self._dns_names) > MAX_DNS_NAMES:
            return
        self._dns_names.add(target.host)
        if len(self._dns_names) > MAX_DNS_NAMES:
            target = Target(host="*", method=target.method, via=target.via)
            decision = Decision(allowed=False, reason="not_allowlisted", detail="many_names")
        self.blocked(target, decision)

    def settle(self) -> None:
        """Report every exchange under way as it stands; none is reported again."""
        for flow_id in list(self._open):
            self._allowed(self._open.pop(flow_id), "unfinished")

    def begin_scope(self, scope: int) -> None:
        """What comes now belongs to *scope*."""
        self.scope = scope
        self._dns_names.clear()

    def reset(self) -> None:
        """Forget everything: another attempt begins."""
        self._open.clear()
        self.begin_scope(0)

    def _allowed(self, exchange: Exchange, detail: str | None) -> None:
        event = self._head("egress_allowed", exchange.target, exchange.ts, exchange.scope)
        event.update(exchange.figures())
        if exchange.from_cache:
            event["from_cache"] = True
        if exchange.reason is not None:
            event["reason"] = exchange.reason
        if detail is not None:
            event["detail"] = detail
        self._emit(event)

    @staticmethod
    def _head(kind: str, target: Target, ts: float, scope: int) -> dict[str, Any]:
        return {"type": kind, "ts": ts, "scope": scope, **target.fields()}
