"""The decision, as a table."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from egress.decisions import POLICY, ROWS
from quickstarted_proxy.control import decode, encode
from quickstarted_proxy.policy import (
    Decision,
    EgressPolicy,
    decide,
    is_ip_literal,
    is_known_host,
    may_be_private,
    may_speak_websocket,
    normalise_host,
)


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_decisions(row):
    decision = decide(POLICY, row.host, row.port, row.path)

    assert (row.allowed, row.reason, row.detail) == (
        decision.allowed,
        decision.reason,
        decision.detail,
    )


def test_every_attempt_has_a_name_of_its_own():
    assert len(ROWS) == len({row.name for row in ROWS})


def test_the_decision_carries_the_host_as_it_was_compared():
    assert Decision(allowed=True, host="ok.test") == decide(POLICY, "OK.test.", 443)


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
    decision = decide(POLICY, host, port)

    assert not decision.allowed or any(rule.matches(decision.host) for rule in POLICY.allow)


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


COMPLETE = EgressPolicy().to_json()
RULE = {"host": "ok.test", "subdomains": False, "ports": [443], "explicit": False}
PATHS = {"host": "ok.test", "patterns": ["/a"], "subdomains": False, "default": False}


def without(part):
    return {key: value for key, value in COMPLETE.items() if key != part}


@pytest.mark.parametrize(
    "value",
    [
        {},
        *(without(part) for part in COMPLETE),
        {**COMPLETE, "extra": 1},
        {**COMPLETE, "allow": [{"host": "ok.test"}]},
        {**COMPLETE, "allow": [{**RULE, "host": "OK.test"}]},
        {**COMPLETE, "allow": [{**RULE, "ports": ["x"]}]},
        {**COMPLETE, "allow": [{**RULE, "extra": 1}]},
        {**COMPLETE, "allow": None},
        {**COMPLETE, "docs_hosts": ["b\u00fccher.test"]},
        {**COMPLETE, "docs_hosts": [7]},
        {**COMPLETE, "paths": [{"host": "ok.test"}]},
        {**COMPLETE, "paths": [{**PATHS, "extra": 1}]},
        {**COMPLETE, "paths": [{**PATHS, "host": "OK.test"}]},
        {**COMPLETE, "paths": [{**PATHS, "patterns": ["a"]}]},
        {**COMPLETE, "paths": [{**PATHS, "patterns": [7]}]},
        {**COMPLETE, "websocket_hosts": ["OK.test"]},
        {**COMPLETE, "max_upload_bytes": -1},
        {**COMPLETE, "max_upload_bytes": "1g"},
        {**COMPLETE, "max_download_bytes": 1.5},
        {**COMPLETE, "max_download_bytes": True},
        [],
    ],
)
def test_what_is_no_policy_is_refused(value):
    with pytest.raises(
        ValueError, match=r"not a policy|not a normalised|invalid literal|starts with a slash"
    ):
        EgressPolicy.from_json(value)


@pytest.mark.parametrize(
    "policy",
    [
        POLICY,
        EgressPolicy(),
        EgressPolicy(websocket_hosts=("a.test",), max_upload_bytes=0, max_download_bytes=10**12),
    ],
)
def test_a_policy_survives_the_control_stream(policy):
    message = decode(encode({"policy": policy.to_json()}))

    assert policy == EgressPolicy.from_json(message["policy"])


@pytest.mark.parametrize(
    ("host", "may"), [("a.test", True), ("b.a.test", True), ("ba.test", False), ("test", False)]
)
def test_hosts_with_which_websocket_may_be_spoken(host, may):
    assert may == may_speak_websocket(EgressPolicy(websocket_hosts=("a.test",)), host)
