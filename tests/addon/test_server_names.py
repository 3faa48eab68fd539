"""The TLS server name: judged in the handshake, so that a refused one is always on record."""

from __future__ import annotations

import socket
import ssl

import pytest
from sidecar_process import (
    LISTEN,
    WAIT_S,
    ask,
    fetch,
    open_tunnel,
    over_tls,
    policy,
    raw_exchange,
    rule,
    without_times,
)

DOCS = "docs_host_requires_read_docs"
OTHER = "not_allowlisted"
UNSET = "unset.invalid"


@pytest.fixture(autouse=True)
def _never_dialled(tls_origin):
    before = tls_origin.connections
    yield
    assert before == tls_origin.connections


def direct():
    return socket.create_connection((LISTEN, 443), timeout=WAIT_S)


SILENT = [
    # server name, host of the event, reason, detail
    ("docs.test", "docs.test", DOCS, "client_disconnected"),
    ("sub.docs.test", "sub.docs.test", DOCS, "client_disconnected"),
    ("unlisted.test", "unlisted.test", OTHER, "client_disconnected"),
    (UNSET, UNSET, OTHER, "client_disconnected"),
    ("plaintext.test", "plaintext.test", OTHER, "port"),
    (None, "", OTHER, "no_sni"),
]


@pytest.mark.parametrize(("name", "host", "reason", "detail"), SILENT)
def test_a_refused_name_without_a_request_leaves_one_event(sidecar, name, host, reason, detail):
    over_tls(direct(), name).close()

    assert [
        {
            "type": "egress_blocked",
            "host": host,
            "method": "TLS",
            "port": 443,
            "via": "https",
            "reason": reason,
            "detail": detail,
        }
    ] == without_times([sidecar.next_event()])
    assert [] == sidecar.drain()


def test_an_allowed_name_without_a_request_leaves_none(sidecar):
    over_tls(direct(), "ok.test").close()
    fetch("http://docs.test/after")

    assert ["/after"] == [e["path"] for e in sidecar.drain_until(1)]


def test_a_refused_name_whose_certificate_is_not_trusted_leaves_one_event(sidecar):
    with direct() as sock, pytest.raises(ssl.SSLCertVerificationError):
        ssl.create_default_context().wrap_socket(sock, server_hostname="docs.test")

    event = sidecar.next_event()
    assert ("TLS", DOCS, "client_rejected_ca") == (
        event["method"],
        event["reason"],
        event["detail"],
    )
    assert [] == sidecar.drain()


def test_with_requests_the_requests_are_what_is_recorded(sidecar):
    with over_tls(direct(), "docs.test") as tls:
        statuses = [ask(tls, "GET", f"/{page}", "docs.test").status for page in range(2)]

    assert [403, 403] == statuses
    assert ["/0", "/1"] == [e["path"] for e in sidecar.drain()]


MISMATCHES = [
    # server name in a tunnel to ok.test, host of the event, reason, detail
    ("docs.test", "docs.test", DOCS, "sni_mismatch"),
    ("sub.ok.test", "sub.ok.test", OTHER, "sni_mismatch"),
    (UNSET, UNSET, OTHER, "sni_mismatch"),
    (None, "ok.test", OTHER, "no_sni"),
]


@pytest.mark.parametrize(("name", "host", "reason", "detail"), MISMATCHES)
def test_a_tunnel_for_another_name_leaves_one_event_without_a_request(
    sidecar, name, host, reason, detail
):
    sock, _ = open_tunnel("ok.test:443")
    over_tls(sock, name).close()

    event = sidecar.next_event()
    assert ("CONNECT", host, reason, detail) == (
        event["method"],
        event["host"],
        event["reason"],
        event["detail"],
    )
    assert [] == sidecar.drain()


@pytest.mark.parametrize("opened", [direct, lambda: open_tunnel("ok.test:443")[0]])
@pytest.mark.parametrize("host", ["ok.test", UNSET, "docs.test"])
def test_no_server_name_skips_the_comparison_with_the_host(sidecar, opened, host):
    with over_tls(opened(), UNSET) as tls:
        answer = ask(tls, "GET", "/x", host)

    assert 403 == answer.status
    assert ["/x"] == [e["path"] for e in sidecar.drain()]


def test_a_connect_to_it_opens_nothing_either(sidecar):
    sock, _ = open_tunnel(f"{UNSET}:443")
    with over_tls(sock, UNSET) as tls:
        assert 403 == ask(tls, "GET", "/x", "ok.test").status


@pytest.mark.parametrize("name", [UNSET, "no host", "no%20host"])
def test_an_absolute_target_cannot_leave_the_choice_to_the_host_header(sidecar, http_origin, name):
    sidecar.attempt(policy(rule("ok.test", 80, 443, 8080), private=("ok.test",)))
    http_origin.requests.clear()
    request = f"GET http://{name}/x HTTP/1.1\r\nHost: ok.test:8080\r\nConnection: close\r\n\r\n"
    answer = raw_exchange(("127.0.0.1", 8080), request.encode())

    assert answer.split()[1] in {b"400", b"403"}
    assert [] == http_origin.requests
    assert ["egress_blocked"] == [e["type"] for e in sidecar.drain_until(1)]
