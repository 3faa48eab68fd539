"""Bytes that are no ordinary requests: refused at once, with an event, and nothing upstream."""

from __future__ import annotations

import socket
import ssl

import pytest
from sidecar_process import PROXY, WAIT_S, open_tunnel, over_tls, raw_exchange, read_all

HTTP_DOOR = ("127.0.0.1", 80)
HTTPS_DOOR = ("127.0.0.1", 443)


def blocked(events):
    return [(e["type"], e["via"], e.get("detail")) for e in events]


MALFORMED = [
    # bytes to the explicit door, detail
    (b"GET http://ok.test@evil.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT ok.test@evil.test:443 HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT ok.test:65536 HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT ok.test HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT %6fk.test:443 HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT ok.test\x00.evil.test:443 HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    ("CONNECT 127。0。0。1:443 HTTP/1.1\r\nHost: ok.test\r\n\r\n".encode(), "malformed_request"),
    (b"GET / HTTP/1.1\r\n\r\n", "no_host"),
    (b"GET / HTTP/2.0\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"GET  / HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test/ HTTP/1.1\r\nno colon\r\n\r\n", "malformed_request"),
    (
        (
            b"POST http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nContent-Length: 3\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        "malformed_request",
    ),
    (
        (
            b"POST http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nTransfer-Encoding: chunked\r\n"
            b"Transfer-Encoding: identity\r\n\r\n0\r\n\r\n"
        ),
        "malformed_request",
    ),
    (
        (
            b"POST http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nContent-Length: 3\r\n"
            b"Content-Length: 4\r\n\r\nabc"
        ),
        "malformed_request",
    ),
    (
        (
            b"GET http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nHost: docs.test\r\n"
            b"Connection: close\r\n\r\n"
        ),
        "duplicate_host",
    ),
    (
        (
            b"GET http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nhOST: ok.test\r\n"
            b"Connection: close\r\n\r\n"
        ),
        "duplicate_host",
    ),
    (
        b"GET http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\n docs.test\r\nConnection: close\r\n\r\n",
        "malformed_request",
    ),
    (
        b"GET http://ok.test/ HTTP/1.1\r\nHost:\r\n docs.test\r\nConnection: close\r\n\r\n",
        "malformed_request",
    ),
    (b"GET http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nX: a\rb\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test/\0 HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test/ HTTP/1.1\r\nHost : ok.test\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test/ HTTP/1.1\r\n Host: docs.test\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test/ HTTP/1.1\r\nHost\x00: ok.test\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test:65536/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test:0/ HTTP/1.1\r\nHost: ok.test:0\r\n\r\n", "host_mismatch"),
    (b"GET http://a:b@ok.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test:80@evil.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"GET http://ok.test\\@evil.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT ok.test:0 HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT ok.test:-443 HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT ok.test:0x1bb HTTP/1.1\r\nHost: ok.test\r\n\r\n", "malformed_request"),
    (b"CONNECT 2130706433:443 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "ip_literal"),
    (b"CONNECT 0x7f.1:443 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "ip_literal"),
    (b"CONNECT [::1]:443 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "ip_literal"),
    (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "h2c"),
    (b"SSH-2.0-OpenSSH_9.2\r\n", "not_http"),
    (b"\x00\x01\x02\x03 hello", "not_http"),
    (b"EHLO mail.test\r\n", "not_http"),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "tls_to_proxy"),
]


@pytest.mark.parametrize(("data", "detail"), MALFORMED)
def test_what_cannot_be_read_is_refused_with_an_event(sidecar, http_origin, data, detail):
    http_origin.requests.clear()
    with socket.create_connection(PROXY, timeout=WAIT_S) as sock:
        sock.sendall(data)
        sock.shutdown(socket.SHUT_WR)
        answer = read_all(sock)
    events = sidecar.drain_until(1)

    assert b"HTTP/1.1 200" not in answer
    assert [("egress_blocked", "explicit", detail)] == blocked(events)
    assert [] == http_origin.requests


@pytest.mark.parametrize(
    "data", [b"SSH-2.0-x\r\n", b"\x00\x00\x00\x08\x04\xd2\x16\x2f", b"hello there\r\n"]
)
def test_raw_tcp_in_a_tunnel_is_cut(sidecar, tls_origin, data):
    tls_origin.requests.clear()
    sock, head = open_tunnel("ok.test:443")
    with sock:
        sock.sendall(data)
        answer = read_all(sock)

    assert head.startswith(b"HTTP/1.1 200 ")
    assert answer.startswith(b"HTTP/1.1 400 ")
    events = sidecar.drain_until(1)
    assert [("egress_blocked", "explicit", "not_http")] == blocked(events)
    assert ["ok.test"] == [e["host"] for e in events]


def test_raw_bytes_inside_tls_are_cut(sidecar, tls_origin):
    tls_origin.requests.clear()
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        tls.sendall(b"SSH-2.0-x\r\n")
        answer = read_all(tls)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert [("egress_blocked", "explicit", "not_http")] == blocked(sidecar.drain_until(1))
    assert [] == tls_origin.requests


@pytest.mark.parametrize(
    ("address", "data", "detail"),
    [
        (HTTPS_DOOR, b"GET / HTTP/1.1\r\nHost: ok.test\r\n\r\n", "not_tls"),
        (HTTP_DOOR, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "tls_to_proxy"),
        (HTTP_DOOR, b"SSH-2.0-x\r\n", "not_http"),
    ],
)
def test_each_transparent_door_admits_its_own_protocol_only(sidecar, address, data, detail):
    answer = raw_exchange(address, data)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert [detail] == [e["detail"] for e in sidecar.drain_until(1)]


@pytest.mark.parametrize(
    ("data", "detail"),
    [
        (b"CONNECT ok.test:443 HTTP/1.1\r\nHost: ok.test:443\r\n\r\n", "malformed_request"),
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", "no_host"),
        (b"GET / HTTP/1.1\r\nHost: ok.test:8080\r\nConnection: close\r\n\r\n", "host_mismatch"),
        (b"GET http://evil.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "host_mismatch"),
        (b"GET HTTP://a@ok.test/ HTTP/1.1\r\nHost: ok.test\r\n\r\n", "host_mismatch"),
        (b"GET http://ok.test/ HTTP/1.1\r\n\r\n", "host_mismatch"),
        (b"GET / HTTP/1.1\r\nHost: ok.test, x\r\nConnection: close\r\n\r\n", "invalid_host"),
        (b"GET / HTTP/1.1\r\nHost: [::1]\r\nConnection: close\r\n\r\n", "ip_literal"),
        (b"GET / HTTP/1.1\r\nHost: a@ok.test\r\nConnection: close\r\n\r\n", "invalid_host"),
        (b"GET / HTTP/1.1\r\nHost: \xff\r\nConnection: close\r\n\r\n", "invalid_host"),
        (b"GET / HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n", "invalid_host"),
    ],
)
def test_the_transparent_http_door_needs_one_readable_host(sidecar, http_origin, data, detail):
    http_origin.requests.clear()
    answer = raw_exchange(HTTP_DOOR, data)

    assert b"HTTP/1.1 200" not in answer
    assert [detail] == [e["detail"] for e in sidecar.drain_until(1)]
    assert [] == http_origin.requests


def test_a_connect_inside_a_tunnel_is_refused(sidecar):
    sock, _ = open_tunnel("ok.test:443")
    with sock:
        sock.sendall(b"CONNECT docs.test:443 HTTP/1.1\r\nHost: docs.test:443\r\n\r\n")
        answer = read_all(sock)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert [("egress_blocked", "explicit", "malformed_request")] == blocked(sidecar.drain_until(1))


def test_a_transparent_connection_without_a_server_name_is_refused(sidecar):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with (
        socket.create_connection(HTTPS_DOOR, timeout=WAIT_S) as sock,
        context.wrap_socket(sock) as tls,
    ):
        tls.sendall(b"GET / HTTP/1.1\r\nHost: ok.test\r\nConnection: close\r\n\r\n")
        answer = read_all(tls)

    assert answer.startswith(b"HTTP/1.1 403 ")
    assert ["no_sni"] == [e["detail"] for e in sidecar.drain_until(1)]


def test_endless_headers_are_cut(sidecar):
    with socket.create_connection(PROXY, timeout=WAIT_S) as sock:
        sock.sendall(b"GET http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\n")
        try:
            for index in range(200_000):
                sock.sendall(b"X-%d: %s\r\n" % (index, b"a" * 60))
        except OSError:
            pass
        answer = read_all(sock)

    assert b"200 OK" not in answer
    assert ["headers_too_large"] == [e["detail"] for e in sidecar.drain_until(1)]


def test_pipelined_requests_are_each_judged(sidecar):
    data = (
        b"GET http://ok.test/one HTTP/1.1\r\nHost: ok.test\r\n\r\n"
        b"GET http://docs.test/two HTTP/1.1\r\nHost: docs.test\r\nConnection: close\r\n\r\n"
    )
    answer = raw_exchange(PROXY, data)

    assert 1 == answer.count(b"HTTP/1.1 200 ")
    assert 1 == answer.count(b"HTTP/1.1 403 ")
    assert [("egress_allowed", "/one"), ("egress_blocked", "/two")] == [
        (e["type"], e["path"]) for e in sidecar.drain_until(2)
    ]


def test_an_unasked_switch_of_protocols_by_the_server_is_cut(sidecar):
    answer = raw_exchange(PROXY, b"GET http://ok.test/switch HTTP/1.1\r\nHost: ok.test\r\n\r\n")

    assert b"raw" not in answer
    assert [("egress_blocked", "explicit", "upgrade")] == blocked(sidecar.drain_until(1))


def test_odd_bytes_in_a_path_survive_as_text(sidecar):
    raw_exchange(
        HTTP_DOOR,
        b"GET /\xff%00\x1b[31m?token=hunter2&q=\xe2\x80\xa8 HTTP/1.1\r\n"
        b"Host: ok.test\r\nConnection: close\r\n\r\n",
    )
    events = sidecar.drain_until(1)

    assert ["/\\xff%00\x1b[31m?token=REDACTED&q=\u2028"] == [e["path"] for e in events]


def test_a_very_long_path_is_cut_with_a_digest(sidecar):
    path = "/" + "p" * 20_000
    raw_exchange(
        PROXY,
        f"GET http://ok.test{path} HTTP/1.1\r\nHost: ok.test\r\nConnection: close\r\n\r\n".encode(),
    )
    (event,) = sidecar.drain_until(1)

    assert len(event["path"]) < 1200
    assert "[20001 bytes, sha256:" in event["path"]
