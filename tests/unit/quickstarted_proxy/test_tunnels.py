"""Refused tunnels: each is recorded once, by a request inside or by itself."""

from __future__ import annotations

import pytest

from quickstarted_proxy.ledger import Ledger, Target
from quickstarted_proxy.policy import Decision
from quickstarted_proxy.tunnels import RefusedTunnels

TARGET = Target(host="docs.test", method="CONNECT", via="explicit", port=443)
REFUSED = Decision(allowed=False, reason="docs_host_requires_read_docs", host="docs.test")


@pytest.fixture
def events():
    return []


@pytest.fixture
def ledger(events):
    return Ledger(events.append)


@pytest.fixture
def tunnels(ledger):
    opened = RefusedTunnels(ledger)
    opened.open("c", TARGET, REFUSED)
    return opened


def test_nothing_is_reported_before_the_tunnel_has_ended(tunnels, events):
    assert tunnels.ends("c", "not_http")
    assert [] == events


def test_a_tunnel_without_a_request_is_reported_once_when_its_client_is_gone(tunnels, events):
    tunnels.gone("c")
    tunnels.gone("c")

    assert [("egress_blocked", "CONNECT", "docs.test", REFUSED.reason, "client_disconnected")] == [
        (e["type"], e["method"], e["host"], e["reason"], e["detail"]) for e in events
    ]


def test_the_first_cause_of_an_end_stands(tunnels, events):
    tunnels.ends("c", "header_timeout")
    tunnels.ends("c", "client_disconnected")
    tunnels.gone("c")

    assert ["header_timeout"] == [e["detail"] for e in events]


def test_every_request_is_refused_and_the_tunnel_itself_is_not_reported(tunnels, events):
    judged = [tunnels.judge("c"), tunnels.judge("c")]
    ends = tunnels.ends("c", "malformed_request")
    tunnels.gone("c")

    assert [REFUSED, REFUSED] == judged
    assert not ends
    assert [] == events


def test_other_connections_are_no_tunnels(tunnels, events):
    tunnels.gone("other")

    assert (None, False) == (tunnels.judge("other"), tunnels.ends("other", "not_http"))
    assert [] == events


def test_all_are_ended_at_once_and_belong_to_the_scope_in_which_they_began(tunnels, ledger, events):
    tunnels.open("asked", TARGET, REFUSED)
    tunnels.judge("asked")
    ended = tunnels.end_all("unfinished")
    ledger.begin_scope(7)
    for client_id in ended:
        tunnels.gone(client_id)

    assert ["c", "asked"] == ended
    assert [(0, "unfinished")] == [(e["scope"], e["detail"]) for e in events]


def test_another_attempt_reports_nothing_and_lets_nothing_through(tunnels, events):
    tunnels.reset()
    judged = tunnels.judge("c")
    tunnels.gone("c")

    assert REFUSED == judged
    assert [] == events
