"""
Which addresses an allowed name must not lead to: one explicit table, shared by sidecar and harness.

Standard library only. Judged after resolution, so that a public name cannot reach what stands
behind the host. The table is written out because `ipaddress.is_private` and `is_global` also refuse
the documentation ranges (RFC 5737), which are what public registries resolve to on some inspected
networks.
"""

from __future__ import annotations

import ipaddress
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

PRIVATE_RANGES: tuple[tuple[str, str], ...] = (
    ("0.0.0.0/8", "this network, RFC 1122"),
    ("10.0.0.0/8", "private, RFC 1918"),
    ("100.64.0.0/10", "carrier-grade NAT, RFC 6598"),
    ("127.0.0.0/8", "loopback, RFC 1122"),
    ("168.63.129.16/32", "cloud metadata"),
    ("169.254.0.0/16", "link-local and cloud metadata, RFC 3927"),
    ("172.16.0.0/12", "private, RFC 1918"),
    ("192.0.0.0/24", "protocol assignments, RFC 6890"),
    ("192.88.99.0/24", "6to4 relay, RFC 7526"),
    ("192.168.0.0/16", "private, RFC 1918"),
    ("224.0.0.0/4", "multicast, RFC 5771"),
    ("240.0.0.0/4", "reserved and broadcast, RFC 1112"),
    ("::/96", "unspecified, loopback and IPv4-compatible, RFC 4291"),
    ("64:ff9b::/96", "NAT64, RFC 6052"),
    ("64:ff9b:1::/48", "local NAT64, RFC 8215"),
    ("2001::/32", "Teredo, RFC 4380"),
    ("2002::/16", "6to4, RFC 3056"),
    ("fc00::/7", "unique local, RFC 4193"),
    ("fe80::/10", "link-local, RFC 4291"),
    ("fec0::/10", "site-local, RFC 3879"),
    ("ff00::/8", "multicast, RFC 4291"),
)

_NETWORKS: tuple[tuple[IPv4Network | IPv6Network, str], ...] = tuple(
    (ipaddress.ip_network(cidr), name) for cidr, name in PRIVATE_RANGES
)


def private_range(address: str) -> str | None:
    """
    Name the range that makes *address* private.

    Args:
        address: A numeric address as a resolver gives it; an IPv6 zone (`%eth0`) is ignored, an
            IPv4-mapped address (`::ffff:10.0.0.1`) is judged by the IPv4 address in it.

    Returns:
        None when the address is public.

    Raises:
        ValueError: *address* is not numeric.

    """
    parsed: IPv4Address | IPv6Address = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(parsed, IPv6Address) and parsed.ipv4_mapped is not None:
        parsed = parsed.ipv4_mapped
    for network, name in _NETWORKS:
        if parsed.version == network.version and parsed in network:
            return name
    return None
