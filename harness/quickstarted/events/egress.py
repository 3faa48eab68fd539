"""Events of the proxy: what left the sandbox, what was refused, what failed."""

from __future__ import annotations

from typing import Literal

from quickstarted.events.base import EventBase

EgressReason = Literal[
    "docs_host_requires_read_docs", "not_allowlisted", "explicit_network_override"
]
Door = Literal["explicit", "http", "https", "dns"]
"""How a request came to the sidecar: explicit proxy, transparent port 80 or 443, name lookup."""


class EgressAllowed(EventBase):
    """The proxy passed a request; `ts` is the moment of the decision."""

    type: Literal["egress_allowed"] = "egress_allowed"
    host: str
    port: int
    method: str
    path: str
    reason: Literal["explicit_network_override"] | None = None
    status: int | None = None
    """Of the upstream's answer; None when there was none yet as the record ended."""
    bytes_in: int | None = None
    """Body bytes from upstream to sandbox."""
    bytes_out: int | None = None
    """Body bytes from sandbox to upstream."""
    duration: float | None = None
    """Seconds from decision to the end of the answer."""
    from_cache: bool | None = None
    """The package cache answered; upstream was not asked."""
    via: Door | None = None
    detail: str | None = None
    scope: int | None = None
    seq: int | None = None


class EgressBlocked(EventBase):
    """The proxy refused a request or a name lookup."""

    type: Literal["egress_blocked"] = "egress_blocked"
    host: str
    reason: Literal["docs_host_requires_read_docs", "not_allowlisted"]
    method: str
    """`DNS` for a name lookup."""
    port: int | None = None
    path: str | None = None
    detail: str | None = None
    """The specific cause: `port`, `ip_literal`, `sni_mismatch`, ..."""
    via: Door | None = None
    scope: int | None = None
    seq: int | None = None


class EgressError(EventBase):
    """The policy allowed a request, and the connection failed."""

    type: Literal["egress_error"] = "egress_error"
    host: str
    error: str
    method: str
    port: int | None = None
    path: str | None = None
    detail: str | None = None
    """`dns_failure`, `connect_failed`, `upstream_tls`, `client_rejected_ca`, ..."""
    via: Door | None = None
    scope: int | None = None
    seq: int | None = None


EgressEvent = EgressAllowed | EgressBlocked | EgressError
