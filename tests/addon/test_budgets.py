"""What an attempt may send and receive in all: cut where it is crossed, and told."""

from __future__ import annotations

import http.client
import socket

import pytest
from sidecar_process import PROXY, ask, fetch, open_tunnel, over_tls, policy, read_all, rule

KIB = 1024
DOORS = [("http", "explicit"), ("https", "explicit"), ("http", "http"), ("https", "https")]


def limits(*, upload=None, download=None):
    return policy(
        rule("ok.test", 80, 443),
        private=("ok.test",),
        websocket_hosts=["ok.test"],
        max_upload_bytes=upload,
        max_download_bytes=download,
    )


def told(events):
    return [(e["type"], e.get("detail")) for e in events]


@pytest.mark.parametrize(("scheme", "door"), DOORS)
@pytest.mark.parametrize("page", ["big?size=2097152", "chunks?count=32"])
def test_a_download_that_crosses_the_budget_is_cut_and_never_looks_whole(
    sidecar, scheme, door, page
):
    sidecar.attempt(limits(download=300 * KIB))
    with pytest.raises((http.client.IncompleteRead, OSError)):
        fetch(f"{scheme}://ok.test/{page}", door=door)
    (event,) = sidecar.drain_until(1)

    assert ("egress_error", "download_budget", 200) == (
        event["type"],
        event["detail"],
        event["status"],
    )
    assert 0 < event["bytes_in"] <= 300 * KIB
    assert "network.max_download" in event["error"]


@pytest.mark.parametrize(("scheme", "door"), DOORS)
def test_later_requests_are_refused_with_the_reason(sidecar, scheme, door):
    sidecar.attempt(limits(download=100 * KIB))
    with pytest.raises((http.client.IncompleteRead, OSError)):
        fetch("http://ok.test/big?size=1048576")
    answer = fetch(f"{scheme}://ok.test/small", door=door)

    assert (403, "download_budget") == (answer.status, answer.headers["X-Quickstarted-Detail"])
    assert None is answer.headers["X-Quickstarted-Reason"]
    assert "100 KiB" in answer.text
    assert [("egress_error", "download_budget")] * 2 == told(sidecar.drain_until(2))


def chunked(sock, sizes):
    """A request whose body is sent in pieces, and all that comes back."""
    head = "POST http://ok.test/up HTTP/1.1\r\nHost: ok.test\r\nTransfer-Encoding: chunked\r\n\r\n"
    sock.sendall(head.encode())
    try:
        for size in sizes:
            sock.sendall(b"%x\r\n%s\r\n" % (size, b"u" * size))
        sock.sendall(b"0\r\n\r\n")
    except OSError:
        return b""
    return read_all(sock)


def test_an_upload_that_crosses_the_budget_is_cut_and_never_ends_upstream(sidecar, http_origin):
    sidecar.attempt(limits(upload=300 * KIB))
    http_origin.bodies.clear()
    with socket.create_connection(PROXY, timeout=10) as sock:
        answer = chunked(sock, [64 * KIB] * 16)
    (event,) = sidecar.drain_until(1)

    assert answer == b"" or b" 413 " in answer.partition(b"\r\n")[0]
    assert ("egress_error", "upload_budget") == (event["type"], event["detail"])
    assert 0 < event["bytes_out"] <= 300 * KIB
    assert [] == http_origin.bodies


def test_an_upload_that_arrives_in_one_piece_never_ends_upstream_either(sidecar, http_origin):
    sidecar.attempt(limits(upload=1 * KIB))
    http_origin.bodies.clear()
    with socket.create_connection(PROXY, timeout=10) as sock:
        answer = chunked(sock, [2 * KIB])

    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"network.max_upload" in answer
    assert [("egress_error", "upload_budget")] == told(sidecar.drain_until(1))
    assert [] == http_origin.bodies


def test_an_upload_that_says_that_it_is_too_large_is_refused_before_it_begins(sidecar, http_origin):
    sidecar.attempt(limits(upload=100 * KIB))
    refused = fetch("http://ok.test/too-large", method="POST", body=b"u" * 200 * KIB)
    passed = fetch("http://ok.test/small", method="POST", body=b"u" * 50 * KIB)

    assert (403, "upload_budget") == (refused.status, refused.headers["X-Quickstarted-Detail"])
    assert 200 == passed.status
    lines = [request["line"] for request in http_origin.requests]
    assert (False, True) == ("POST /too-large HTTP/1.1" in lines, "POST /small HTTP/1.1" in lines)
    assert [("egress_error", "upload_budget"), ("egress_allowed", None)] == told(sidecar.drain())


@pytest.mark.parametrize("carrier", ["path", "header", "method and many requests"])
def test_what_is_sent_in_heads_counts(sidecar, http_origin, carrier):
    sidecar.attempt(limits(upload=100 * KIB))
    http_origin.requests.clear()
    data = "d" * 4000
    path = f"/{data}" if carrier == "path" else "/x"
    headers = {"X-Data": data} if carrier == "header" else {}
    statuses = []
    while 403 not in statuses and len(statuses) < 2000:
        statuses.append(fetch(f"http://ok.test{path}", headers=headers).status)

    assert 403 == statuses[-1]
    assert len(statuses) - 1 == len(http_origin.requests)
    seen = sum(
        len(request["line"]) + sum(len(name) + len(value) for name, value in request["headers"])
        for request in http_origin.requests
    )
    assert seen <= 100 * KIB + len("http://ok.test") * len(statuses)
    assert ("egress_error", "upload_budget") == told(sidecar.drain())[-1]


def test_the_heads_of_answers_count(sidecar):
    sidecar.attempt(limits(download=10))
    with pytest.raises((http.client.RemoteDisconnected, OSError)):
        fetch("http://ok.test/x")

    assert [("egress_error", "download_budget")] == told(sidecar.drain_until(1))


def test_refused_requests_cost_nothing(sidecar):
    sidecar.attempt(limits(upload=2 * KIB))
    statuses = [fetch(f"http://docs.test/{'d' * 500}").status for _ in range(10)]

    assert [403] * 10 == statuses
    assert 200 == fetch("http://ok.test/").status


def test_another_attempt_has_budgets_of_its_own(sidecar):
    sidecar.attempt(limits(upload=0))
    first = fetch("http://ok.test/").status
    sidecar.attempt(limits(upload=10 * KIB))

    assert (403, 200) == (first, fetch("http://ok.test/").status)


def test_requests_of_one_connection_share_the_budget(sidecar):
    sidecar.attempt(limits(upload=30 * KIB))
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        statuses = [
            ask(tls, "POST", "/up", "ok.test", body=b"u" * 10 * KIB).status for _ in range(3)
        ]

    assert [200, 200, 403] == statuses
