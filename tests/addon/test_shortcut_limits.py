"""Which bodies pass the layers by, and where a budget ends; each with a sidecar of its own."""

from __future__ import annotations

import http.client

import pytest
from origins import pattern
from sidecar_fixtures import POLICY
from sidecar_process import SidecarProcess, fetch, policy, rule

SIZE = 5 * 2**20 + 77
ONLY_ENDS_IN_LAYERS = """
from quickstarted_proxy import __main__, trimmed
trimmed.install()
from mitmproxy.proxy.layers.http import ResponseData
from quickstarted_proxy.protocol_layers import RefusableStream
whole = RefusableStream.state_stream_response_body
seen = 0
def limited(self, event):
    global seen
    seen += len(event.data) if isinstance(event, ResponseData) else 0
    if seen > 1500000:
        raise RuntimeError("too much has come through the layers")
    yield from whole(self, event)
RefusableStream.state_stream_response_body = limited
__main__.main()
"""
BREAKS_IN_THE_MIDDLE = """
from quickstarted_proxy import __main__, trimmed
trimmed.install()
from quickstarted_proxy.budgets import Meter
whole = Meter.passes
def breaking(self, data):
    if isinstance(data, memoryview):
        raise RuntimeError("broken")
    return whole(self, data)
Meter.passes = breaking
__main__.main()
"""


def egress(process, count=1):
    return [
        (e["type"], e.get("detail"), e.get("bytes_in"), e.get("status"))
        for e in process.drain_until(count)
    ]


def test_a_large_body_does_not_go_through_the_layers(trust_pem, tls_origin, http_origin):
    process = SidecarProcess(
        {"policy": POLICY, "trust_pem": trust_pem}, launch=ONLY_ENDS_IN_LAYERS
    ).ready()
    bodies = [fetch(f"{scheme}://ok.test/pattern?n={8 * SIZE}") for scheme in ("https", "http")]
    events = egress(process, 2)
    process.stop()

    assert [pattern(8 * SIZE)] * 2 == [answer.body for answer in bodies]
    assert [("egress_allowed", None, 8 * SIZE, 200)] * 2 == events


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_budget_cuts_a_body_in_the_middle(trust_pem, tls_origin, http_origin, scheme):
    limited = policy(rule("ok.test"), private=("ok.test",), max_download_bytes=3_000_000)
    process = SidecarProcess({"policy": limited, "trust_pem": trust_pem}).ready()
    with pytest.raises((http.client.IncompleteRead, OSError)):
        fetch(f"{scheme}://ok.test/pattern?n={SIZE}")
    events = egress(process)
    process.stop()

    ((kind, detail, size, _),) = events
    assert ("egress_error", "download_budget") == (kind, detail)
    assert 0 < size <= 3_000_000


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_what_breaks_in_the_middle_of_a_body_cuts_it(trust_pem, tls_origin, http_origin, scheme):
    process = SidecarProcess(
        {"policy": POLICY, "trust_pem": trust_pem}, launch=BREAKS_IN_THE_MIDDLE
    ).ready()
    with pytest.raises((http.client.IncompleteRead, ConnectionError)):
        fetch(f"{scheme}://ok.test/pattern?n={SIZE}")
    ((kind, detail, *_),) = egress(process)
    process.stop()

    assert ("egress_error", "proxy_exception") == (kind, detail)
