"""How an allowed request goes out: resolved, directly or through the host's proxy, and counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quickstarted_proxy.ledger import Exchange
from quickstarted_proxy.policy import Decision, may_be_private
from quickstarted_proxy.resolver import Refused, Unresolved
from quickstarted_proxy.state import State
from quickstarted_proxy.upstream import UpstreamProxy

RESOLVED_ELSEWHERE = "resolved_by_upstream_proxy"
_HOP_HEADERS = ("proxy-authorization", "proxy-connection", "upgrade", "http2-settings")


@dataclass(frozen=True, slots=True)
class Route:
    """Where a request goes: through a proxy, or directly."""

    proxy: UpstreamProxy | None


async def resolve_target(state: State, flow: Any, exchange: Exchange) -> Route | Decision | str:
    """
    Find the way for a request that the policy allowed.

    Returns:
        The route; a refusal (`private_address`); or a text that says why no address was found.

    """
    host, port = flow.request.data.host, flow.request.data.port
    scheme = "https" if flow.request.scheme == "https" else "http"
    proxy = state.proxies.choose(scheme, host, port)
    if proxy is not None:
        exchange.detail = RESOLVED_ELSEWHERE
        problem = await state.resolver.resolve(proxy.host, proxy.port, trusted=True)
        shown = f"the upstream proxy {proxy.host}"
    else:
        private_allowed = may_be_private(state.policy, host)
        problem = await state.resolver.resolve(host, port, private_allowed=private_allowed)
        shown = host
    if isinstance(problem, Unresolved):
        return f"cannot resolve {shown}: {problem.error}"
    if isinstance(problem, Refused):
        return Decision(
            allowed=False, reason="not_allowlisted", detail="private_address", host=host
        )
    return Route(proxy)


def forward(state: State, flow: Any, proxy: UpstreamProxy | None) -> None:
    """Permit the connection and put the request into the form that its way needs."""
    request, client_id = flow.request, flow.client_conn.id
    request.authority = ""
    strip_hop_headers(request.headers, *_HOP_HEADERS)
    if proxy is None:
        state.permit(client_id, request.data.host, request.data.port)
        return
    state.permit(client_id, proxy.host, proxy.port)
    if request.scheme == "https":
        flow.server_conn.via = (proxy.scheme, (proxy.host, proxy.port))
        return
    # Many proxies refuse CONNECT to port 80: plain HTTP goes out in absolute form
    # (RFC 9112, section 3.2.2).
    origin = request.data.host + ("" if request.data.port == 80 else f":{request.data.port}")
    request.data.path = b"http://" + origin.encode("ascii") + request.data.path
    request.data.host, request.data.port = proxy.host, proxy.port
    request.data.scheme = proxy.scheme.encode("ascii")
    if proxy.authorization is not None:
        request.headers["Proxy-Authorization"] = proxy.authorization


def strip_hop_headers(headers: Any, *names: str) -> None:
    """Remove headers that concern one connection only, and their mention in Connection."""
    for name in names:
        if name in headers:
            del headers[name]
    tokens = [token.strip() for token in headers.get("connection", "").split(",")]
    kept = [token for token in tokens if token and token.lower() not in names]
    if kept != tokens and "connection" in headers:
        if kept:
            headers["connection"] = ", ".join(kept)
        else:
            del headers["connection"]


def count_sent(exchange: Exchange) -> Callable[[int], None]:
    """What takes the sizes of the pieces of a request's body as they pass."""

    def count(size_bytes: int) -> None:
        exchange.bytes_out += size_bytes

    return count


def count_received(exchange: Exchange) -> Callable[[int], None]:
    """The same for the body of an answer."""

    def count(size_bytes: int) -> None:
        exchange.bytes_in += size_bytes

    return count
