"""
Who a request is for, said up to three times: CONNECT target, SNI and Host must agree.

Standard library only. mitmproxy decodes punycode while it parses; everything here is turned back
into A-labels before it is compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from quickstarted_proxy.policy import Decision, EgressPolicy, decide, normalise_host

_HOST_PORT = re.compile(r"(?P<host>[^:@/\\\s]+)(?::(?P<port>[0-9]{1,5}))?")


@dataclass(frozen=True, slots=True)
class Authority:
    """A host in A-label form, and a port."""

    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """What one request says about its destination."""

    named: Authority | None
    """CONNECT target, absolute URI, or SNI and port of the transparent 443 door."""
    tls: bool
    sni: str | None
    hosts: tuple[str, ...]
    """Every Host header, as it was sent."""
    host_required: bool
    """False for HTTP/1.0, which has none (RFC 9112, section 3.2)."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Why a request's claims do not hold together."""

    detail: str
    host: str
    """The name that deviates, or the named host where there is none to show."""


def refusal(policy: EgressPolicy, claim: Disagreement, port: int) -> Decision:
    """The decision on a request whose claims do not hold; its reason is that of the name shown."""
    host = a_label(claim.host)
    judged = decide(policy, host, port)
    reason = judged.reason if not judged.allowed else "not_allowlisted"
    return Decision(allowed=False, reason=reason, detail=claim.detail, host=host)


def a_label(host: str) -> str:
    """
    Turn a host that mitmproxy may have decoded back into ASCII.

    A name that has no A-label form keeps its characters as escapes, which no rule matches.
    """
    if host.isascii():
        return host
    try:
        return host.encode("idna").decode("ascii")
    except UnicodeError:
        return host.encode("utf-8", "surrogateescape").decode("ascii", "backslashreplace")


def parse_host_header(value: str, default_port: int) -> Authority | None:
    """Read `host[:port]` of a Host header; None when it is anything else."""
    match = _HOST_PORT.fullmatch(value)
    if match is None:
        return None
    host = normalise_host(match["host"])
    port = int(match["port"] or default_port)
    if host is None or not 0 < port < 65536:
        return None
    return Authority(host, port)


def reconcile(claims: Claims, default_port: int) -> Authority | Disagreement:
    """
    Find the one destination that all claims agree on.

    Args:
        claims: What the request says.
        default_port: The port a Host header without one means where nothing else is named.

    """
    named = claims.named
    shown = named.host if named else ""
    if len(claims.hosts) > 1:
        return Disagreement("duplicate_host", shown)
    if claims.tls and (problem := disagreement_of_names(named, claims.sni)):
        return problem
    if not claims.hosts:
        return named if named and not claims.host_required else Disagreement("no_host", shown)
    return _match_host(claims.hosts[0], named, default_port)


def disagreement_of_names(named: Authority | None, sni: str | None) -> Disagreement | None:
    """What is wrong with a TLS server name in a connection that was opened for *named*."""
    if not sni:
        return Disagreement("no_sni", named.host if named else "")
    if named is None or _comparable(sni) != _comparable(named.host):
        return Disagreement("sni_mismatch", sni)
    return None


def _match_host(
    header: str, named: Authority | None, default_port: int
) -> Authority | Disagreement:
    if not header.isascii():
        return Disagreement("invalid_host", header)
    claimed = parse_host_header(header, named.port if named else default_port)
    if named is None:
        if claimed is not None and claimed.port != default_port:
            return Disagreement("host_mismatch", claimed.host)
        return claimed or _unreadable_host(header, default_port)
    if claimed is None or claimed.port != named.port or claimed.host != _comparable(named.host):
        return Disagreement("host_mismatch", claimed.host if claimed else header)
    return named


def _comparable(host: str) -> str:
    return normalise_host(host) or host


def _unreadable_host(header: str, default_port: int) -> Authority | Disagreement:
    """Let the policy name what is wrong with an address; anything else is not a host at all."""
    match = _HOST_PORT.fullmatch(header)
    if match is not None:
        return Authority(match["host"], int(match["port"] or default_port))
    if header.startswith("["):
        return Authority(header.partition("]")[0].strip("[]"), default_port)
    return Disagreement("invalid_host", header)
