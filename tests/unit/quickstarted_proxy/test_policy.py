"""The decision, as a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy.policy import (
    Decision,
    EgressPolicy,
    HostRule,
    decide,
    is_ip_literal,
    is_known_host,
    may_be_private,
    normalise_host,
)

POLICY = EgressPolicy(
    allow=(
        HostRule(host="ok.test"),
        HostRule(host="wild.test", subdomains=True),
        HostRule(host="api.docs.test", explicit=True, ports=(443,)),
        HostRule(host="docs.test"),
        HostRule(host="odd.test", ports=(8443,)),
        HostRule(host="xn--bcher-kva.test"),
    ),
    docs_hosts=("docs.test",),
    private_hosts=("odd.test",),
)
DOCS = "docs_host_requires_read_docs"
NOT = "not_allowlisted"

DECISIONS = [
    # host, port, allowed, reason, detail
    ("ok.test", 443, True, None, None),
    ("ok.test", 80, True, None, None),
    ("OK.Test", 443, True, None, None),
    ("ok.test.", 443, True, None, None),
    ("ok.test..", 443, False, NOT, "invalid_host"),
    (".ok.test", 443, False, NOT, "invalid_host"),
    ("ok..test", 443, False, NOT, "invalid_host"),
    ("ok.test", 22, False, NOT, "port"),
    ("ok.test", 0, False, NOT, "port"),
    ("a.ok.test", 443, False, NOT, "host"),
    ("evilok.test", 443, False, NOT, "host"),
    ("ok.test.evil.test", 443, False, NOT, "host"),
    ("wild.test", 443, True, None, None),
    ("a.b.wild.test", 443, True, None, None),
    ("notwild.test", 443, False, NOT, "host"),
    ("docs.test", 443, False, DOCS, None),
    ("sub.docs.test", 80, False, DOCS, None),
    ("docs.test", 22, False, DOCS, None),
    ("api.docs.test", 443, True, "explicit_network_override", None),
    ("api.docs.test", 80, False, NOT, "port"),
    ("odd.test", 8443, True, None, None),
    ("odd.test", 443, False, NOT, "port"),
    ("127.0.0.1", 443, False, NOT, "ip_literal"),
    ("xn--bcher-kva.test", 443, True, None, None),
    ("bücher.test", 443, False, NOT, "invalid_host"),
    ("\u212aube.test", 443, False, NOT, "invalid_host"),
    ("", 443, False, NOT, "invalid_host"),
    ("a b.test", 443, False, NOT, "invalid_host"),
    ("ok.test\n", 443, False, NOT, "invalid_host"),
    ("ok.test\x00.evil.test", 443, False, NOT, "invalid_host"),
    ("%6fk.test", 443, False, NOT, "invalid_host"),
    ("ok.test@evil.test", 443, False, NOT, "invalid_host"),
    ("a" * 64 + ".test", 443, False, NOT, "invalid_host"),
    ("a." * 127 + "test", 443, False, NOT, "invalid_host"),
]


@pytest.mark.parametrize(("host", "port", "allowed", "reason", "detail"), DECISIONS)
def test_decisions(host, port, allowed, reason, detail):
    decision = decide(POLICY, host, port)

    assert (allowed, reason, detail) == (decision.allowed, decision.reason, decision.detail)


def test_the_decision_carries_the_host_as_it_was_compared():
    assert Decision(allowed=True, host="ok.test") == decide(POLICY, "OK.test.", 443)


@pytest.mark.parametrize(
    "host",
    [
        "1.2.3.4",
        "1.2.3.4.",
        "2130706433",
        "0x7f000001",
        "0X7F.1",
        "0177.0.0.1",
        "127.1",
        "0",
        "::1",
        "[::1]",
        "::ffff:10.0.0.1",
        "fe80::1%eth0",
        "0x",
    ],
)
def test_addresses_in_every_spelling_are_recognised(host):
    assert is_ip_literal(host)


@pytest.mark.parametrize("host", ["a.1", "1.example", "0xg.1", "1.2.3.4.5", "x", "1e3"])
def test_names_that_look_like_addresses_are_not(host):
    assert not is_ip_literal(host)


@given(st.text(max_size=300))
def test_what_is_normalised_is_plain_and_stays_as_it_is(text):
    name = normalise_host(text)

    assert name is None or (
        name.isascii() and name == name.lower() and normalise_host(name) == name
    )


@given(st.text(max_size=60), st.integers(-1, 70000))
def test_nothing_but_listed_hosts_is_ever_allowed(host, port):
    listed = {"ok.test", "wild.test", "api.docs.test", "odd.test", "xn--bcher-kva.test"}
    decision = decide(POLICY, host, port)

    assert not decision.allowed or decision.host in listed or decision.host.endswith(".wild.test")


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("ok.test", True),
        ("odd.test", True),
        ("docs.test", True),
        ("x.docs.test", True),
        ("x.ok.test", False),
        ("10.0.0.1", False),
        ("é.test", False),
    ],
)
def test_names_that_are_answered(host, known):
    assert known == is_known_host(POLICY, host)


@pytest.mark.parametrize(
    ("host", "private"), [("odd.test", True), ("a.odd.test", True), ("ok.test", False)]
)
def test_hosts_that_may_be_private(host, private):
    assert private == may_be_private(POLICY, host)


def test_a_policy_survives_its_json_form():
    assert POLICY == EgressPolicy.from_json(POLICY.to_json())


COMPLETE = {"allow": [], "docs_hosts": [], "private_hosts": []}
RULE = {"host": "ok.test", "subdomains": False, "ports": [443], "explicit": False}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"allow": [], "docs_hosts": []},
        {**COMPLETE, "extra": 1},
        {**COMPLETE, "allow": [{"host": "ok.test"}]},
        {**COMPLETE, "allow": [{**RULE, "host": "OK.test"}]},
        {**COMPLETE, "allow": [{**RULE, "ports": ["x"]}]},
        {**COMPLETE, "allow": None},
        {**COMPLETE, "docs_hosts": ["bücher.test"]},
        {**COMPLETE, "docs_hosts": [7]},
        [],
    ],
)
def test_what_is_no_policy_is_refused(value):
    with pytest.raises(ValueError, match=r"not a policy|not a normalised|invalid literal"):
        EgressPolicy.from_json(value)
