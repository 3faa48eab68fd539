"""The gate's hooks, one by one, on mitmproxy's own test flows."""

from __future__ import annotations

import asyncio

import pytest
from mitmproxy.net.http import url as mitmproxy_url
from mitmproxy.proxy import mode_specs
from mitmproxy.test import tflow, tutils

from quickstarted_proxy import doors  # noqa: F401 (its import makes the modes known)
from quickstarted_proxy.docs_door import DocsDoor
from quickstarted_proxy.gate import Gate
from quickstarted_proxy.ledger import Ledger
from quickstarted_proxy.model_traffic import ModelTraffic
from quickstarted_proxy.policy import EgressPolicy, HostRule
from quickstarted_proxy.resolver import Resolver
from quickstarted_proxy.state import State
from quickstarted_proxy.upstream import UpstreamProxies


class Raising:
    """Stands in for a part that fails whenever it is used."""

    def __getattr__(self, name):
        raise RuntimeError(f"no {name}")


@pytest.fixture
def events():
    return []


@pytest.fixture
def state(events):
    return State(
        listen="127.0.0.1",
        policy=EgressPolicy(allow=(HostRule(host="ok.test"),), docs_hosts=("docs.test",)),
        ledger=Ledger(events.append),
        resolver=Resolver("127.0.0.1"),
        proxies=UpstreamProxies(),
    )


def send(*_, **__):
    """Nobody hears it."""


def gate_of(state):
    return Gate(state, DocsDoor(state, send), ModelTraffic(state, send))


def flow_for(host, port, method="GET"):
    flow = tflow.tflow(req=tutils.treq(host=host, port=port, method=method.encode()))
    flow.request.headers["host"] = host
    flow.client_conn.proxy_mode = mode_specs.ProxyMode.parse("explicitdoor@127.0.0.1:8080")
    flow.client_conn.sockname = ("127.0.0.1", 8080)
    flow.client_conn.tls = False
    flow.server_conn.address = None
    return flow


CONNECTS = [
    ("ok.test", 443, None),
    ("OK.test.", 443, None),
    ("ok.test", 22, "port"),
    ("other.test", 8443, "host"),
    ("docs.test", 8443, "docs"),
    ("127.0.0.1", 443, "ip_literal"),
    (mitmproxy_url.parse_authority(b"xn--ggle-55da.com", check=True)[0], 8443, "host"),
    ("\u212aube.test", 8443, "host"),
]


@pytest.mark.parametrize(("host", "port", "detail"), CONNECTS)
def test_connect_targets(state, events, host, port, detail):
    flow = flow_for(host, port, "CONNECT")
    gate_of(state).http_connect(flow)

    assert (detail is None) == (flow.response is None)
    assert ([] if detail is None else [detail]) == [e.get("detail", "docs") for e in events]
    assert detail is not None or flow.request.host == "ok.test"


@pytest.mark.parametrize(
    ("host", "shown"),
    [
        ("DOCS.test.", "docs.test"),
        ("other.test", "other.test"),
        (
            mitmproxy_url.parse_authority(b"xn--ggle-55da.com", check=True)[0],
            "xn--ggle-55da.com",
        ),
    ],
)
def test_a_connect_refused_for_its_name_is_held_and_recorded_at_its_end(state, events, host, shown):
    flow = flow_for(host, 443, "CONNECT")
    gate_of(state).http_connect(flow)
    held = (flow.response, flow.request.data.host, list(events))
    state.tunnels.gone(flow.client_conn.id)

    assert (None, shown, []) == held
    assert [(shown, "CONNECT", 443)] == [(e["host"], e["method"], e["port"]) for e in events]


def test_a_request_to_a_name_in_punycode_is_shown_as_it_was_sent(state, events):
    host = mitmproxy_url.parse_authority(b"xn--ggle-55da.com", check=True)[0]
    flow = flow_for(host, 80)
    asyncio.run(gate_of(state).requestheaders(flow))

    assert "xn--ggle-55da.com" != host
    assert ["xn--ggle-55da.com"] == [e["host"] for e in events]


@pytest.mark.parametrize("hook", ["http_connect", "requestheaders"])
def test_a_decision_that_raises_is_a_refusal(state, events, hook):
    state.policy = Raising()
    flow = flow_for("ok.test", 80)
    result = getattr(gate_of(state), hook)(flow)
    if result is not None:
        asyncio.run(result)

    assert 403 == flow.response.status_code
    assert [("egress_blocked", "policy_exception"), ("egress_error", "policy_exception")] == [
        (e["type"], e["detail"]) for e in events
    ]


def test_a_request_that_cannot_even_be_named_is_refused(state, events):
    flow = flow_for("ok.test", 80)
    flow.client_conn = Raising()
    asyncio.run(gate_of(state).requestheaders(flow))

    assert 403 == flow.response.status_code
    assert ["", ""] == [e["host"] for e in events]


@pytest.mark.parametrize("hook", ["responseheaders", "response"])
def test_a_failure_while_the_answer_passes_cuts_it(state, events, hook):
    flow = flow_for("ok.test", 80)
    flow.response = tutils.tresp()
    flow.live = True
    state.ledger = _LedgerThatOnlyFails(events.append)
    getattr(gate_of(state), hook)(flow)

    assert "Connection killed." == flow.error.msg


class _LedgerThatOnlyFails(Ledger):
    def get(self, flow_id):
        raise RuntimeError(flow_id)

    finish = get
