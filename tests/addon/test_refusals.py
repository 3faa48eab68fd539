"""Every kind of refusal: what the client reads, and which event says so."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import pytest
from sidecar_process import (
    PROXY,
    WAIT_S,
    ask,
    fetch,
    open_tunnel,
    over_tls,
    raw_exchange,
    read_head,
    without_times,
)

DOCS = "docs_host_requires_read_docs"
OTHER = "not_allowlisted"

REFUSED = [
    # url, door, reason, detail, words of the body
    ("http://docs.test/p", "explicit", DOCS, None, "read it with read_docs"),
    ("https://docs.test/p", "explicit", DOCS, None, "read it with read_docs"),
    ("http://docs.test/p", "http", DOCS, None, "read it with read_docs"),
    ("https://docs.test/p", "https", DOCS, None, "read it with read_docs"),
    ("https://sub.docs.test/p", "https", DOCS, None, "sub.docs.test is a documentation host"),
    ("http://unlisted.test/", "explicit", OTHER, "host", "network.allow in the task file"),
    ("https://unlisted.test/", "explicit", OTHER, "host", "unlisted.test is not on this task's"),
    ("http://unlisted.test/", "http", OTHER, "host", "unlisted.test is not on this task's"),
    ("https://unlisted.test/", "https", OTHER, "host", "unlisted.test is not on this task's"),
    ("https://evilok.test/", "explicit", OTHER, "host", "evilok.test"),
    ("https://ok.test.evil.test/", "explicit", OTHER, "host", "ok.test.evil.test"),
    ("https://below.ok.test/", "explicit", OTHER, "host", "below.ok.test"),
    ("https://docs.test:8443/p", "explicit", DOCS, None, "read it with read_docs"),
    ("https://unlisted.test:8443/", "explicit", OTHER, "host", "network.allow in the task file"),
    ("https://bad-.test/", "explicit", OTHER, "invalid_host", "not a valid name"),
    ("https://ok.test:22/", "explicit", OTHER, "port", '"ok.test:22"'),
    ("http://ok.test:53/", "explicit", OTHER, "port", '"ok.test:53"'),
    ("http://127.0.0.1/", "explicit", OTHER, "ip_literal", "only host names"),
    ("http://2130706433/", "explicit", OTHER, "ip_literal", "only host names"),
    ("http://0x7f000001/", "explicit", OTHER, "ip_literal", "only host names"),
    ("http://0177.0.0.1/", "explicit", OTHER, "ip_literal", "only host names"),
    ("http://127.1/", "explicit", OTHER, "ip_literal", "only host names"),
    ("http://0/", "explicit", OTHER, "ip_literal", "only host names"),
    ("https://169.254.169.254/", "explicit", OTHER, "ip_literal", "only host names"),
    ("http://169.254.169.254/", "http", OTHER, "ip_literal", "only host names"),
    ("http://xn--ggle-55da.com/", "explicit", OTHER, "host", "xn--ggle-55da.com"),
    ("http://private.test/", "explicit", OTHER, "private_address", "network.private"),
    ("https://private.test/", "https", OTHER, "private_address", "network.private"),
    ("http://loopback.test/", "explicit", OTHER, "private_address", "private address"),
    ("http://metadata.test/", "http", OTHER, "private_address", "private address"),
]


@pytest.mark.parametrize(("url", "door", "reason", "detail", "words"), REFUSED)
def test_a_refusal_explains_itself_and_is_recorded(sidecar, url, door, reason, detail, words):
    answer = fetch(url, door=door)
    events = sidecar.drain()

    assert 403 == answer.status
    assert reason == answer.headers["X-Quickstarted-Reason"]
    assert detail == answer.headers["X-Quickstarted-Detail"]
    assert words in answer.text
    assert [("egress_blocked", reason, detail, door)] == [
        (e["type"], e["reason"], e.get("detail"), e["via"]) for e in events
    ]


def test_a_refused_connect_names_host_port_and_method_and_no_path(sidecar):
    fetch("https://docs.test:8443/secret")

    assert [
        {
            "type": "egress_blocked",
            "host": "docs.test",
            "method": "CONNECT",
            "port": 8443,
            "via": "explicit",
            "reason": DOCS,
        }
    ] == without_times(sidecar.drain())


def test_a_documentation_host_that_the_task_names_passes_with_its_reason(sidecar):
    answer = fetch("http://named.docs.test/")

    assert 502 == answer.status  # no such name: the policy had let it pass
    assert ["egress_error"] == [e["type"] for e in sidecar.drain()]


def test_a_refused_connect_explains_itself_in_its_first_line(sidecar):
    """Clients print it, where they drop the body."""
    sock, head = open_tunnel("docs.test:8443")
    sock.close()

    assert (
        b"HTTP/1.1 403 Forbidden: docs.test is a documentation host, read it with read_docs"
        == (head.partition(b"\r\n")[0])
    )


AUTHORITY = [
    # of a tunnel to ok.test:443: SNI, Host, detail, (host, reason) of the event
    ("docs.test", "ok.test", "sni_mismatch", ("docs.test", DOCS)),
    ("ok.test", "docs.test", "host_mismatch", ("docs.test", DOCS)),
    ("ok.test", "unlisted.test", "host_mismatch", ("unlisted.test", OTHER)),
    ("ok.test", "sub.ok.test", "host_mismatch", ("sub.ok.test", OTHER)),
    ("ok.test", "ok.test:8443", "host_mismatch", ("ok.test", OTHER)),
    (None, "ok.test", "no_sni", ("ok.test", OTHER)),
]


@pytest.mark.parametrize(("sni", "host", "detail", "event"), AUTHORITY)
def test_connect_sni_and_host_must_agree(sidecar, tls_origin, sni, host, detail, event):
    tls_origin.requests.clear()
    sock, head = open_tunnel("ok.test:443")
    with over_tls(sock, sni) as tls:
        answer = ask(tls, "GET", "/x", host)

    assert head.startswith(b"HTTP/1.1 200 ")
    assert (403, detail) == (answer.status, answer.headers["X-Quickstarted-Detail"])
    assert [(event, detail, "/x")] == [
        ((e["host"], e["reason"]), e["detail"], e["path"]) for e in sidecar.drain()
    ]
    assert [] == tls_origin.requests


@pytest.mark.parametrize("door", ["explicit", "http"])
def test_an_absolute_target_and_host_must_agree(sidecar, http_origin, door):
    http_origin.requests.clear()
    answer = fetch("http://ok.test/", door=door, headers={"Host": "docs.test"})

    assert 403 == answer.status
    wanted = "host_mismatch" if door == "explicit" else None
    assert [("docs.test", wanted, DOCS)] == [
        (e["host"], e.get("detail"), e["reason"]) for e in sidecar.drain()
    ]
    assert [] == http_origin.requests


@pytest.mark.parametrize("method", ["TRACE", "TRACK", "A" * 40, "G%T"])
def test_methods_that_are_not_passed_on(sidecar, method):
    answer = fetch("http://ok.test/", method=method)

    assert 403 == answer.status
    assert ["method"] == [e["detail"] for e in sidecar.drain()]


@pytest.mark.parametrize("upgrade", ["websocket", "raw", "spdy/3.1"])
def test_a_switch_of_protocols_is_refused(sidecar, upgrade):
    headers = {"Upgrade": upgrade, "Connection": "Upgrade"}
    answer = fetch("http://ok.test/", headers=headers)

    assert 403 == answer.status
    assert ["upgrade"] == [e["detail"] for e in sidecar.drain()]


def test_a_refused_head_request_has_no_body(sidecar):
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        first = ask(tls, "HEAD", "/", "docs.test")
        second = ask(tls, "GET", "/", "ok.test")

    assert [(403, b""), (200, 200)] == [
        (first.status, first.body),
        (second.status, 200 if second.body else 0),
    ]


def test_a_refused_upload_is_answered_before_its_body_is_read(sidecar):
    answer = fetch("http://unlisted.test/", method="POST", body=b"z" * 500_000)

    assert 403 == answer.status
    assert "network.allow" in answer.text
    assert ["host"] == [e["detail"] for e in sidecar.drain()]


def test_a_large_refused_upload_is_cut_and_not_kept_in_memory(own_sidecar):
    before = own_sidecar.resident_kib()
    sent = 0
    import socket

    with socket.create_connection((own_sidecar.listen, 8080)) as sock:
        sock.sendall(
            b"POST http://unlisted.test/ HTTP/1.1\r\nHost: unlisted.test\r\n"
            b"Content-Length: 200000000\r\n\r\n"
        )
        try:
            for _ in range(3000):
                sock.sendall(b"z" * 65536)
                sent += 65536
        except OSError:
            pass

    assert sent < 20_000_000
    assert own_sidecar.resident_kib() - before < 20_000
    assert ["host"] == [e["detail"] for e in own_sidecar.drain()]


def _upload(listen):
    """Whether an endless refused upload is cut: nobody reads it and nobody waits for its end."""
    with socket.create_connection((listen, 8080), timeout=20) as sock:
        sock.sendall(
            b"POST http://unlisted.test/ HTTP/1.1\r\nHost: unlisted.test\r\n"
            b"Content-Length: 200000000\r\n\r\n"
        )
        try:
            for _ in range(400):
                sock.sendall(b"z" * 65536)
        except TimeoutError:
            return False
        except OSError:
            return True
    return False


def test_refused_uploads_are_cut_in_whatever_moment_the_answer_comes(own_sidecar):
    with ThreadPoolExecutor(4) as pool:
        cut = list(pool.map(_upload, [own_sidecar.listen] * 120))

    assert 120 == sum(cut)


def test_a_refused_client_that_waits_to_send_its_body_is_answered(sidecar):
    with socket.create_connection(PROXY, timeout=WAIT_S) as sock:
        sock.sendall(
            b"POST http://unlisted.test/ HTTP/1.1\r\nHost: unlisted.test\r\n"
            b"Expect: 100-continue\r\nContent-Length: 9\r\n\r\n"
        )
        head = read_head(sock)

    assert head.startswith(b"HTTP/1.1 403 ")
    assert ["host"] == [e["detail"] for e in sidecar.drain_until(1)]


@pytest.mark.parametrize("body", [b"zz\r\n", b"3\r\nabcXX0\r\n\r\n"])
def test_a_body_that_is_not_what_its_head_says_is_the_clients_fault(sidecar, body):
    answer = raw_exchange(
        PROXY,
        b"POST http://ok.test/ HTTP/1.1\r\nHost: ok.test\r\nTransfer-Encoding: chunked\r\n\r\n"
        + body,
    )

    assert not answer.startswith(b"HTTP/1.1 200 ")
    assert [("egress_error", "client_protocol")] == [
        (e["type"], e["detail"]) for e in sidecar.drain_until(1)
    ]
