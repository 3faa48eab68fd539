"""
Attempts that need no network, and what `policy.decide` says to each: rows of one table.

Data only, so that tests and the table in the documentation are made from the same rows.
"""

from __future__ import annotations

from typing import NamedTuple

from quickstarted_proxy.policy import EgressPolicy, HostRule, PathRule, Reason

POLICY = EgressPolicy(
    allow=(
        HostRule(host="ok.test"),
        HostRule(host="wild.test", subdomains=True),
        HostRule(host="api.docs.test", explicit=True, ports=(443,)),
        HostRule(host="docs.test"),
        HostRule(host="odd.test", ports=(8443,)),
        HostRule(host="xn--bcher-kva.test"),
        HostRule(host="a_b.test"),
        HostRule(host="kube.test"),
        HostRule(host="registry.test"),
        HostRule(host="registry.test", ports=(8443,), explicit=True),
        HostRule(host="named.test", subdomains=True, explicit=True),
    ),
    docs_hosts=("docs.test",),
    private_hosts=("odd.test",),
    paths=(
        PathRule(host="registry.test", patterns=("/simple/**", "/*/json"), default=True),
        PathRule(host="named.test", patterns=("/never",), default=True),
        PathRule(host="api.named.test", patterns=("/v1/**",), subdomains=True),
        PathRule(host="eu.api.named.test", patterns=("/v2/**",), subdomains=True),
    ),
)


class Row(NamedTuple):
    """One attempt."""

    group: str
    attempt: str
    """What is tried, in words; unique within its group."""
    host: str
    port: int = 443
    path: bytes | None = None
    allowed: bool = False
    reason: Reason | None = "not_allowlisted"
    detail: str | None = None

    @property
    def name(self) -> str:
        """Of the row, for tests and tables."""
        return f"{self.group}: {self.attempt}"


def _passes(group: str, attempt: str, host: str, port: int = 443, path: bytes | None = None) -> Row:
    return Row(group, attempt, host, port, path, allowed=True, reason=None)


def _refused(
    group: str,
    attempt: str,
    host: str,
    detail: str | None,
    port: int = 443,
    path: bytes | None = None,
) -> Row:
    return Row(group, attempt, host, port, path, detail=detail)


def _docs(group: str, attempt: str, host: str, port: int = 443) -> Row:
    return Row(group, attempt, host, port, reason="docs_host_requires_read_docs")


_NAMES = [
    _passes("name", "as listed", "ok.test"),
    _passes("name", "in capitals", "OK.Test"),
    _passes("name", "one dot at the end", "ok.test."),
    _passes("name", "with an underscore, as listed", "a_b.test"),
    _passes("name", "in punycode, as listed", "xn--bcher-kva.test"),
    _passes("name", "in punycode, in capitals", "XN--BCHER-KVA.test"),
    _refused("name", "two dots at the end", "ok.test..", "invalid_host"),
    _refused("name", "a dot in front", ".ok.test", "invalid_host"),
    _refused("name", "an empty label", "ok..test", "invalid_host"),
    _refused("name", "nothing but a dot", ".", "invalid_host"),
    _refused("name", "empty", "", "invalid_host"),
    _refused("name", "below a host that stands alone", "a.ok.test", "host"),
    _refused("name", "ends like a listed one", "evilok.test", "host"),
    _refused("name", "begins like a listed one", "ok.test.evil.test", "host"),
    _refused("name", "above a listed one", "test", "host"),
    _refused("name", "a label of a listed one", "ok", "host"),
    _refused("name", "a wildcard", "*.ok.test", "invalid_host"),
    _refused("name", "a hyphen in front of a label", "-ok.test", "invalid_host"),
    _refused("name", "a hyphen at the end of a label", "ok-.test", "invalid_host"),
    _refused("name", "a label of 64 characters", "a" * 64 + ".test", "invalid_host"),
    _refused("name", "a label of 63 characters", "a" * 63 + ".test", "host"),
    _refused("name", "longer than 253 characters", "a." * 127 + "test", "invalid_host"),
    _refused("name", "data in a label", "c2VjcmV0." * 6 + "evil.test", "host"),
    _passes("wildcard", "the name itself", "wild.test"),
    _passes("wildcard", "a host below", "a.b.wild.test"),
    _refused("wildcard", "not at a label's end", "notwild.test", "host"),
    _refused("wildcard", "a dot in front", ".wild.test", "invalid_host"),
    _refused("wildcard", "two dots before it", "a..wild.test", "invalid_host"),
]

_CONFUSABLES = [
    _refused("confusable", "decoded punycode", "b\u00fccher.test", "invalid_host"),
    _refused("confusable", "a Cyrillic letter", "\u043ek.test", "invalid_host"),
    _refused("confusable", "a homograph in punycode", "xn--k-jub.test", "host"),
    _refused("confusable", "the Kelvin sign, which becomes k", "\u212aube.test", "invalid_host"),
    _refused("confusable", "full-width letters", "\uff4f\uff4b.test", "invalid_host"),
    _refused("confusable", "an ideographic full stop", "ok\u3002test", "invalid_host"),
    _refused("confusable", "a full-width full stop", "ok\uff0etest", "invalid_host"),
    _refused("confusable", "a half-width full stop", "ok\uff61test", "invalid_host"),
    _refused("confusable", "a soft hyphen", "o\u00adk.test", "invalid_host"),
    _refused("confusable", "a zero-width space", "ok\u200b.test", "invalid_host"),
    _refused("confusable", "a right-to-left mark", "ok\u200f.test", "invalid_host"),
    _refused("confusable", "a combining accent", "ok\u0301.test", "invalid_host"),
    _refused("confusable", "the sharp s, which some turn into ss", "o\u00df.test", "invalid_host"),
    _refused("confusable", "a byte that is no UTF-8", "ok\udcff.test", "invalid_host"),
    _refused(
        "confusable", "Arabic digits for an address", "\u0661\u0662\u0667.0.0.1", "invalid_host"
    ),
    _refused("confusable", "full stops in an address", "127\u30020\u30020\u30021", "invalid_host"),
]

_CHARACTERS = [
    _refused("character", "a space", "ok .test", "invalid_host"),
    _refused("character", "a space at the end", "ok.test ", "invalid_host"),
    _refused("character", "a tab", "ok.test\t", "invalid_host"),
    _refused("character", "a newline", "ok.test\n", "invalid_host"),
    _refused("character", "a NUL before another name", "ok.test\x00.evil.test", "invalid_host"),
    _refused("character", "percent-encoded", "%6fk.test", "invalid_host"),
    _refused("character", "a percent-encoded NUL", "ok.test%00.evil.test", "invalid_host"),
    _refused("character", "a percent-encoded dot", "ok%2etest", "invalid_host"),
    _refused("character", "user name before another host", "ok.test@evil.test", "invalid_host"),
    _refused("character", "a port before another host", "ok.test:443@evil.test", "ip_literal"),
    _refused("character", "a port in the name", "ok.test:443", "ip_literal"),
    _refused("character", "a slash", "ok.test/x", "invalid_host"),
    _refused("character", "a backslash", "ok.test\\evil.test", "invalid_host"),
    _refused("character", "a question mark", "ok.test?evil.test", "invalid_host"),
    _refused("character", "a fragment", "evil.test#ok.test", "invalid_host"),
    _refused("character", "two names", "ok.test,evil.test", "invalid_host"),
    _refused("character", "quotes", '"ok.test"', "invalid_host"),
]

_ADDRESSES = [
    _refused("address", attempt, host, "ip_literal")
    for attempt, host in (
        ("dotted", "1.2.3.4"),
        ("dotted, a dot at the end", "1.2.3.4."),
        ("loopback", "127.0.0.1"),
        ("metadata service", "169.254.169.254"),
        ("decimal", "2130706433"),
        ("decimal, a dot at the end", "2130706433."),
        ("decimal, metadata service", "2852039166"),
        ("hexadecimal", "0x7f000001"),
        ("hexadecimal, metadata service", "0xa9fea9fe"),
        ("hexadecimal parts", "0x7f.0x0.0x0.0x1"),
        ("hexadecimal in capitals, short", "0X7F.1"),
        ("hexadecimal prefix alone", "0x"),
        ("octal", "0177.0.0.1"),
        ("octal, many zeros", "00000177.0.0.1"),
        ("mixed bases", "0x7f.0.01"),
        ("two parts", "127.1"),
        ("three parts", "127.0.1"),
        ("zero", "0"),
        ("all zeros", "0.0.0.0"),
        ("part out of range", "256.256.256.256"),
        ("IPv6 loopback", "::1"),
        ("IPv6 in brackets", "[::1]"),
        ("IPv6 unspecified", "[::]"),
        ("IPv4 in IPv6", "::ffff:10.0.0.1"),
        ("IPv4 in IPv6, in brackets", "[::ffff:a9fe:a9fe]"),
        ("IPv6 with a zone", "fe80::1%eth0"),
        ("IPv6, NAT64", "64:ff9b::7f00:1"),
        ("IPv4 in brackets", "[127.0.0.1]"),
        ("future form in brackets", "[v1.fe80::a]"),
    )
]
_LIKE_ADDRESSES = [
    _refused("like an address", attempt, host, "host")
    for attempt, host in (
        ("a name in front", "a.1.2.3.4"),
        ("five parts", "1.2.3.4.5"),
        ("wildcard DNS", "169-254-169-254.nip.test"),
        ("an exponent", "1e3"),
        ("not hexadecimal", "0xg.1"),
    )
]

_PORTS = [
    _passes("port", "80", "ok.test", 80),
    _passes("port", "443", "ok.test", 443),
    _passes("port", "named by the task", "odd.test", 8443),
    _refused("port", "443 where another is named", "odd.test", "port"),
    _refused("port", "80 where another is named", "odd.test", "port", 80),
    _refused("port", "none known yet", "ok.test", "port", 0),
    _refused("port", "below zero", "ok.test", "port", -1),
    _refused("port", "beyond the range", "ok.test", "port", 65536),
    _refused("port", "beyond the range, the same modulo 65536", "ok.test", "port", 65536 + 443),
    *(
        _refused("port", str(port), "ok.test", "port", port)
        for port in (1, 21, 22, 23, 25, 53, 110, 143, 445, 853, 2375, 3306, 5432, 6379, 8080, 8443)
    ),
    _docs("port", "of a documentation host", "docs.test", 22),
]

_DOCS = [
    _docs("documentation", "the host", "docs.test"),
    _docs("documentation", "listed as a registry too", "docs.test", 80),
    _docs("documentation", "a host below", "sub.docs.test", 80),
    _docs("documentation", "in capitals, a dot at the end", "DOCS.test."),
    _refused("documentation", "ends like one", "notdocs.test", "host"),
    Row(
        "documentation",
        "named by the task",
        "api.docs.test",
        allowed=True,
        reason="explicit_network_override",
    ),
    _refused("documentation", "named by the task, another port", "api.docs.test", "port", 80),
]

_PATHS = [
    _passes("path", "no request yet", "registry.test"),
    _passes("path", "listed", "registry.test", path=b"/simple/six/"),
    _passes("path", "listed, with a query", "registry.test", path=b"/simple/six/?a=/../b"),
    _passes("path", "no rule for the host", "ok.test", path=b"/any/../thing"),
    _passes("path", "a port that the task names", "registry.test", 8443, b"/project/six"),
    _passes("path", "a registry's own rule, the host named by the task", "named.test", path=b"/a"),
    _passes("path", "the task's rule for a host below", "api.named.test", path=b"/v1/x"),
    _passes("path", "the nearest rule", "eu.api.named.test", path=b"/v2/x"),
    _passes("path", "below the nearest rule", "a.eu.api.named.test", path=b"/v2/x"),
    _refused("path", "another than the nearest rule's", "eu.api.named.test", "path", path=b"/v1/x"),
    _refused("path", "another than the task's rule's", "api.named.test", "path", path=b"/"),
    *(
        _refused("path", attempt, "registry.test", "path", path=path)
        for attempt, path in (
            ("a page", b"/project/six/"),
            ("the front page", b"/"),
            ("the listed one in the query", b"/project?/simple/"),
            ("other case", b"/Simple/six"),
            ("dot segments", b"/simple/../project"),
            ("encoded dot segments", b"/simple/%2e%2e/project"),
            ("encoded slash and dots", b"/simple/..%2fproject"),
            ("encoded twice", b"/simple/%252e%252e/project"),
            ("overlong dots", b"/simple/%c0%ae%c0%ae/project"),
            ("a backslash", b"/simple/..\\project"),
            ("an encoded backslash", b"/simple/..%5cproject"),
            ("parameters", b"/simple/..;/project"),
            ("an empty segment", b"//simple/six"),
            ("an encoded question mark", b"/project%3f/json"),
            ("an encoded slash that may be none", b"/project%2fjson"),
            ("no UTF-8", b"/simple/%ff"),
            ("a NUL", b"/simple/%00"),
            ("too long", b"/simple/" + b"a" * 9000),
            ("the whole server", b"*"),
            ("an absolute URL", b"https://registry.test/simple/"),
        )
    ),
]

ROWS: tuple[Row, ...] = (
    *_NAMES,
    *_CONFUSABLES,
    *_CHARACTERS,
    *_ADDRESSES,
    *_LIKE_ADDRESSES,
    *_PORTS,
    *_DOCS,
    *_PATHS,
)
