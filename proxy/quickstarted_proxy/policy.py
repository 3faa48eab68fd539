"""
Which requests may leave the sandbox: a pure decision, shared by sidecar and harness.

Standard library only. Names are compared as lower-case A-labels (the harness turns them into
A-labels when the task loads); nothing here resolves a name or opens a socket.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

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


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressPolicy:
    """Everything the sidecar needs to judge a request."""

    allow: tuple[HostRule, ...] = ()
    docs_hosts: tuple[str, ...] = ()
    """Documentation hosts, themselves and their subdomains: for `read_docs` only."""
    private_hosts: tuple[str, ...] = ()
    """Hosts that may resolve to a private address."""

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
            allow = tuple(
                HostRule(
                    host=_checked_host(rule["host"]),
                    subdomains=bool(rule["subdomains"]),
                    ports=tuple(int(port) for port in rule["ports"]),
                    explicit=bool(rule["explicit"]),
                )
                for rule in value["allow"]
            )
            docs = tuple(_checked_host(host) for host in value["docs_hosts"])
            private = tuple(_checked_host(host) for host in value["private_hosts"])
        except (KeyError, TypeError, AttributeError) as exc:
            raise ValueError(f"not a policy: {exc!r}") from exc
        if unknown := set(value) - {"allow", "docs_hosts", "private_hosts"}:
            raise ValueError(f"not a policy: unknown parts {sorted(unknown)}")
        return cls(allow=allow, docs_hosts=docs, private_hosts=private)


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


def decide(policy: EgressPolicy, host: str, port: int) -> Decision:
    """
    Judge a request to *host* and *port* as the client named them.

    A host that the task names under `network.allow` beats the documentation rule; a documentation
    host is refused with the reason that explains; everything else must be on the list.
    """
    if is_ip_literal(host):
        return Decision(allowed=False, reason="not_allowlisted", detail="ip_literal", host=host)
    name = normalise_host(host)
    if name is None:
        return Decision(allowed=False, reason="not_allowlisted", detail="invalid_host", host=host)
    rules = [rule for rule in policy.allow if rule.matches(name)]
    explicit = [rule for rule in rules if rule.explicit]
    is_docs = any(name == docs or name.endswith("." + docs) for docs in policy.docs_hosts)
    if is_docs and not explicit:
        return Decision(
            allowed=False, reason="docs_host_requires_read_docs", detail=None, host=name
        )
    if not rules:
        return Decision(allowed=False, reason="not_allowlisted", detail="host", host=name)
    usable = explicit if is_docs else rules
    if not any(port in rule.ports for rule in usable):
        return Decision(allowed=False, reason="not_allowlisted", detail="port", host=name)
    return Decision(
        allowed=True, reason="explicit_network_override" if is_docs else None, host=name
    )


def is_known_host(policy: EgressPolicy, host: str) -> bool:
    """Whether a lookup of *host* is answered: it is allowed on some port, or is documentation."""
    name = normalise_host(host)
    if name is None or is_ip_literal(host):
        return False
    return any(rule.matches(name) for rule in policy.allow) or any(
        name == docs or name.endswith("." + docs) for docs in policy.docs_hosts
    )


def may_be_private(policy: EgressPolicy, host: str) -> bool:
    """Whether *host*, already normalised, may resolve to a private address."""
    return any(host == name or host.endswith("." + name) for name in policy.private_hosts)


def _checked_host(value: str) -> str:
    name = normalise_host(value)
    if name is None or name != value:
        raise ValueError(f"not a normalised host name: {value!r}")
    return name
