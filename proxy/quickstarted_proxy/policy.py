"""
Which requests may leave the sandbox: a pure decision, shared by sidecar and harness.

Standard library only. Names are compared as lower-case A-labels (the harness turns them into
A-labels when the task loads); nothing here resolves a name or opens a socket.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from quickstarted_proxy.paths import checked_pattern, permits

Reason = Literal["docs_host_requires_read_docs", "not_allowlisted", "explicit_network_override"]

DEFAULT_PORTS = (80, 443)
_HOST = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)(\.(?!-)[a-z0-9_-]{1,63}(?<!-))*")
_IPV4_PART = re.compile(r"0x[0-9a-f]*|[0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class HostRule:
    """A host that the shell may talk to."""

    host: str
    """Lower-case A-label form without a trailing dot."""
    subdomains: bool = False
    """Whether hosts below it are meant too."""
    ports: tuple[int, ...] = DEFAULT_PORTS
    explicit: bool = False
    """Named by the task itself: beats the documentation rule for that host."""

    def matches(self, host: str) -> bool:
        """Whether *host*, already normalised, is meant; compares whole labels."""
        return host == self.host or (self.subdomains and host.endswith("." + self.host))

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> HostRule:
        """Read what `asdict` wrote; raises like `EgressPolicy.from_json`."""
        _only(value, cls)
        return cls(
            host=_checked_host(value["host"]),
            subdomains=bool(value["subdomains"]),
            ports=tuple(int(port) for port in value["ports"]),
            explicit=bool(value["explicit"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PathRule:
    """What of a host may be requested; of several, the one with the nearest name counts."""

    host: str
    patterns: tuple[str, ...]
    """As `paths.checked_pattern` takes them; without any, nothing may be requested."""
    subdomains: bool = False
    default: bool = False
    """A registry's own, which does not bind where the task itself names the host."""

    def matches(self, host: str) -> bool:
        """Whether *host*, already normalised, is meant; compares whole labels."""
        return host == self.host or (self.subdomains and host.endswith("." + self.host))

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> PathRule:
        """Read what `asdict` wrote; raises like `EgressPolicy.from_json`."""
        _only(value, cls)
        return cls(
            host=_checked_host(value["host"]),
            patterns=tuple(checked_pattern(pattern) for pattern in value["patterns"]),
            subdomains=bool(value["subdomains"]),
            default=bool(value["default"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressPolicy:
    """Everything the sidecar needs to judge a request."""

    allow: tuple[HostRule, ...] = ()
    docs_hosts: tuple[str, ...] = ()
    """Documentation hosts, themselves and their subdomains: for `read_docs` only."""
    private_hosts: tuple[str, ...] = ()
    """Hosts that may resolve to a private address, themselves and their subdomains."""
    paths: tuple[PathRule, ...] = ()
    websocket_hosts: tuple[str, ...] = ()
    """Hosts, themselves and their subdomains, with which WebSocket may be spoken."""
    max_upload_bytes: int | None = None
    """What an attempt may send in all; None is no limit."""
    max_download_bytes: int | None = None
    """What an attempt may receive in all; None is no limit."""

    def to_json(self) -> dict[str, Any]:
        """The form in which the policy crosses the control stream."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> EgressPolicy:
        """
        Read what `to_json` wrote.

        Raises:
            ValueError: The value is not a policy; no default stands in for a missing part.

        """
        try:
            _only(value, cls)
            return cls(
                allow=tuple(HostRule.from_json(rule) for rule in value["allow"]),
                docs_hosts=_checked_hosts(value["docs_hosts"]),
                private_hosts=_checked_hosts(value["private_hosts"]),
                paths=tuple(PathRule.from_json(rule) for rule in value["paths"]),
                websocket_hosts=_checked_hosts(value["websocket_hosts"]),
                max_upload_bytes=_checked_limit(value["max_upload_bytes"]),
                max_download_bytes=_checked_limit(value["max_download_bytes"]),
            )
        except (KeyError, TypeError, AttributeError) as exc:
            raise ValueError(f"not a policy: {exc!r}") from exc


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What is to be done with a request, and why."""

    allowed: bool
    reason: Reason | None = None
    detail: str | None = None
    host: str = field(default="")
    """The host in the form in which it was compared."""


def normalise_host(host: str) -> str | None:
    """
    Lower-case *host* and drop one trailing dot.

    Returns:
        None when the result is not a host name of ASCII letters, digits, `-`, `_` and dots
        (RFC 1123 and the underscore that real registries use), or is longer than 253.

    """
    if not host.isascii():
        # str.lower() maps some letters outside ASCII into it, such as the Kelvin sign to k.
        return None
    name = host.lower().removesuffix(".")
    return name if len(name) <= 253 and _HOST.fullmatch(name) else None


def is_ip_literal(host: str) -> bool:
    """
    Whether a resolver takes *host* for an address: dotted, decimal, hex, octal and short IPv4 in
    the spellings of inet_aton, and anything with a colon (IPv6).
    """
    name = host.lower().removesuffix(".").strip("[]")
    if ":" in name:
        return True
    parts = name.split(".")
    return 1 <= len(parts) <= 4 and all(_IPV4_PART.fullmatch(part) for part in parts)


def decide(policy: EgressPolicy, host: str, port: int, path: bytes | None = None) -> Decision:
    """
    Judge a request to *host* and *port* as the client named them.

    A host that the task names under `network.allow` beats the documentation rule; a documentation
    host is refused with the reason that explains; everything else must be on the list.

    Args:
        policy: What is allowed.
        host: As the client named it.
        port: Likewise.
        path: The request's target as it was sent, query included; None where there is no request
            yet (CONNECT, a TLS handshake, a name lookup), and then no path rule is asked.

    """
    name = normalise_host(host)
    if name is None or is_ip_literal(host):
        return _refusal("ip_literal" if is_ip_literal(host) else "invalid_host", host)
    rules = [rule for rule in policy.allow if rule.matches(name)]
    explicit = [rule for rule in rules if rule.explicit]
    is_docs = _is_one_of(name, policy.docs_hosts)
    if is_docs and not explicit:
        return Decision(allowed=False, reason="docs_host_requires_read_docs", host=name)
    if not rules:
        return _refusal("host", name)
    granting = [rule for rule in (explicit if is_docs else rules) if port in rule.ports]
    if not granting:
        return _refusal("port", name)
    limit = _path_rule(policy, name, named_by_task=any(rule.explicit for rule in granting))
    if limit is not None and path is not None and not permits(limit.patterns, path):
        return _refusal("path", name)
    return Decision(
        allowed=True, reason="explicit_network_override" if is_docs else None, host=name
    )


def is_known_host(policy: EgressPolicy, host: str) -> bool:
    """Whether a lookup of *host* is answered: it is allowed on some port, or is documentation."""
    name = normalise_host(host)
    if name is None or is_ip_literal(host):
        return False
    return any(rule.matches(name) for rule in policy.allow) or _is_one_of(name, policy.docs_hosts)


def may_be_private(policy: EgressPolicy, host: str) -> bool:
    """Whether *host*, already normalised, may resolve to a private address."""
    return _is_one_of(host, policy.private_hosts)


def may_speak_websocket(policy: EgressPolicy, host: str) -> bool:
    """Whether a request to *host*, already allowed and normalised, may become a WebSocket."""
    return _is_one_of(host, policy.websocket_hosts)


def _refusal(detail: str, host: str) -> Decision:
    return Decision(allowed=False, reason="not_allowlisted", detail=detail, host=host)


def _path_rule(policy: EgressPolicy, host: str, *, named_by_task: bool) -> PathRule | None:
    """The rule that binds; a registry's own does not bind where the task names the host."""
    matching = [
        rule for rule in policy.paths if rule.matches(host) and not (rule.default and named_by_task)
    ]
    return max(matching, key=lambda rule: len(rule.host), default=None)


def _is_one_of(host: str, names: Sequence[str]) -> bool:
    return any(host == name or host.endswith("." + name) for name in names)


def _only(value: dict[str, Any], kind: type[HostRule | PathRule | EgressPolicy]) -> None:
    if unknown := set(value) - {one.name for one in fields(kind)}:
        raise ValueError(f"not a policy: unknown parts {sorted(unknown)}")


def _checked_host(value: str) -> str:
    name = normalise_host(value)
    if name is None or name != value:
        raise ValueError(f"not a normalised host name: {value!r}")
    return name


def _checked_hosts(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(_checked_host(value) for value in values)


def _checked_limit(value: int | None) -> int | None:
    if value is not None and (type(value) is not int or value < 0):
        raise ValueError(f"not a policy: {value!r} is no number of bytes")
    return value
