"""One event for each request, at the right time and in the right scope."""

from __future__ import annotations

import pytest

from quickstarted_proxy.ledger import MAX_DNS_NAMES, Ledger, Target
from quickstarted_proxy.policy import Decision

TARGET = Target(host="ok.test", method="GET", via="explicit", port=443, path="/")
REFUSED = Decision(allowed=False, reason="not_allowlisted", detail="host")


@pytest.fixture
def events():
    return []


@pytest.fixture
def ledger(events):
    return Ledger(events.append)


def test_a_finished_exchange_is_reported_with_its_figures(ledger, events):
    exchange = ledger.begin("f", TARGET, "c", reason="explicit_network_override")
    exchange.status, exchange.bytes_in, exchange.bytes_out = 200, 7, 3
    ledger.finish("f")
    ledger.finish("f")
    (event,) = events

    assert ("egress_allowed", 200, 7, 3, "explicit_network_override", exchange.ts) == (
        event["type"],
        event["status"],
        event["bytes_in"],
        event["bytes_out"],
        event["reason"],
        event["ts"],
    )
    assert "detail" not in event


@pytest.mark.parametrize("first", ["finish", "settle", "abandon", "fail", "refuse"])
@pytest.mark.parametrize("second", ["finish", "settle", "abandon", "fail", "refuse"])
def test_whatever_ends_an_exchange_reports_it_once(ledger, events, first, second):
    ends = {
        "finish": lambda: ledger.finish("f"),
        "settle": ledger.settle,
        "abandon": lambda: ledger.abandon("c", "gone", "client_disconnected"),
        "fail": lambda: ledger.fail("f", "broke", "upstream_reset"),
        "refuse": lambda: ledger.refuse("f", "private_address"),
    }
    ledger.begin("f", TARGET, "c", reason=None)
    ends[first]()
    ends[second]()

    assert 1 == len(events)


def test_an_event_belongs_to_the_scope_of_its_decision(ledger, events):
    ledger.begin("f", TARGET, "c", reason=None)
    ledger.begin_scope(5)
    ledger.finish("f")
    ledger.blocked(TARGET, REFUSED)

    assert [0, 5] == [event["scope"] for event in events]


def test_only_the_client_that_left_is_abandoned(ledger, events):
    ledger.begin("one", TARGET, "c", reason=None)
    ledger.begin("two", TARGET, "d", reason=None)

    assert ledger.abandon("c", "gone", "client_disconnected")
    assert not ledger.abandon("c", "gone", "client_disconnected")
    assert ledger.get("two") is not None
    assert ["egress_error"] == [event["type"] for event in events]


def test_another_attempt_forgets_everything(ledger, events):
    ledger.begin_scope(3)
    ledger.begin("f", TARGET, "c", reason=None)
    ledger.reset()
    ledger.settle()
    ledger.finish("f")

    assert ([], 0) == (events, ledger.scope)


def test_a_refused_name_is_reported_once_a_scope(ledger, events):
    name = Target(host="a.test", method="DNS", via="dns")
    ledger.blocked_name(name, REFUSED)
    ledger.blocked_name(name, REFUSED)
    ledger.begin_scope(1)
    ledger.blocked_name(name, REFUSED)

    assert [0, 1] == [event["scope"] for event in events]
    assert {"type", "ts", "scope", "host", "method", "via", "reason", "detail"} == set(events[0])


def test_a_flood_of_names_ends_in_one_sum(ledger, events):
    for index in range(MAX_DNS_NAMES + 10):
        ledger.blocked_name(Target(host=f"{index}.test", method="DNS", via="dns"), REFUSED)

    assert (MAX_DNS_NAMES + 1, "*") == (len(events), events[-1]["host"])


def test_odd_text_is_printable_in_every_event(ledger, events):
    ledger.error(Target(host="\udcff", method="?", via="http"), "bad \udc80", "proxy_exception")

    assert ("\\xff", "bad \\x80") == (events[0]["host"], events[0]["error"])
