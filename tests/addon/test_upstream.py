"""Through the host's own proxy, with credentials, and by its rules of exception."""

from __future__ import annotations

import pytest
from sidecar_fixtures import POLICY
from sidecar_process import SidecarProcess, fetch

PROXY_URL = "http://user:p%40ss@proxy.test:3128"


@pytest.fixture
def chained(trust_pem, tls_origin, http_origin, upstream_proxy):
    upstream_proxy.seen.clear()
    process = SidecarProcess(
        {
            "policy": POLICY,
            "trust_pem": trust_pem,
            "upstream_proxies": {
                "http": PROXY_URL,
                "https": PROXY_URL,
                "no": "x.test,.private.test",
            },
        }
    ).ready()
    yield process
    process.stop()


@pytest.mark.parametrize("door", ["explicit", "https"])
def test_tls_goes_through_connect_and_the_proxy_resolves(chained, upstream_proxy, door):
    answer = fetch("https://missing.test/a", door=door)

    assert 200 == answer.status
    assert ["CONNECT missing.test:443 HTTP/1.1"] == upstream_proxy.seen
    assert [("egress_allowed", "missing.test", 443, "/a", "resolved_by_upstream_proxy")] == [
        (e["type"], e["host"], e["port"], e["path"], e["detail"]) for e in chained.drain()
    ]


@pytest.mark.parametrize("door", ["explicit", "http"])
def test_plain_http_goes_out_in_absolute_form(chained, upstream_proxy, door):
    answer = fetch("http://missing.test/a?b", door=door)

    assert (200, "GET http://missing.test/a?b HTTP/1.1 missing.test") == (
        answer.status,
        answer.text,
    )
    assert [("egress_allowed", "missing.test", 80, "/a?b")] == [
        (e["type"], e["host"], e["port"], e["path"]) for e in chained.drain()
    ]


def test_exceptions_go_directly_and_are_judged_by_address(chained, upstream_proxy):
    answer = fetch("http://private.test/")

    assert (403, "private_address") == (answer.status, answer.headers["X-Quickstarted-Detail"])
    assert [] == upstream_proxy.seen
    assert ["private_address"] == [e["detail"] for e in chained.drain()]


def test_the_upstream_proxy_itself_is_not_open_to_the_sandbox(chained, upstream_proxy):
    assert 403 == fetch("http://proxy.test:3128/").status
    assert [] == upstream_proxy.seen


def test_refusals_do_not_reach_the_proxy(chained, upstream_proxy):
    assert 403 == fetch("https://docs.test/").status
    assert [] == upstream_proxy.seen


def test_wrong_credentials_are_an_error_of_the_proxy(trust_pem, tls_origin, upstream_proxy):
    proxies = {"https": "http://user:wrong@proxy.test:3128"}
    process = SidecarProcess(
        {"policy": POLICY, "trust_pem": trust_pem, "upstream_proxies": proxies}
    ).ready()
    answer = fetch("https://ok.test/")
    events = process.drain_until(1)
    process.stop()

    assert 502 == answer.status
    assert [("egress_error", "upstream_proxy")] == [(e["type"], e["detail"]) for e in events]
    assert "407" in events[0]["error"]
    assert "wrong" not in str(process.reports)
