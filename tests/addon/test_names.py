"""Name lookups, asked with a real DNS client over UDP and TCP."""

from __future__ import annotations

import dns.flags
import dns.message
import dns.query
import dns.rcode
import pytest

WHERE = "127.0.0.1"


def lookup(name, kind="A", *, tcp=False, klass="IN"):
    query = dns.message.make_query(name, kind, klass)
    send = dns.query.tcp if tcp else dns.query.udp
    return send(query, WHERE, timeout=10)


def addresses(answer):
    return [item.address for section in answer.answer for item in section]


@pytest.mark.parametrize("tcp", [False, True])
@pytest.mark.parametrize("name", ["ok.test", "OK.Test", "docs.test", "sub.docs.test", "ok.test."])
def test_allowed_and_documentation_hosts_resolve_to_the_sidecar(sidecar, name, tcp):
    answer = lookup(name, tcp=tcp)

    assert (dns.rcode.NOERROR, [WHERE]) == (answer.rcode(), addresses(answer))
    assert [] == sidecar.drain()


def test_a_name_in_punycode_resolves(sidecar):
    assert [WHERE] == addresses(lookup("xn--bcher-kva.test"))


@pytest.mark.parametrize("kind", ["AAAA", "HTTPS", "SVCB", "TXT", "MX", "SRV", "NS"])
def test_other_types_of_known_hosts_are_empty(sidecar, kind):
    answer = lookup("ok.test", kind)

    assert (dns.rcode.NOERROR, []) == (answer.rcode(), answer.answer)


@pytest.mark.parametrize("kind", ["A", "AAAA", "TXT", "HTTPS"])
@pytest.mark.parametrize("name", ["unlisted.test", "c2VjcmV0.tunnel.test", "below.ok.test"])
def test_unknown_names_do_not_exist_and_leave_one_event(sidecar, name, kind):
    answer = lookup(name, kind)
    lookup(name.upper(), kind, tcp=True)

    assert (dns.rcode.NXDOMAIN, []) == (answer.rcode(), answer.answer)
    assert [(name.lower(), "DNS", "dns", "not_allowlisted")] == [
        (e["host"], e["method"], e["via"], e["reason"]) for e in sidecar.drain()
    ]


def test_another_scope_tells_the_same_name_again(sidecar):
    lookup("unlisted.test")
    first = sidecar.drain()
    lookup("unlisted.test")
    second = sidecar.drain()

    assert [["unlisted.test"], ["unlisted.test"]] == [
        [e["host"] for e in events] for events in (first, second)
    ]
    assert second[0]["scope"] == first[0]["scope"] + 1


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("1.0.0.127.in-addr.arpa", "PTR"),
        ("unlisted.test", "PTR"),
        ("localhost", "A"),
        ("db", "A"),
        ("_dns.resolver.arpa", "SVCB"),
    ],
)
def test_reverse_and_single_label_lookups_leave_no_event(sidecar, name, kind):
    assert dns.rcode.NXDOMAIN == lookup(name, kind).rcode()
    assert [] == sidecar.drain()


def test_no_other_class_is_served(sidecar):
    assert dns.rcode.REFUSED == lookup("ok.test", "TXT", klass="CH").rcode()


def test_a_flood_of_names_is_summed_up(own_sidecar):
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.connect((own_sidecar.listen, 53))
        sock.settimeout(10)
        for index in range(1100):
            sock.send(dns.message.make_query(f"n{index}.tunnel.test", "A").to_wire())
            sock.recv(4096)
    events = own_sidecar.drain()

    assert 1001 == len(events)
    assert ("*", "many_names") == (events[-1]["host"], events[-1]["detail"])
