"""What is allowed passes through every door, and leaves one event with its figures."""

from __future__ import annotations

import pytest
from sidecar_process import ask, fetch, open_tunnel, over_tls, without_times

ALLOWED = [
    ("http://ok.test/a?b=1", "explicit", "explicit", 80),
    ("https://ok.test/a?b=1", "explicit", "explicit", 443),
    ("http://ok.test/a?b=1", "http", "http", 80),
    ("https://ok.test/a?b=1", "https", "https", 443),
    ("https://ok.test:8443/a?b=1", "explicit", "explicit", 8443),
    ("http://ok.test:8080/a?b=1", "explicit", "explicit", 8080),
]


@pytest.mark.parametrize(("url", "door", "via", "port"), ALLOWED)
def test_an_allowed_request_passes_and_is_recorded(sidecar, url, door, via, port):
    answer = fetch(url, door=door)
    events = sidecar.drain()

    assert 200 == answer.status
    assert [
        {
            "type": "egress_allowed",
            "host": "ok.test",
            "method": "GET",
            "port": port,
            "path": "/a?b=1",
            "via": via,
            "status": 200,
            "bytes_in": len(answer.body),
            "bytes_out": 0,
        }
    ] == without_times(events)
    assert 0 <= events[0]["duration"] < 30


def test_the_upstream_sees_the_request_as_it_was_made(sidecar, http_origin):
    http_origin.requests.clear()
    fetch(
        "http://ok.test/x",
        headers={
            "Proxy-Authorization": "Basic c2VjcmV0",
            "Proxy-Connection": "keep-alive",
            "A": "b",
        },
    )

    assert "GET /x HTTP/1.1" == http_origin.requests[0]["line"]
    seen = dict(http_origin.requests[0]["headers"])
    assert {"Host": "ok.test", "A": "b", "Accept-Encoding": "identity"} == seen


def test_a_refusal_by_the_upstream_is_allowed_egress_with_its_status(sidecar):
    answer = fetch("https://ok.test/teapot")

    assert 503 == answer.status
    assert [("egress_allowed", 503)] == [(e["type"], e["status"]) for e in sidecar.drain()]


@pytest.mark.parametrize("door", ["explicit", "http"])
@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_go_out_and_are_counted(sidecar, door, chunked):
    body = b"y" * 300_000
    more = {"body": iter([body]), "encode_chunked": True} if chunked else {"body": body}
    headers = {"Transfer-Encoding": "chunked"} if chunked else {}
    answer = fetch("http://ok.test/up", door=door, method="POST", headers=headers, **more)
    events = sidecar.drain()

    assert 200 == answer.status
    assert [("POST", 300_000)] == [(e["method"], e["bytes_out"]) for e in events]


def test_requests_on_one_connection_are_judged_one_by_one(sidecar):
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        first = ask(tls, "GET", "/one", "ok.test")
        second = ask(tls, "GET", "/two", "docs.test")
        third = ask(tls, "GET", "/three", "ok.test")

    assert [200, 403, 200] == [first.status, second.status, third.status]
    assert [
        ("egress_allowed", "/one"),
        ("egress_blocked", "/two"),
        ("egress_allowed", "/three"),
    ] == [(e["type"], e["path"]) for e in sidecar.drain()]


def test_a_name_in_punycode_reaches_its_own_host(sidecar, http_origin):
    http_origin.requests.clear()
    answer = fetch("http://xn--bcher-kva.test/")

    assert 200 == answer.status
    assert ["xn--bcher-kva.test"] == [e["host"] for e in sidecar.drain()]


def test_case_and_a_trailing_dot_do_not_matter(sidecar):
    assert 200 == fetch("http://OK.test./").status
    assert ["ok.test"] == [e["host"] for e in sidecar.drain()]


def test_alternative_services_are_not_offered_to_clients(sidecar):
    answer = fetch("https://ok.test/altsvc")

    assert None is answer.headers["alt-svc"]
    assert b"ok" == answer.body


@pytest.mark.parametrize("upgrade", ["h2c", "TLS/1.3"])
def test_offers_to_upgrade_that_may_be_ignored_are_dropped(sidecar, http_origin, upgrade):
    http_origin.requests.clear()
    headers = {"Upgrade": upgrade, "Connection": "Upgrade, HTTP2-Settings", "HTTP2-Settings": "A"}
    answer = fetch("http://ok.test/", headers=headers)

    assert 200 == answer.status
    assert {"host", "accept-encoding"} == {
        name.lower() for name, _ in http_origin.requests[0]["headers"]
    }
