"""
The policy at work on HTTP: every request is decided before anything of it goes upstream.

CONNECT is decided in `http_connect`, everything else in `requestheaders`, before the body is read
and before any upstream connection exists (the connection strategy is lazy). A CONNECT that is
refused because of its name is answered 200 all the same, so that the request inside can be
answered with the 403 that explains (`tunnels`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mitmproxy import http

from quickstarted_proxy import refusals
from quickstarted_proxy.authority import (
    Authority,
    Claims,
    Disagreement,
    a_label,
    reconcile,
    refusal,
)
from quickstarted_proxy.budgets import Budget
from quickstarted_proxy.control import HTTPS_PORT
from quickstarted_proxy.docs_door import DocsDoor
from quickstarted_proxy.doors import via
from quickstarted_proxy.forwarding import (
    Route,
    forward,
    resolve_target,
)
from quickstarted_proxy.guard import guarded
from quickstarted_proxy.ledger import Exchange, Target
from quickstarted_proxy.model_traffic import ModelTraffic
from quickstarted_proxy.package_cache import PackageCache
from quickstarted_proxy.policy import Decision, decide, may_speak_websocket
from quickstarted_proxy.protocol_layers import NO_HOST
from quickstarted_proxy.relay import RELAY
from quickstarted_proxy.secret_traffic import (
    DETAIL as SECRET,
)
from quickstarted_proxy.secret_traffic import (
    holds_misplaced,
    place_secrets,
    scrub_answer,
    watch_request_body,
)
from quickstarted_proxy.spending import (
    meter_relay,
    meter_request,
    meter_response,
    take_request_head,
)
from quickstarted_proxy.state import State
from quickstarted_proxy.tunnels import BY_NAME
from quickstarted_proxy.wording import printable_method, printable_path

_REFUSED_METHODS = frozenset({"CONNECT", "TRACE", "TRACK"})
_MAX_METHOD_CHARS = 32
_WEBSOCKET = "quickstarted_websocket"
"""In a flow's metadata: the request asked for it, and the policy lets it."""
_IGNORED_UPGRADES = ("h2c", "tls/")
"""Offers that a server may leave unanswered (RFC 9110, section 7.8); curl and Java make them."""


def target_of(flow: Any) -> Target:
    """What a flow asks for, as events show it."""
    request = flow.request
    host = a_label(request.data.host)
    if host == NO_HOST:
        host = request.headers.get("host", "")
    return Target(
        host=host,
        port=request.data.port or None,
        method=printable_method(request.data.method),
        path=printable_path(request.data.path) or None,
        via=via(flow.client_conn),
    )


def refuse(state: State, flow: Any, target: Target, decision: Decision) -> None:
    """Answer with the 403 that explains, and write the event last, so that nothing follows it."""
    answer(flow, 403, refusals.explain(target, decision), refusals.headers(decision))
    if flow.request.method == "CONNECT":
        flow.response.reason = refusals.phrase(target, decision)
    state.ledger.blocked(target, decision)


def refuse_spent(state: State, flow: Any, target: Target, budget: Budget) -> None:
    """The same for a request that the policy allows and a budget does not."""
    text = budget.explanation()
    fields = {"Content-Type": refusals.PLAIN_TEXT, refusals.DETAIL_HEADER: budget.detail}
    answer(flow, 403, f"quickstarted refused this request:\n{text}.\n", fields)
    state.ledger.error(target, text, budget.detail)


def answer(flow: Any, status: int, text: str, headers: dict[str, str]) -> None:
    """Answer in the upstream's place; HEAD has no body (RFC 9110, section 9.3.2)."""
    body = "" if flow.request.method == "HEAD" else text
    flow.request.headers.pop("expect", None)
    if flow.request.headers.get("content-length", "0") != "0" or (
        "transfer-encoding" in flow.request.headers
    ):
        headers = {**headers, "Connection": "close"}
    flow.response = http.Response.make(status, body, headers)


def _refuse_broken(gate: Gate, flow: Any, exc: Exception) -> None:
    """A hook raised: refuse, and say so."""
    try:
        target = target_of(flow)
    except Exception:  # noqa: BLE001 (the flow itself may be what cannot be read)
        target = Target(host="", method="?", via="explicit")
    decision = Decision(allowed=False, reason="not_allowlisted", detail="policy_exception")
    if gate.state.ledger.get(flow.id) is None:
        gate.state.ledger.blocked(target, decision)
    else:
        gate.state.ledger.refuse(flow.id, "policy_exception")
    gate.state.ledger.error(target, f"{type(exc).__name__}: {exc}", "policy_exception")
    flow.response = http.Response.make(
        403, refusals.explain(target, decision), refusals.headers(decision)
    )


def _kill_broken(gate: Gate, flow: Any, exc: Exception) -> None:
    """A hook raised when the answer had begun: cut it."""
    gate.state.ledger.fail(flow.id, f"{type(exc).__name__}: {exc}", "policy_exception")
    flow.kill()


class Gate:
    """Decides on requests; the rest of a request's way is in `forwarding` and `dialling`."""

    def __init__(
        self,
        state: State,
        door: DocsDoor,
        models: ModelTraffic,
        packages: PackageCache | None = None,
    ) -> None:
        self.state = state
        self._door = door
        self._models = models
        self._packages = packages

    @guarded(_refuse_broken)
    def http_connect(self, flow: Any) -> None:
        """Decide on a CONNECT; the requests inside are decided on one by one."""
        target = target_of(flow)
        if target.via != "explicit":
            decision = Decision(allowed=False, reason="not_allowlisted", detail="method")
        else:
            decision = decide(self.state.policy, target.host, target.port or 0)
            target = replace(target, host=decision.host)
        if decision.allowed:
            flow.request.data.host = decision.host
        elif target.port == HTTPS_PORT and decision.detail in BY_NAME:
            flow.request.data.host = decision.host
            self.state.tunnels.open(flow.client_conn.id, target, decision)
        else:
            refuse(self.state, flow, target, decision)

    @guarded(_refuse_broken)
    async def requestheaders(self, flow: Any) -> None:
        """Decide on a request, and let it go where it wants to."""
        held = self.state.tunnels.judge(flow.client_conn.id)
        target = target_of(flow)
        if flow.error is not None:
            # mitmproxy found the request malformed and answers 400 itself.
            self.state.ledger.blocked(target, _refusal("malformed_request"))
            return
        claim = reconcile(_claims(flow), flow.client_conn.sockname[1])
        if isinstance(claim, Disagreement):
            self._refuse_disagreement(flow, target, claim)
            return
        if held is None and self._door.takes(flow, claim.host):
            return
        decision = held or _judge(self.state, flow, claim)
        target = replace(target, host=decision.host, port=claim.port or None)
        if not decision.allowed:
            refuse(self.state, flow, target, decision)
            return
        budget = take_request_head(self.state, flow)
        if budget is not None:
            refuse_spent(self.state, flow, target, budget)
            return
        exchange = self.state.ledger.begin(
            flow.id, target, flow.client_conn.id, reason=decision.reason
        )
        flow.request.data.host, flow.request.data.port = decision.host, claim.port
        if self._models.admits(flow, exchange):
            await self._send_on(flow, exchange)

    async def _send_on(self, flow: Any, exchange: Exchange) -> None:
        """Answer an allowed request from what is kept, or find where it goes, and send it there."""
        attempt, target = self.state.attempt, exchange.target
        if self._packages is not None and await self._packages.gives(flow, exchange):
            if attempt != self.state.attempt:
                flow.kill()
            return
        route = await resolve_target(self.state, flow, exchange)
        if attempt != self.state.attempt:
            flow.kill()
        elif isinstance(route, Decision):
            self.state.ledger.refuse(flow.id, route.detail or "")
            answer(flow, 403, refusals.explain(target, route), refusals.headers(route))
        elif isinstance(route, str):
            self.state.ledger.fail(flow.id, route, "dns_failure")
            answer(flow, 502, f"quickstarted: {target.host}: {route}\n", {})
        else:
            self._forward(flow, route, exchange)

    @guarded(_kill_broken)
    def responseheaders(self, flow: Any) -> None:
        """Note the status, and refuse a switch of protocols."""
        exchange = self.state.ledger.get(flow.id)
        if exchange is not None and flow.response is not None:
            self._answered(flow, exchange)
        scrub_answer(self.state, flow)
        self._models.read_answer(flow)

    def _answered(self, flow: Any, exchange: Exchange) -> None:
        exchange.status = flow.response.status_code
        if flow.response.status_code == 101:
            if not (flow.metadata.get(_WEBSOCKET) and _upgrade(flow.response) == "websocket"):
                self.state.ledger.refuse(flow.id, "upgrade")
                flow.kill()
                return
            flow.metadata[RELAY] = meter_relay(self.state, flow, exchange)
        flow.response.headers.pop("alt-svc", None)
        meter_response(self.state, flow, exchange)

    @guarded(_kill_broken)
    def response(self, flow: Any) -> None:
        """The answer has ended; a WebSocket only begins with it."""
        if RELAY not in flow.metadata:
            self.state.ledger.finish(flow.id)

    @guarded(_kill_broken)
    def relay_ended(self, data: Any) -> None:
        """A WebSocket has ended."""
        self.state.ledger.finish(data.id)

    def _refuse_disagreement(self, flow: Any, target: Target, claim: Disagreement) -> None:
        decision = refusal(self.state.policy, claim, target.port or 0)
        refuse(self.state, flow, replace(target, host=decision.host), decision)

    def _forward(self, flow: Any, route: Route, exchange: Exchange) -> None:
        websocket = _upgrade(flow.request) == "websocket"
        place_secrets(self.state, flow, exchange)
        forward(self.state, flow, route.proxy)
        if websocket:
            flow.metadata[_WEBSOCKET] = True
            flow.request.headers["Connection"] = "Upgrade"
            flow.request.headers["Upgrade"] = "websocket"
        meter_request(self.state, flow, exchange)
        watch_request_body(self.state, flow, exchange)
        self._models.watch(flow, exchange)


def _claims(flow: Any) -> Claims:
    request, client = flow.request, flow.client_conn
    tunnelled = flow.server_conn.address is not None
    host = a_label(request.data.host)
    known = host not in {"", NO_HOST}
    return Claims(
        named=Authority(host, request.data.port) if known else None,
        tls=bool(client.tls) and tunnelled,
        sni=client.sni,
        hosts=tuple(request.headers.get_all("host")),
        host_required=request.data.http_version != b"HTTP/1.0",
    )


def _refusal(detail: str, host: str = "") -> Decision:
    return Decision(allowed=False, reason="not_allowlisted", detail=detail, host=host)


def _judge(state: State, flow: Any, claim: Authority) -> Decision:
    """The policy's decision, and what it does not know of: method and upgrade."""
    decision = decide(state.policy, claim.host, claim.port, flow.request.data.path)
    if not decision.allowed:
        is_of_model = any(api.host == decision.host for api in state.models)
        model_path = decision.detail == "path" and is_of_model
        return replace(decision, detail="model_path") if model_path else decision
    method = flow.request.method
    if (
        method.upper() in _REFUSED_METHODS
        or len(method) > _MAX_METHOD_CHARS
        or not method.replace("-", "").replace("_", "").isalnum()
    ):
        return _refusal("method", decision.host)
    if holds_misplaced(state, flow, decision.host):
        return _refusal(SECRET, decision.host)
    upgrade = _upgrade(flow.request)
    if upgrade == "websocket" and may_speak_websocket(state.policy, decision.host):
        return decision
    if upgrade and not upgrade.startswith(_IGNORED_UPGRADES):
        return _refusal("upgrade", decision.host)
    return decision


def _upgrade(message: Any) -> str:
    upgrade: str = message.headers.get("upgrade", "").strip().lower()
    return upgrade
