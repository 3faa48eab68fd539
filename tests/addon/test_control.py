"""Orders and reports: nothing before `start`, nothing after the end of standard input."""

from __future__ import annotations

import base64
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.serialization import pkcs12
from mitmproxy import version
from sidecar_fixtures import POLICY
from sidecar_process import (
    SidecarProcess,
    ask,
    fetch,
    open_tunnel,
    over_tls,
    policy,
    read_all,
    read_head,
    rule,
)

from quickstarted_proxy import trimmed

UNLISTED = policy(rule("unlisted.test"))


def is_listening(address=("127.0.0.1", 8080)):
    try:
        socket.create_connection(address, timeout=2).close()
    except OSError:
        return False
    return True


def wait_for_half(tls):
    """Of the answer that `/wait` begins."""
    read_head(tls)
    while tls.recv(1) != b"f":
        pass


REFUSED_STARTS = [
    ({"order": "scope", "scope": 1}, "the first order must be start"),
    ({"order": "start", "listen": "127.0.0.1"}, "missing ['policy']"),
    ({"order": "start", "listen": "127.0.0.1", "policy": {}}, "not a policy"),
    (
        {"order": "start", "listen": "127.0.0.1", "policy": {**POLICY, "extra": 1}},
        "unknown parts ['extra']",
    ),
    (
        {"order": "start", "listen": "127.0.0.1", "policy": policy(rule("UPPER.test"))},
        "not a normalised host name",
    ),
    (
        {"order": "start", "listen": "127.0.0.1", "policy": POLICY, "trust_pem": "no certificate"},
        "trust_pem",
    ),
    (
        {
            "order": "start",
            "listen": "127.0.0.1",
            "policy": POLICY,
            "upstream_proxies": {"http": "socks5://user:hidden@h:1"},
        },
        "only http and https",
    ),
    ({"order": "start", "listen": "203.0.113.9", "policy": POLICY}, "failed to listen"),
    ({"order": "start", "listen": "not an address", "policy": POLICY}, ""),
]


@pytest.mark.parametrize(("order", "text"), REFUSED_STARTS)
def test_a_bad_start_is_refused_and_nothing_listens(order, text):
    process = SidecarProcess()
    assert not is_listening()
    process.send(order)
    report = process.next()
    code = process.wait()
    process.stop()

    assert (0, "refused") == (report["seq"], report["report"])
    assert text in report["error"]
    assert "hidden" not in report["error"]
    assert 78 == code
    assert not is_listening()


def test_an_unreadable_start_is_refused():
    process = SidecarProcess()
    process.send_raw(b"{not json\n")
    report = process.next()
    code = process.wait()
    process.stop()

    assert ("refused", 78) == (report["report"], code)


def test_a_second_sidecar_on_the_same_address_is_refused(own_sidecar):
    second = SidecarProcess({"policy": POLICY}, listen=own_sidecar.listen)
    report = second.next()
    code = second.wait()
    second.stop()

    assert ("refused", 78) == (report["report"], code)
    assert "address already in use" in report["error"]


def test_the_end_of_input_before_start_ends_the_process():
    process = SidecarProcess()
    process.stop()

    assert (0, []) == (process.process.returncode, process.reports)


def test_the_end_of_input_ends_it_in_the_middle_of_a_transfer(trust_pem, tls_origin):
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}).ready()
    sock, _ = open_tunnel("ok.test:443")
    tls = over_tls(sock, "ok.test")
    tls.sendall(b"GET /big?n=1000000000 HTTP/1.1\r\nHost: ok.test\r\n\r\n")
    tls.recv(1000)
    process.process.stdin.close()
    code = process.wait()
    process.process.stdout.close()
    read_all(tls)
    tls.close()

    assert 0 == code
    assert not is_listening()


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"[]\n", "not a JSON object"),
        (b'{"order": "dance"}\n', "unknown order 'dance'"),
        (b'{"order": "scope"}\n', "cannot be carried out"),
        (b'{"order": "attempt", "policy": {"allow": []}}\n', "not a policy"),
    ],
)
def test_an_order_that_cannot_be_carried_out_is_a_fault_and_the_end(own_sidecar, line, text):
    own_sidecar.send_raw(line)
    report = own_sidecar.next()
    code = own_sidecar.wait()

    assert "fault" == report["report"]
    assert text in report["error"]
    assert 70 == code


def test_reports_that_nobody_reads_end_the_process(tls_origin):
    process = subprocess.Popen(
        [sys.executable, "-I", "-m", "quickstarted_proxy"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    from quickstarted_proxy.control import encode

    process.stdin.write(encode({"order": "start", "listen": "127.0.0.2", "policy": POLICY}))
    process.stdin.flush()
    process.stdout.readline()
    process.stdout.close()
    with socket.create_connection(("127.0.0.2", 8080)) as sock:
        sock.sendall(b"GET http://docs.test/ HTTP/1.1\r\nHost: docs.test\r\n\r\n")
        answer = read_all(sock)
    code = process.wait(30)
    process.stdin.close()

    assert 74 == code
    assert b"200 OK" not in answer


@pytest.mark.filterwarnings("ignore:Parsed a serial number")
def test_ready_carries_what_the_sandbox_must_trust(own_sidecar):
    ready = own_sidecar.ready_report
    ca = x509.load_pem_x509_certificate(ready["ca_pem"].encode())
    store = pkcs12.load_pkcs12(base64.b64decode(ready["truststore_b64"]), b"changeit")
    held = [item.certificate for item in store.additional_certs]

    assert ca.extensions.get_extension_for_class(x509.BasicConstraints).value.ca
    assert ca in held
    assert ready["roots_pem"].count("BEGIN CERTIFICATE") + 1 == len(held)
    assert version.VERSION == ready["mitmproxy"]
    assert "PRIVATE KEY" not in str(ready)


def test_each_process_has_a_ca_of_its_own(own_sidecar, trust_pem, tls_origin):
    other = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}).ready()
    other.stop()

    assert own_sidecar.ready_report["ca_pem"] != other.ready_report["ca_pem"]


def test_the_changes_to_mitmproxy_were_read_against_the_installed_version():
    assert trimmed.MITMPROXY_VERSION == version.VERSION


def test_unneeded_packages_are_not_loaded(own_sidecar):
    maps = Path(f"/proc/{own_sidecar.process.pid}/maps").read_text()

    assert "_brotli" in maps
    assert "argon2" not in maps


def test_scopes_and_unfinished_requests_are_reported_once(trust_pem, tls_origin):
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}).ready()
    tls_origin.released.clear()
    sock, _ = open_tunnel("ok.test:443")
    tls = over_tls(sock, "ok.test")
    tls.sendall(b"GET /wait HTTP/1.1\r\nHost: ok.test\r\n\r\n")
    wait_for_half(tls)
    running = process.drain(settle=False)
    settled = process.drain()
    tls_origin.released.set()
    read_all(tls)
    tls.close()
    time.sleep(0.2)
    after = process.drain()
    process.stop()

    assert [] == running
    assert [("egress_allowed", 200, 4, "unfinished", 0)] == [
        (e["type"], e["status"], e["bytes_in"], e["detail"], e["scope"]) for e in settled
    ]
    assert [] == after


def test_times_are_those_of_decisions(trust_pem, tls_origin):
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}).ready()
    tls_origin.released.clear()
    sock, _ = open_tunnel("ok.test:443")
    tls = over_tls(sock, "ok.test")
    tls.sendall(b"GET /wait HTTP/1.1\r\nHost: ok.test\r\n\r\n")
    wait_for_half(tls)
    fetch("https://docs.test/now")
    tls_origin.released.set()
    read_all(tls)
    tls.close()
    events = process.drain_until(2)
    process.stop()

    assert ["/wait", "/now"] == [e["path"] for e in sorted(events, key=lambda e: e["ts"])]


def test_another_attempt_keeps_nothing_of_the_earlier_one(trust_pem, tls_origin, http_origin):
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}).ready()
    tls_origin.released.clear()
    fetch("http://ok.test/")
    sock, _ = open_tunnel("ok.test:443")
    tls = over_tls(sock, "ok.test")
    tls.sendall(b"GET /wait HTTP/1.1\r\nHost: ok.test\r\n\r\n")
    wait_for_half(tls)
    idle, _ = open_tunnel("ok.test:443")
    process.drain(settle=False)

    late = process.attempt(UNLISTED)
    tls_origin.released.set()
    cut = read_all(tls), read_all(idle)
    tls.close()
    idle.close()
    now_refused = fetch("http://ok.test/")
    now_judged = fetch("http://unlisted.test/")
    events = process.drain()
    process.stop()

    assert [] == late
    assert (b"", b"") == cut
    assert (403, "host") == (now_refused.status, now_refused.headers["X-Quickstarted-Detail"])
    assert "private_address" == now_judged.headers["X-Quickstarted-Detail"]
    assert [("ok.test", 0), ("unlisted.test", 0)] == [(e["host"], e["scope"]) for e in events]


def test_a_sidecar_serves_many_attempts(trust_pem, tls_origin, http_origin):
    process = SidecarProcess({"policy": UNLISTED, "trust_pem": trust_pem}).ready()
    for _ in range(5):
        process.attempt(POLICY)
        assert 200 == fetch("https://ok.test/").status
        assert ["ok.test"] == [e["host"] for e in process.drain()]
        process.attempt(UNLISTED)
        assert 403 == fetch("https://ok.test/").status
        assert ["egress_blocked"] == [e["type"] for e in process.drain()]
    process.stop()


def test_sigterm_ends_it(own_sidecar):
    own_sidecar.process.terminate()

    assert 0 == own_sidecar.wait()


def test_a_connection_kept_open_is_used_for_many_requests(trust_pem, tls_origin):
    process = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}).ready()
    sock, _ = open_tunnel("ok.test:443")
    with over_tls(sock, "ok.test") as tls:
        statuses = {ask(tls, "GET", f"/{index}", "ok.test").status for index in range(50)}
    events = process.drain()
    process.stop()

    assert {200} == statuses
    assert [f"/{index}" for index in range(50)] == [e["path"] for e in events]
