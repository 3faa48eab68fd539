"""
Which addresses the sidecar never connects to, as an explicit list of ranges.

`ipaddress.is_private` and `is_global` are not asked: they follow a registry that changes between
Python versions and that counts TEST-NET (203.0.113.0/24 and its kin) as private, which is what
registries resolve to on some networks that inspect TLS.
"""

from __future__ import annotations

import ipaddress

_LIFTABLE = (
    ("private (RFC 1918)", "10.0.0.0/8"),
    ("private (RFC 1918)", "172.16.0.0/12"),
    ("private (RFC 1918)", "192.168.0.0/16"),
    ("carrier-grade NAT (RFC 6598)", "100.64.0.0/10"),
    ("unique local (RFC 4193)", "fc00::/7"),
)
"""Ranges that a task may open for single hosts (`network.private`)."""

_NEVER = (
    ("cloud metadata", "169.254.169.254/32"),
    ("cloud metadata", "100.100.100.200/32"),
    ("cloud metadata", "168.63.129.16/32"),
    ("cloud metadata", "192.0.0.192/32"),
    ("cloud metadata", "fd00:ec2::254/128"),
    ("unspecified", "0.0.0.0/8"),
    ("loopback", "127.0.0.0/8"),
    ("link-local", "169.254.0.0/16"),
    ("IETF protocol assignments (RFC 6890)", "192.0.0.0/24"),
    ("6to4 relay (RFC 7526)", "192.88.99.0/24"),
    ("multicast", "224.0.0.0/4"),
    ("reserved (RFC 1112)", "240.0.0.0/4"),
    ("unspecified", "::/128"),
    ("loopback", "::1/128"),
    ("IPv4-compatible (RFC 4291)", "::/96"),
    ("NAT64 (RFC 6052)", "64:ff9b::/96"),
    ("NAT64 (RFC 8215)", "64:ff9b:1::/48"),
    ("Teredo (RFC 4380)", "2001::/32"),
    ("6to4 (RFC 3056)", "2002::/16"),
    ("link-local", "fe80::/10"),
    ("site-local (RFC 3879)", "fec0::/10"),
    ("multicast", "ff00::/8"),
)
"""Ranges that nothing opens: they name this machine, its cloud's metadata, or hide another."""

_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _compiled(ranges: tuple[tuple[str, str], ...]) -> tuple[tuple[str, _Network], ...]:
    return tuple((name, ipaddress.ip_network(text)) for name, text in ranges)


_LIFTABLE_NETWORKS = _compiled(_LIFTABLE)
_NEVER_NETWORKS = _compiled(_NEVER)


def refused_range(address: str, *, private_allowed: bool, own: str) -> str | None:
    """
    Say why the sidecar must not connect to *address*.

    Args:
        address: Numeric, as a resolver returns it; a zone after `%` is ignored.
        private_allowed: The task opened the liftable ranges for the host.
        own: The sidecar's own lane address, which is never connected to.

    Returns:
        The name of the range, or None when the address may be used.

    Raises:
        ValueError: It is not a numeric address.

    """
    parsed = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    if parsed == ipaddress.ip_address(own):
        return "the sidecar itself"
    ranges = _NEVER_NETWORKS if private_allowed else _NEVER_NETWORKS + _LIFTABLE_NETWORKS
    for name, network in ranges:
        if parsed.version == network.version and parsed in network:
            return name
    return None
