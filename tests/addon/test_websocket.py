"""WebSocket: refused unless the policy names the host, then passed on, counted, never kept."""

from __future__ import annotations

import socket

import pytest
from sidecar_process import (
    LISTEN,
    PROXY,
    WAIT_S,
    open_tunnel,
    over_tls,
    path_rule,
    policy,
    read_all,
    read_head,
    rule,
    without_times,
)

KIB = 1024
HANDSHAKE = {
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
}


def allowing(**more):
    return policy(
        rule("ok.test", 80, 443),
        rule("sub.ok.test"),
        private=("ok.test",),
        docs=("docs.test",),
        **{"websocket_hosts": ["ok.test", "docs.test"], **more},
    )


@pytest.fixture(name="open_to_websocket")
def _open_to_websocket(sidecar):
    sidecar.attempt(allowing())
    return sidecar


def connect(scheme, door, host="ok.test"):
    """A socket on which an ordinary client would begin its handshake with *host*."""
    port = 443 if scheme == "wss" else 80
    if door == "explicit":
        sock, _ = open_tunnel(f"{host}:{port}")
    else:
        sock = socket.create_connection((LISTEN, port), timeout=WAIT_S)
    return over_tls(sock, host) if scheme == "wss" else sock


def begin(sock, path="/websocket", host="ok.test", **headers):
    lines = [f"{name}: {value}\r\n" for name, value in {**HANDSHAKE, **headers}.items()]
    sock.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n{''.join(lines)}\r\n".encode())
    return read_head(sock)


def receive(sock, size):
    data = b""
    while len(data) < size and (piece := sock.recv(65536)):
        data += piece
    return data


WAYS = [("wss", "explicit"), ("ws", "explicit"), ("wss", "https"), ("ws", "http")]


@pytest.mark.parametrize(("scheme", "door"), WAYS)
def test_bytes_pass_both_ways_and_are_counted(open_to_websocket, scheme, door):
    with connect(scheme, door) as sock:
        head = begin(sock)
        received = receive(sock, 5)
        for _ in range(3):
            sock.sendall(b"w" * 1000)
            received += receive(sock, 1000)
    events = open_to_websocket.drain_until(1)

    assert head.startswith(b"HTTP/1.1 101 ")
    assert b"hello" + b"w" * 3000 == received
    assert [
        {
            "type": "egress_allowed",
            "host": "ok.test",
            "method": "GET",
            "port": 443 if scheme == "wss" else 80,
            "path": "/websocket",
            "via": door,
            "status": 101,
            "bytes_in": 3005,
            "bytes_out": 3000,
        }
    ] == without_times(events)


def test_the_server_may_end_it_too(open_to_websocket):
    with connect("wss", "explicit") as sock:
        begin(sock, "/websocketleft")
        rest = read_all(sock)

    assert b"bye" == rest
    assert [(101, 3)] == [(e["status"], e["bytes_in"]) for e in open_to_websocket.drain_until(1)]


def test_one_that_is_open_at_the_end_is_on_record(open_to_websocket):
    with connect("wss", "explicit") as sock:
        begin(sock)
        receive(sock, 5)
        events = open_to_websocket.drain()

    assert [("unfinished", 101, 5)] == [(e["detail"], e["status"], e["bytes_in"]) for e in events]


REFUSED = [
    # policy, host, detail
    ({"websocket_hosts": []}, "ok.test", "upgrade"),
    ({"websocket_hosts": ["sub.ok.test"]}, "ok.test", "upgrade"),
    ({}, "docs.test", None),
    ({}, "unlisted.test", "host"),
    ({"paths": [path_rule("ok.test", "/other")]}, "ok.test", "path"),
]


@pytest.mark.parametrize(("parts", "host", "detail"), REFUSED)
def test_where_the_policy_does_not_let_it_there_is_none(sidecar, parts, host, detail):
    sidecar.attempt(allowing(**parts))
    with connect("wss", "explicit", host) as sock:
        head = begin(sock, host=host)

    assert head.startswith(b"HTTP/1.1 403 ")
    assert [("egress_blocked", detail)] == [
        (e["type"], e.get("detail")) for e in sidecar.drain_until(1)
    ]


@pytest.mark.parametrize("upgrade", ["raw", "websocket, raw", "spdy/3.1", "websocket2"])
def test_other_protocols_stay_refused(open_to_websocket, upgrade):
    with connect("ws", "http") as sock:
        assert begin(sock, Upgrade=upgrade).startswith(b"HTTP/1.1 403 ")

    assert ["upgrade"] == [e["detail"] for e in open_to_websocket.drain_until(1)]


def test_an_answer_that_switches_to_something_else_is_cut(open_to_websocket):
    with connect("ws", "http") as sock:
        assert b"101" not in begin(sock, "/switch")

    assert ["upgrade"] == [e["detail"] for e in open_to_websocket.drain_until(1)]


def test_an_ordinary_answer_to_the_handshake_is_an_ordinary_answer(open_to_websocket):
    with connect("ws", "http") as sock:
        assert begin(sock, "/teapot").startswith(b"HTTP/1.1 503 ")

    assert [503] == [e["status"] for e in open_to_websocket.drain_until(1)]


@pytest.mark.parametrize(
    ("parts", "detail"),
    [
        ({"max_upload_bytes": 20 * KIB}, "upload_budget"),
        ({"max_download_bytes": 20 * KIB}, "download_budget"),
    ],
)
def test_budgets_hold_for_its_bytes(sidecar, parts, detail):
    sidecar.attempt(allowing(**parts))
    with connect("wss", "explicit") as sock:
        begin(sock)
        sock.sendall(b"w" * 64 * KIB)
        received = read_all(sock)
    (event,) = sidecar.drain_until(1)

    assert len(received) <= 20 * KIB
    assert ("egress_error", detail, 101) == (event["type"], event["detail"], event["status"])


def test_nothing_of_it_is_kept_in_memory(own_sidecar):
    own_sidecar.attempt(allowing())
    with socket.create_connection((own_sidecar.listen, 80), timeout=WAIT_S) as sock:
        begin(sock)
        receive(sock, 5)
        before = own_sidecar.resident_kib()
        for _ in range(400):
            sock.sendall(b"w" * 64 * KIB)
            receive(sock, 64 * KIB)
        grown_kib = own_sidecar.resident_kib() - before
    (event,) = own_sidecar.drain_until(1)

    assert 400 * 64 * KIB == event["bytes_out"]
    assert grown_kib < 5000


def test_the_upstream_gets_the_whole_handshake(open_to_websocket, http_origin):
    http_origin.requests.clear()
    with connect("ws", "http") as sock:
        begin(sock)

    seen = {name.lower(): value for name, value in http_origin.requests[0]["headers"]}
    assert {name.lower(): value for name, value in HANDSHAKE.items()}.items() <= seen.items()


def test_pipelined_bytes_before_the_answer_are_not_lost(open_to_websocket):
    with socket.create_connection(PROXY, timeout=WAIT_S) as sock:
        lines = "".join(f"{name}: {value}\r\n" for name, value in HANDSHAKE.items())
        target = "http://ok.test/websocket"
        sock.sendall(f"GET {target} HTTP/1.1\r\nHost: ok.test\r\n{lines}\r\nearly".encode())
        read_head(sock)

        assert {b"helloearly"} <= {receive(sock, 10)}
