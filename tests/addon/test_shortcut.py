"""Bodies that pass the layers by arrive whole, and break off as they do in the layers."""

from __future__ import annotations

import http.client
import socket

import pytest
from origins import pattern
from sidecar_process import (
    PROXY,
    ask,
    fetch,
    open_tunnel,
    over_tls,
    read_all,
    read_head,
)

SIZE = 5 * 2**20 + 77
WAYS = [
    ("https://ok.test", "explicit"),
    ("https://ok.test", "https"),
    ("http://ok.test", "explicit"),
    ("http://ok.test", "http"),
]


def egress(process, count=1):
    return [
        (e["type"], e.get("detail"), e.get("bytes_in"), e.get("status"))
        for e in process.drain_until(count)
    ]


@pytest.mark.parametrize(("origin", "door"), WAYS)
def test_a_large_body_arrives_whole_and_is_counted(sidecar, origin, door):
    answer = fetch(f"{origin}/pattern?n={SIZE}", door=door)

    assert pattern(SIZE) == answer.body
    assert [("egress_allowed", None, SIZE, 200)] == egress(sidecar)


@pytest.mark.parametrize("size", [65535, 65536, 65537, 65538, 2**20 - 1, 2**20, 2**20 + 1])
@pytest.mark.parametrize("origin", ["https://ok.test", "http://ok.test"])
def test_bodies_of_any_size_arrive_whole(sidecar, origin, size):
    assert pattern(size) == fetch(f"{origin}/pattern?n={size}").body
    assert [("egress_allowed", None, size, 200)] == egress(sidecar)


def test_requests_follow_each_other_on_one_connection(sidecar):
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        sizes = [SIZE, 10, SIZE // 2, 0, 100_000]
        bodies = [ask(tls, "GET", f"/pattern?n={size}", "ok.test").body for size in sizes]

    assert [pattern(size) for size in sizes] == bodies
    assert sizes == [e["bytes_in"] for e in sidecar.drain_until(5)]


@pytest.mark.parametrize("small", [10, 40_000, 70_000])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_no_body_comes_before_its_own_head_after_a_small_one(sidecar, scheme, small):
    sock = open_tunnel("ok.test:443")[0] if scheme == "https" else socket.create_connection(PROXY)
    with over_tls(sock, "ok.test") if scheme == "https" else sock as connection:
        prefix = "" if scheme == "https" else "http://ok.test"
        for _ in range(30):
            for size in (small, 300_000):
                path = f"{prefix}/pattern?n={size}"
                assert pattern(size) == ask(connection, "GET", path, "ok.test").body

    assert [small, 300_000] * 30 == [e["bytes_in"] for e in sidecar.drain_until(60)]


def test_a_body_of_unannounced_length_goes_through_the_layers(sidecar):
    assert pattern(SIZE) == fetch(f"https://ok.test/chunked?n={SIZE}").body
    assert [("egress_allowed", None, SIZE, 200)] == egress(sidecar)


@pytest.mark.parametrize("end", ["short", "reset"])
@pytest.mark.parametrize(("origin", "door"), WAYS)
def test_a_body_that_breaks_off_upstream_breaks_off_for_the_client(sidecar, origin, door, end):
    with pytest.raises((http.client.IncompleteRead, OSError)):
        fetch(f"{origin}/pattern?n={SIZE}&{end}", door=door)
    ((kind, detail, size, status),) = egress(sidecar)

    assert ("egress_error", "upstream_reset", 200) == (kind, detail, status)
    assert 0 < size <= SIZE * 2 // 3


@pytest.mark.parametrize("origin", ["https://ok.test", "http://ok.test"])
def test_what_a_server_sends_after_the_body_is_not_passed_on(sidecar, origin):
    answer = fetch(f"{origin}/pattern?n={SIZE}&more")

    assert pattern(SIZE) == answer.body
    assert [("egress_allowed", None, SIZE, 200)] == egress(sidecar)


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_client_that_leaves_in_the_middle_is_told_so(sidecar, scheme, tls_origin, http_origin):
    if scheme == "https":
        sock = over_tls(open_tunnel("ok.test:443")[0], "ok.test")
        sock.sendall(b"GET /pattern?n=30000000&stall HTTP/1.1\r\nHost: ok.test\r\n\r\n")
    else:
        sock = socket.create_connection(PROXY)
        sock.sendall(
            b"GET http://ok.test/pattern?n=30000000&stall HTTP/1.1\r\nHost: ok.test\r\n\r\n"
        )
    read_head(sock)
    sock.close()
    ((kind, detail, size, _),) = egress(sidecar)
    for origin in (tls_origin, http_origin):
        origin.released.set()
        origin.released.clear()

    assert ("egress_error", "client_disconnected") == (kind, detail)
    assert (size or 0) < 30_000_000


def test_a_stalled_client_does_not_hold_up_another(sidecar, tls_origin):
    slow = over_tls(open_tunnel("ok.test:443")[0], "ok.test")
    slow.sendall(b"GET /pattern?n=20000000 HTTP/1.1\r\nHost: ok.test\r\nConnection: close\r\n\r\n")
    read_head(slow)
    quick = fetch(f"https://ok.test/pattern?n={SIZE}").body
    with slow:
        late = read_all(slow)

    assert pattern(SIZE) == quick
    assert pattern(20_000_000) == late
    assert {SIZE, 20_000_000} == {e["bytes_in"] for e in sidecar.drain_until(2)}
