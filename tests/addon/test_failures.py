"""The network fails: an error that says how, never a refusal."""

from __future__ import annotations

import socket
import ssl

import dns.message
import pytest
from sidecar_process import (
    PROXY,
    WAIT_S,
    ask,
    fetch,
    open_tunnel,
    over_tls,
    raw_exchange,
    read_all,
)

FAILURES = [
    # url, detail, text in the event's error
    ("https://missing.test/", "dns_failure", "cannot resolve missing.test"),
    ("http://closed.test:9/", "connect_failed", "Connect call failed"),
    ("https://expired.test/", "upstream_tls", "certificate has expired"),
    ("https://selfsigned.test/", "upstream_tls", "unable to get local issuer"),
    ("https://wrongname.test/", "upstream_tls", "ostname mismatch"),
    ("http://ok.test/nothttp", "upstream_protocol", "Cannot parse HTTP response"),
]


@pytest.mark.parametrize(("url", "detail", "text"), FAILURES)
def test_a_failure_before_the_answer_is_a_502_and_an_error(sidecar, url, detail, text):
    answer = fetch(url)
    (event,) = sidecar.drain_until(1)

    assert 502 == answer.status
    assert ("egress_error", detail, "GET") == (event["type"], event["detail"], event["method"])
    assert text in event["error"]


@pytest.mark.parametrize(
    ("path", "detail"),
    [
        ("short", "upstream_reset"),
        ("chunkerror", "upstream_protocol"),
        ("trailers", "unsupported_trailers"),
    ],
)
def test_an_answer_that_breaks_off_is_an_error_with_its_figures(sidecar, path, detail):
    answer = raw_exchange(
        PROXY, f"GET http://ok.test/{path} HTTP/1.1\r\nHost: ok.test\r\n\r\n".encode()
    )
    (event,) = sidecar.drain_until(1)

    assert answer.startswith(b"HTTP/1.1 200 ")
    assert ("egress_error", detail, 200) == (event["type"], event["detail"], event["status"])


def test_a_failure_is_the_connections_and_not_a_lookups_from_the_same_port(sidecar):
    with (
        socket.socket(socket.AF_INET, socket.SOCK_STREAM) as connection,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as lookup,
    ):
        # TCP first: a port that is free for UDP may be a connection's that has just ended.
        connection.bind(("127.0.0.1", 0))
        lookup.bind(connection.getsockname())
        lookup.sendto(dns.message.make_query("ok.test", "A").to_wire(), ("127.0.0.1", 53))
        lookup.recv(512)
        connection.connect(PROXY)
        connection.sendall(b"GET http://ok.test/trailers HTTP/1.1\r\nHost: ok.test\r\n\r\n")
        read_all(connection)

    found = [(e["host"], e["detail"], e["via"]) for e in sidecar.drain_until(1)]
    assert [("ok.test", "unsupported_trailers", "explicit")] == found


def test_a_reset_before_the_answer_is_an_error(sidecar):
    assert 502 == fetch("http://ok.test/reset").status
    assert ["upstream_reset"] == [e["detail"] for e in sidecar.drain_until(1)]


def test_a_client_that_hangs_up_is_told_from_a_failing_upstream(sidecar, tls_origin):
    tls_origin.released.clear()
    sock, _ = open_tunnel("ok.test:443")
    tls = over_tls(sock, "ok.test")
    tls.sendall(b"GET /wait HTTP/1.1\r\nHost: ok.test\r\n\r\n")
    assert tls.recv(4096).startswith(b"HTTP/1.1 200 ")
    tls.close()
    (event,) = sidecar.drain_until(1)
    tls_origin.released.set()

    assert ("egress_error", "client_disconnected", "/wait") == (
        event["type"],
        event["detail"],
        event["path"],
    )


@pytest.mark.parametrize("door", ["explicit", "https"])
def test_a_client_that_rejects_our_ca_is_told_what_to_set(sidecar, door):
    if door == "explicit":
        sock, _ = open_tunnel("ok.test:443")
    else:
        sock = socket.create_connection(("127.0.0.1", 443), timeout=WAIT_S)
    with sock, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(sock, server_hostname="ok.test")
    (event,) = sidecar.drain_until(1)

    assert ("egress_error", "client_rejected_ca", "ok.test", door) == (
        event["type"],
        event["detail"],
        event["host"],
        event["via"],
    )
    assert "SSL_CERT_FILE" in event["error"]


def test_the_hint_is_for_the_program_that_opened_the_tunnel(sidecar):
    sock, _ = open_tunnel("ok.test:443", extra="User-Agent: git/2.47.2\r\n")
    with sock, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(sock, server_hostname="ok.test")
    (event,) = sidecar.drain_until(1)

    assert "(git/2.47.2) does not trust" in event["error"]
    assert "GIT_SSL_CAINFO" in event["error"]


@pytest.mark.parametrize(
    "path", ["/token/3f9a8b7c6d", "/bot123456789:AAbbCCddEEffGGhhIIjjKKllMMnnOOpp/send"]
)
@pytest.mark.parametrize("host", ["ok.test", "closed.test:9", "unlisted.test"])
def test_no_key_in_a_path_or_a_header_is_recorded_whatever_becomes_of_the_request(
    sidecar, host, path
):
    fetch(f"http://{host}{path}?key=hunter2", headers={"X-Api-Key": "hunter2", "Cookie": "hunter2"})
    (event,) = sidecar.drain_until(1)

    assert "REDACTED" in event["path"]
    assert not [text for text in ("hunter2", "3f9a8b7c6d", "AAbbCC") if text in str(event)]


def test_rejecting_our_ca_on_a_documentation_host_is_still_a_refusal(sidecar):
    with (
        socket.create_connection(("127.0.0.1", 443), timeout=WAIT_S) as sock,
        pytest.raises(ssl.SSLCertVerificationError),
    ):
        ssl.create_default_context().wrap_socket(sock, server_hostname="docs.test")

    assert [("egress_blocked", "docs_host_requires_read_docs")] == [
        (e["type"], e["reason"]) for e in sidecar.drain_until(1)
    ]


def test_a_connection_is_used_again_after_a_failure(sidecar):
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        assert 200 == ask(tls, "GET", "/", "ok.test").status
        assert 503 == ask(tls, "GET", "/teapot", "ok.test").status
        assert 200 == ask(tls, "GET", "/", "ok.test").status
