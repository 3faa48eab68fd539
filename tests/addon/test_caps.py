"""Connections are bounded in number: those that find no room are told so, once on record."""

from __future__ import annotations

import contextlib
import socket

import pytest
from sidecar_fixtures import POLICY
from sidecar_process import (
    PROXY,
    WAIT_S,
    SidecarProcess,
    ask,
    fetch,
    open_tunnel,
    policy,
    read_all,
    rule,
)

MAX_CLIENTS = 20
MAX_TURNED_AWAY = 10
SMALL = f"""
from quickstarted_proxy import trimmed; trimmed.install()
from quickstarted_proxy import __main__, caps
caps.MAX_CLIENTS = {MAX_CLIENTS}
caps.MAX_TURNED_AWAY = {MAX_TURNED_AWAY}
caps.MAX_SERVERS = 2
__main__.main()
"""
REQUEST = b"GET http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n"
HELLO = b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00"
INTERNAL_ERROR = b"\x15\x03\x03\x00\x02\x02\x50"


@pytest.fixture(name="small")
def _small(trust_pem, tls_origin, http_origin):
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}, launch=SMALL).ready()
    yield process
    process.stop()


@contextlib.contextmanager
def clients(count):
    """Connections that say nothing, all of them seen by the sidecar."""
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(PROXY, timeout=WAIT_S))
            for _ in range(count)
        ]


def test_a_request_beyond_the_cap_is_answered_503(small):
    with clients(MAX_CLIENTS), socket.create_connection(PROXY, timeout=WAIT_S) as late:
        late.sendall(REQUEST)
        answer = read_all(late)

    assert answer.startswith(b"HTTP/1.1 503 ")
    assert b"too many connections" in answer


def test_tls_beyond_the_cap_gets_an_alert(small):
    door = ("127.0.0.1", 443)
    with clients(MAX_CLIENTS), socket.create_connection(door, timeout=WAIT_S) as late:
        late.sendall(HELLO)

        assert INTERNAL_ERROR == read_all(late)


def test_far_beyond_the_cap_connections_are_closed(small):
    with clients(MAX_CLIENTS + MAX_TURNED_AWAY + 5) as held:
        assert b"" == held[-1].recv(1)


def test_one_event_tells_of_all_that_found_no_room(small):
    with clients(MAX_CLIENTS + MAX_TURNED_AWAY + 5) as held:
        held[-1].recv(1)
        events = small.drain()

    assert [("egress_error", "connection_cap")] == [(e["type"], e["detail"]) for e in events]
    assert f"more than {MAX_CLIENTS} connections" in events[0]["error"]


def test_room_is_made_when_clients_leave(small):
    with clients(MAX_CLIENTS + 1) as held:
        held[-1].sendall(REQUEST)
        read_all(held[-1])
    small.drain_until(1)

    assert 200 == fetch("http://ok.test/").status


def test_one_client_cannot_keep_connections_to_any_number_of_servers(small):
    hosts = ["ok.test", "sub.ok.test", "xn--bcher-kva.test"]
    small.attempt(policy(*(rule(host) for host in hosts), private=("test",)))
    with socket.create_connection(PROXY, timeout=WAIT_S) as sock:
        statuses = [ask(sock, "GET", f"http://{host}/", host).status for host in hosts]
    events = small.drain_until(3)

    assert [200, 200, 502] == statuses
    assert [None, None, "connection_cap"] == [e.get("detail") for e in events]


def test_servers_are_forgotten_with_their_clients(small):
    for _ in range(4):
        sock, head = open_tunnel("ok.test:443")
        sock.close()
        assert head.startswith(b"HTTP/1.1 200 ")
        assert 200 == fetch("http://ok.test/").status
