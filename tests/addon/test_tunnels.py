"""A CONNECT refused because of its name: told in the tunnel, recorded once, never dialled."""

from __future__ import annotations

import socket
import ssl

import pytest
from sidecar_process import (
    ask,
    fetch,
    open_tunnel,
    over_tls,
    policy,
    read_all,
    rule,
    without_times,
)

DOCS = "docs_host_requires_read_docs"
OTHER = "not_allowlisted"


@pytest.fixture(autouse=True)
def _never_dialled(tls_origin, alternative_http_origin):
    """Every name here leads to a server that would answer."""
    origins = [tls_origin, alternative_http_origin]
    before = [origin.connections for origin in origins]
    yield
    assert before == [origin.connections for origin in origins]


def one_tunnel(event, host="docs.test", reason=DOCS):
    """The event of a tunnel without a request, its detail left out."""
    return [
        {
            "type": "egress_blocked",
            "host": host,
            "method": "CONNECT",
            "port": 443,
            "via": "explicit",
            "reason": reason,
        }
    ] == without_times([{key: value for key, value in event.items() if key != "detail"}])


@pytest.mark.parametrize(
    ("host", "reason", "more"),
    [("docs.test", {"reason": DOCS}, {}), ("unlisted.test", {"reason": OTHER}, {"detail": "host"})],
)
def test_the_request_inside_is_recorded_as_what_it_asks_for(sidecar, host, reason, more):
    answer = fetch(f"https://{host}/guide?page=2", method="POST", body=b"abc")

    assert 403 == answer.status
    assert [
        {
            "type": "egress_blocked",
            "host": host,
            "method": "POST",
            "port": 443,
            "path": "/guide?page=2",
            "via": "explicit",
            **reason,
            **more,
        }
    ] == without_times(sidecar.drain())


@pytest.mark.parametrize("host", ["docs.test", "sub.docs.test", "unlisted.test"])
def test_the_answer_is_that_of_the_transparent_door(sidecar, host):
    inside = fetch(f"https://{host}/p")
    direct = fetch(f"https://{host}/p", door="https")

    assert (direct.status, direct.body, direct.headers.items()) == (
        inside.status,
        inside.body,
        inside.headers.items(),
    )


def test_each_request_in_a_tunnel_leaves_one_event(sidecar):
    sock, head = open_tunnel("docs.test:443")
    with over_tls(sock, "docs.test") as tls:
        statuses = [ask(tls, "GET", f"/{page}", "docs.test").status for page in range(3)]

    assert head.startswith(b"HTTP/1.1 200 ")
    assert [403, 403, 403] == statuses
    assert ["/0", "/1", "/2"] == [e["path"] for e in sidecar.drain()]


def test_plain_http_in_a_tunnel_is_told_too(sidecar):
    sock, _ = open_tunnel("docs.test:443")
    with sock:
        answer = ask(sock, "GET", "/plain", "docs.test")

    assert (403, DOCS) == (answer.status, answer.headers["X-Quickstarted-Reason"])
    assert ["/plain"] == [e["path"] for e in sidecar.drain()]


def hang_up(_sock):
    """Close without a byte."""


def hang_up_in_the_handshake(sock):
    sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")


def hang_up_after_the_handshake(sock):
    over_tls(sock, "docs.test").close()


def reject_the_ca(sock):
    with pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(sock, server_hostname="docs.test")


def speak_old_tls(sock):
    sock.sendall(b"\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00")
    read_all(sock)


def in_the_tunnel(data):
    def send(sock):
        sock.sendall(data)
        read_all(sock)

    return send


def in_tls(data):
    def send(sock):
        with over_tls(sock, "docs.test") as tls:
            tls.sendall(data)
            read_all(tls)

    return send


ENDS = [
    (hang_up, "client_disconnected"),
    (hang_up_in_the_handshake, "client_disconnected"),
    (hang_up_after_the_handshake, "client_disconnected"),
    (reject_the_ca, "client_rejected_ca"),
    (speak_old_tls, "client_tls"),
    (in_the_tunnel(b"SSH-2.0-x\r\n"), "not_http"),
    (in_the_tunnel(b"\x00\x00\x00\x08\x04\xd2\x16\x2f"), "not_http"),
    (in_the_tunnel(b"GET / HTTP/9.9\r\n\r\n"), "malformed_request"),
    (in_tls(b"SSH-2.0-x\r\n"), "not_http"),
    (in_tls(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), "h2c"),
    (in_tls(b"GET / HTTP/1.1\r\nno colon\r\n\r\n"), "malformed_request"),
    (in_tls(b"GET / HTTP/1.1\r\nX: " + b"a" * 300_000), "headers_too_large"),
]


@pytest.mark.parametrize(("end", "detail"), ENDS)
@pytest.mark.parametrize(("host", "reason"), [("docs.test", DOCS), ("unlisted.test", OTHER)])
def test_a_tunnel_without_a_request_is_recorded_once(sidecar, end, detail, host, reason):
    sock, head = open_tunnel(f"{host}:443")
    with sock:
        end(sock)
    event = sidecar.next_event()

    assert head.startswith(b"HTTP/1.1 200 ")
    assert one_tunnel(event, host, reason), event
    assert detail == event["detail"]
    assert [] == sidecar.drain()


def test_a_request_that_mitmproxy_rejects_is_recorded_once(sidecar):
    sock, _ = open_tunnel("docs.test:443")
    with over_tls(sock, "docs.test") as tls:
        tls.sendall(
            b"POST /x HTTP/1.1\r\nHost: docs.test\r\nContent-Length: 3\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        )
        answer = read_all(tls)

    assert answer.startswith(b"HTTP/1.1 400 ")
    assert [("POST", "malformed_request")] == [
        (e["method"], e["detail"]) for e in sidecar.drain_until(1)
    ]


def test_what_cannot_be_read_after_a_request_is_recorded_too(sidecar):
    sock, _ = open_tunnel("docs.test:443")
    with over_tls(sock, "docs.test") as tls:
        ask(tls, "GET", "/x", "docs.test")
        tls.sendall(b"GET / HTTP/1.1\r\nno colon\r\n\r\n")
        read_all(tls)

    assert [("GET", None), ("?", "malformed_request")] == [
        (e["method"], e.get("detail")) for e in sidecar.drain_until(2)
    ]


MISMATCHES = [
    # of a tunnel to docs.test:443: SNI, Host, detail, (host, reason) of the event
    ("ok.test", "ok.test", "sni_mismatch", ("ok.test", OTHER)),
    ("docs.test", "ok.test", "host_mismatch", ("ok.test", OTHER)),
    ("docs.test", "docs.test:8443", "host_mismatch", ("docs.test", DOCS)),
    (None, "docs.test", "no_sni", ("docs.test", DOCS)),
]


@pytest.mark.parametrize(("sni", "host", "detail", "event"), MISMATCHES)
def test_a_name_inside_opens_no_way_out(sidecar, sni, host, detail, event):
    sock, _ = open_tunnel("docs.test:443")
    with over_tls(sock, sni) as tls:
        answer = ask(tls, "GET", "/x", host)

    assert (403, detail) == (answer.status, answer.headers["X-Quickstarted-Detail"])
    assert [(event, detail, "/x")] == [
        ((e["host"], e["reason"]), e["detail"], e["path"]) for e in sidecar.drain()
    ]


@pytest.mark.parametrize("host", ["plaintext.test:8080", "plaintext.test"])
def test_a_tunnel_to_the_name_for_no_host_opens_no_way_out(sidecar, host):
    """The sidecar's own stand-in for a destination that is not known yet, spelled differently."""
    sock, _ = open_tunnel("UNSET.invalid:443")
    with sock:
        answer = ask(sock, "GET", "/", host)

    assert 403 == answer.status
    assert ["egress_blocked"] == [e["type"] for e in sidecar.drain()]


def test_an_allowed_request_before_the_tunnel_opens_no_way_out(own_sidecar, http_origin):
    with socket.create_connection((own_sidecar.listen, 8080), timeout=30) as sock:
        allowed = ask(sock, "GET", "http://ok.test/", "ok.test")
        sock.sendall(b"CONNECT docs.test:443 HTTP/1.1\r\nHost: docs.test:443\r\n\r\n")
        assert sock.recv(12) == b"HTTP/1.1 200"
        while not sock.recv(1000).endswith(b"\r\n\r\n"):
            pass
        refused = ask(sock, "GET", "/x", "ok.test")

    assert [200, 403] == [allowed.status, refused.status]
    assert [("egress_allowed", "/"), ("egress_blocked", "/x")] == [
        (e["type"], e["path"]) for e in own_sidecar.drain()
    ]


@pytest.mark.parametrize("settle", [False, True])
def test_another_scope_closes_tunnels_and_counts_them_in_the_earlier_one(sidecar, settle):
    waiting, _ = open_tunnel("docs.test:443")
    sock, _ = open_tunnel("docs.test:443")
    tls = over_tls(sock, "docs.test")
    ask(tls, "GET", "/x", "docs.test")
    asked, tunnel = sidecar.drain(settle=settle)
    cut = read_all(waiting), read_all(tls)
    waiting.close()
    tls.close()

    assert "/x" == asked["path"]
    assert one_tunnel(tunnel), tunnel
    assert ("unfinished", asked["scope"]) == (tunnel["detail"], tunnel["scope"])
    assert (b"", b"") == cut
    assert [] == sidecar.drain()


def test_another_attempt_closes_tunnels_even_where_it_allows_the_name(own_sidecar):
    address = (own_sidecar.listen, 8080)
    with socket.create_connection(address, timeout=30) as sock:
        sock.sendall(b"CONNECT docs.test:443 HTTP/1.1\r\nHost: docs.test:443\r\n\r\n")
        assert sock.recv(12) == b"HTTP/1.1 200"
        late = own_sidecar.attempt(policy(rule("docs.test"), private=("docs.test",)))
        rest = read_all(sock)

    assert [] == late
    assert rest.endswith(b"\r\n\r\n")
    assert [] == own_sidecar.drain()
