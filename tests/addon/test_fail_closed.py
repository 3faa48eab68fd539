"""Whatever breaks inside the sidecar, the request is refused and an event says so."""

from __future__ import annotations

import dns.message
import dns.query
import dns.rcode
import pytest
from sidecar_fixtures import POLICY
from sidecar_process import PROXY, SidecarProcess, fetch, open_tunnel, raw_exchange, read_all

BEGIN = "from quickstarted_proxy import trimmed; trimmed.install()\n"
BROKEN_POLICY = (
    BEGIN
    + """
from quickstarted_proxy import __main__, sidecar
class Broken(sidecar.Sidecar):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.state.policy = object()  # whatever asks it raises
sidecar.Sidecar = Broken
__main__.main()
"""
)
BROKEN_RESOLVER = (
    BEGIN
    + """
from quickstarted_proxy import __main__, sidecar
class Broken(sidecar.Sidecar):
    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.state.resolver = object()
    async def run(self, loop):
        self.state.resolver, judged = None, self.state.resolver
        await super().run(loop)
sidecar.Sidecar = Broken
__main__.main()
"""
)
NO_GATE = (
    BEGIN
    + """
from quickstarted_proxy import __main__, sidecar
class Absent:
    def __init__(self, *_parts):
        pass
sidecar.Gate = Absent
__main__.main()
"""
)
BROKEN_PART = (
    BEGIN
    + """
from quickstarted_proxy import __main__, refusals, tunnels
def broken(*_):
    raise RuntimeError("broken")
{part} = broken
__main__.main()
"""
)
BLIND_GATE = (
    BEGIN
    + """
from quickstarted_proxy import __main__, gate, sidecar
class Blind(gate.Gate):
    def requestheaders(self, flow):
        pass
sidecar.Gate = Blind
__main__.main()
"""
)
IMPATIENT = (
    BEGIN
    + """
from quickstarted_proxy import __main__, caps, clients
clients.HEAD_TIMEOUT_S = 0.3
caps.MAX_CLIENTS = 20
caps.MAX_TURNED_AWAY = 10
__main__.main()
"""
)


def launched(program, trust_pem):
    return SidecarProcess({"policy": POLICY, "trust_pem": trust_pem}, launch=program)


@pytest.fixture
def broken(trust_pem, tls_origin, http_origin):
    process = launched(BROKEN_POLICY, trust_pem).ready()
    tls_origin.requests.clear()
    http_origin.requests.clear()
    yield process
    process.stop()
    assert [] == tls_origin.requests
    assert [] == http_origin.requests


@pytest.mark.parametrize(
    ("url", "door"),
    [
        ("http://ok.test/", "explicit"),
        ("https://ok.test/", "explicit"),
        ("http://ok.test/", "http"),
        ("https://ok.test/", "https"),
    ],
)
def test_a_hook_that_raises_refuses_the_request(broken, url, door):
    answer = fetch(url, door=door)
    events = broken.drain()

    assert (403, "policy_exception") == (answer.status, answer.headers["X-Quickstarted-Detail"])
    hooks = 2 if door == "https" else 1  # the handshake is judged before the request is
    assert [
        ("egress_blocked", "policy_exception"),
        ("egress_error", "policy_exception"),
    ] * hooks == [(e["type"], e["detail"]) for e in events]
    assert {"ok.test"} == {e["host"] for e in events}
    assert "AttributeError" in events[1]["error"]


def test_a_hook_that_raises_refuses_an_upload_too(broken):
    answer = fetch("http://ok.test/", method="POST", body=b"u" * 300_000)

    assert 403 == answer.status


def test_a_hook_that_raises_refuses_a_lookup(broken):
    answer = dns.query.udp(dns.message.make_query("ok.test", "A"), "127.0.0.1", timeout=10)

    assert dns.rcode.REFUSED == answer.rcode()
    assert ["policy_exception"] == [e["detail"] for e in broken.drain()]


def test_without_its_resolver_no_request_passes(trust_pem, tls_origin, http_origin):
    http_origin.requests.clear()
    process = launched(BROKEN_RESOLVER, trust_pem).ready()
    answer = fetch("http://ok.test/")
    events = process.drain()
    process.stop()

    assert 403 == answer.status
    assert [("egress_blocked", "policy_exception"), ("egress_error", "policy_exception")] == [
        (e["type"], e["detail"]) for e in events
    ]
    assert [] == http_origin.requests


@pytest.mark.parametrize("url", ["http://ok.test/", "https://ok.test/"])
def test_without_the_gate_nothing_is_connected_to(trust_pem, tls_origin, http_origin, url):
    """As if a hook had never been called: the permit that it gives is missing."""
    tls_origin.requests.clear()
    http_origin.requests.clear()
    process = launched(NO_GATE, trust_pem).ready()
    answer = fetch(url)
    process.stop()

    assert 502 == answer.status
    assert [] == tls_origin.requests
    assert [] == http_origin.requests


@pytest.mark.parametrize(
    ("part", "url"),
    [
        ("tunnels.RefusedTunnels.open", "https://docs.test/"),
        ("tunnels.RefusedTunnels.judge", "https://docs.test/"),
        ("refusals.phrase", "https://docs.test:8443/"),
    ],
)
def test_a_refusal_that_breaks_off_is_a_refusal_and_recorded_once(trust_pem, tls_origin, part, url):
    before = tls_origin.connections
    process = launched(BROKEN_PART.format(part=part), trust_pem).ready()
    answer = fetch(url)
    events = [process.next_event(), process.next_event()]
    process.stop()

    assert (403, "policy_exception") == (answer.status, answer.headers["X-Quickstarted-Detail"])
    assert [("egress_blocked", "policy_exception"), ("egress_error", "policy_exception")] == [
        (e["type"], e["detail"]) for e in events
    ]
    assert before == tls_origin.connections


def test_a_refused_tunnel_has_no_permit_to_connect_anywhere(trust_pem, tls_origin):
    """As if the request inside had never been judged."""
    before = tls_origin.connections
    process = launched(BLIND_GATE, trust_pem).ready()
    answer = fetch("https://docs.test/")
    event = process.next_event()
    process.stop()

    assert 502 == answer.status
    assert ("egress_blocked", "docs.test", "CONNECT") == (
        event["type"],
        event["host"],
        event["method"],
    )
    assert before == tls_origin.connections


@pytest.fixture
def impatient(trust_pem, tls_origin):
    process = launched(IMPATIENT, trust_pem).ready()
    yield process
    process.stop()


@pytest.mark.parametrize("sent", [b"", b"GET http://ok.test/ HTTP/1.1\r\nHost: o"])
def test_a_connection_without_a_request_is_closed(impatient, sent):
    answer = raw_exchange(PROXY, sent)

    assert b"200" not in answer
    assert [("egress_error", "header_timeout")] == [
        (e["type"], e["detail"]) for e in impatient.drain_until(1)
    ]


def test_a_tunnel_without_a_request_is_closed(impatient):
    sock, _ = open_tunnel("ok.test:443")
    with sock:
        assert b"" == read_all(sock)
    assert ["header_timeout"] == [e["detail"] for e in impatient.drain_until(1)]


@pytest.mark.parametrize("sent", [b"", b"\x16\x03\x01\x02\x00\x01", b"GET / HTTP/1.1\r\nHo"])
def test_a_refused_tunnel_in_which_nothing_comes_is_closed_and_recorded_once(impatient, sent):
    sock, _ = open_tunnel("docs.test:443")
    with sock:
        sock.sendall(sent)
        read_all(sock)
    event = impatient.next_event()

    assert ("CONNECT", "docs_host_requires_read_docs", "header_timeout") == (
        event["method"],
        event["reason"],
        event["detail"],
    )
    assert [] == impatient.drain()
