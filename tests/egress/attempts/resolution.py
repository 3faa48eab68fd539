"""Where names lead, and who is asked."""

from __future__ import annotations

from egress.model import Attempt, Table, allowed, blocked, failed


def _private(name: str, host: str, port: int = 443) -> Attempt:
    event = blocked(f"GET {host}:{port}/", "private_address")
    do = f"https('{host}:{port}')"
    return Attempt(name, do, "403 private_address", (event,))


ADDRESSES = Table(
    title="Allowed names that lead elsewhere",
    about="Addresses are judged after the name has been resolved, by the sidecar, and what was"
    " judged is what is connected to. A server that would answer stands behind every name here.",
    rows=(
        _private("a private network", "private.test"),
        Attempt(
            "a private network, where the task opens it",
            "https('opened.test:443')",
            "200",
            (allowed("GET opened.test:443/"),),
        ),
        _private("a link-local address (metadata), though the task opens it", "metadata.test"),
        _private("the sidecar's loopback, though the task opens it", "localhost"),
        Attempt(
            "the sidecar's own proxy by the name localhost",
            "get('http://localhost:8080/')",
            "403 private_address",
            (blocked("GET localhost:8080/", "private_address"),),
        ),
        Attempt(
            "nowhere",
            "https('missing.test:443')",
            "502",
            (failed("GET missing.test:443/", "dns_failure"),),
        ),
    ),
)


def _lookup(kind: str) -> Attempt:
    name = f"{kind.lower()}.unlisted.test"
    event = blocked(f"DNS {name}", "host", "dns")
    return Attempt(f"{kind} of an unlisted host", f"dns('{name}', '{kind}')", "NXDOMAIN", (event,))


LOOKUPS = Table(
    title="Name lookups",
    about="The sidecar answers them all and asks nobody: allowed hosts and documentation hosts are"
    " the sidecar itself, everything else does not exist.",
    rows=(
        Attempt("an allowed host", "dns('ok.test')", "the sidecar"),
        Attempt("a documentation host", "dns('docs.test')", "the sidecar"),
        Attempt("IPv6 of an allowed host", "dns('ok.test', 'AAAA')", "no address"),
        Attempt("keys for an encrypted server name (ECH)", "dns('ok.test', 'HTTPS')", "no address"),
        Attempt("text of an allowed host", "dns('ok.test', 'TXT')", "no address"),
        *(_lookup(kind) for kind in ("A", "AAAA", "TXT", "MX", "SRV", "NS")),
        Attempt(
            "data in a name",
            "dns('c2VjcmV0LWRhdGE.tunnel.unlisted.test')",
            "NXDOMAIN",
            (blocked("DNS c2vjcmv0lwrhdge.tunnel.unlisted.test", "host", "dns"),),
        ),
        Attempt(
            "data in a name below an allowed host",
            "dns('c2VjcmV0.ok.test')",
            "NXDOMAIN",
            (blocked("DNS c2vjcmv0.ok.test", "host", "dns"),),
        ),
        Attempt(
            "over TCP",
            "dns('tcp.unlisted.test', over_tcp=True)",
            "NXDOMAIN",
            (blocked("DNS tcp.unlisted.test", "host", "dns"),),
        ),
        Attempt(
            "by the system's resolver",
            "resolve('system.unlisted.test')",
            "no such name",
            (blocked("DNS system.unlisted.test", "host", "dns"),),
        ),
        Attempt(
            "the engine's own resolver, asked for an unlisted host",
            "dns('engine.unlisted.test', server='127.0.0.11')",
            "NXDOMAIN",
            (blocked("DNS engine.unlisted.test", "host", "dns"),),
        ),
        Attempt(
            "the engine's name for the host",
            "tcp('host.docker.internal', HOST_PORT)",
            "no such name",
            (blocked("DNS host.docker.internal", "host", "dns"),),
        ),
        Attempt("an address backwards", "dns('8.8.8.8.in-addr.arpa', 'PTR')", "NXDOMAIN"),
    ),
)

TABLES = (ADDRESSES, LOOKUPS)
