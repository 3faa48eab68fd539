"""Path rules: the same through every door, with an event and an answer that names the key."""

from __future__ import annotations

import pytest
from sidecar_process import (
    PROXY,
    ask,
    fetch,
    open_tunnel,
    over_tls,
    path_rule,
    policy,
    raw_exchange,
    rule,
)

POLICY = policy(
    rule("ok.test", 80, 443, 8443),
    private=("ok.test",),
    paths=[path_rule("ok.test", "/simple/**", "/pypi/*/json")],
)


@pytest.fixture(name="limited")
def _limited(sidecar):
    sidecar.attempt(POLICY)
    return sidecar


DOORS = [
    ("http://ok.test", "explicit"),
    ("https://ok.test", "explicit"),
    ("https://ok.test:8443", "explicit"),
    ("http://ok.test", "http"),
    ("https://ok.test", "https"),
]


@pytest.mark.parametrize(("origin", "door"), DOORS)
def test_a_path_that_is_not_listed_is_refused_through_every_door(limited, origin, door):
    answer = fetch(f"{origin}/project/six/?a=/simple/", door=door)

    assert (403, "path") == (answer.status, answer.headers["X-Quickstarted-Detail"])
    assert "network.paths" in answer.text
    assert "read_docs" in answer.text
    assert [("egress_blocked", "not_allowlisted", "path", "/project/six/?a=/simple/", door)] == [
        (e["type"], e["reason"], e["detail"], e["path"], e["via"]) for e in limited.drain()
    ]


@pytest.mark.parametrize(("origin", "door"), DOORS)
def test_a_path_that_is_listed_passes(limited, origin, door):
    assert 200 == fetch(f"{origin}/simple/six/?a=b", door=door).status
    assert ["egress_allowed"] == [e["type"] for e in limited.drain()]


WAYS_AROUND = [
    b"/simple/../project/six",
    b"/simple/%2e%2e/project/six",
    b"/simple/.%2E/project/six",
    b"/simple%2f..%2fproject/six",
    b"/simple/..%5cproject",
    b"/simple\\..\\project",
    b"//simple/six",
    b"/simple/;/../project",
    b"/simple/..;/project",
    b"/simple/%252e%252e/project",
    b"/simple/%c0%ae%c0%ae/project",
    b"/simple/%ff",
    b"/simple/%zz",
    b"/simple/%00",
    b"/simple/" + b"a" * 9000,
    b"/project?/simple/",
    b"*",
]


@pytest.mark.parametrize("target", WAYS_AROUND, ids=lambda target: target[:40].decode("latin-1"))
def test_ways_around_a_path_rule_are_refused(limited, http_origin, target):
    http_origin.requests.clear()
    answer = raw_exchange(
        ("127.0.0.1", 80),
        b"GET " + target + b" HTTP/1.1\r\nHost: ok.test\r\nConnection: close\r\n\r\n",
    )

    assert answer.startswith(b"HTTP/1.1 403 ")
    assert ["path"] == [e["detail"] for e in limited.drain_until(1)]
    assert [] == http_origin.requests


def test_a_target_in_absolute_form_is_judged_by_its_path(limited, http_origin):
    http_origin.requests.clear()
    line = b"GET http://ok.test/simple/../project HTTP/1.1\r\n"
    request = line + b"Host: ok.test\r\nConnection: close\r\n\r\n"

    assert raw_exchange(PROXY, request).startswith(b"HTTP/1.1 403 ")
    assert [] == http_origin.requests


def test_what_goes_upstream_is_what_was_judged(limited, tls_origin):
    tls_origin.requests.clear()
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        statuses = [
            ask(tls, "GET", path, "ok.test").status
            for path in ("/simple/a%2Bb/", "/docs", "https://ok.test/docs", "/simple/c")
        ]

    assert [200, 403, 403, 200] == statuses
    assert ["GET /simple/a%2Bb/ HTTP/1.1", "GET /simple/c HTTP/1.1"] == [
        request["line"] for request in tls_origin.requests
    ]
