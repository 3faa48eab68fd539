"""What egress says of a failure: which events count, in which commands."""

from __future__ import annotations

import pytest

from fakes.attempts import T0, egress_allowed, egress_blocked, egress_error, tool_result
from quickstarted.events import FetchBlocked
from quickstarted.evidence import egress_evidence, missed_offline

FAILED = tool_result(1, scope=1)
NOTHING = (False, False)
REFUSED = (True, False)
UPSTREAM = (False, True)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (egress_blocked("a.example", scope=1), REFUSED),
        (egress_blocked("a.example", scope=1, detail="path"), REFUSED),
        (egress_blocked("a.example", scope=1, reason="docs_host_requires_read_docs"), NOTHING),
        (egress_error("a.example", scope=1, detail="upload_budget"), REFUSED),
        (egress_error("a.example", scope=1, detail="download_budget"), REFUSED),
        (egress_error("a.example", scope=1, detail="dns_failure"), UPSTREAM),
        (egress_error("a.example", scope=1, detail="connect_failed"), UPSTREAM),
        (egress_error("a.example", scope=1, detail="upstream_tls"), UPSTREAM),
        (egress_error("a.example", scope=1, detail="upstream_reset"), UPSTREAM),
        (egress_error("a.example", scope=1, detail="client_disconnected"), NOTHING),
        (egress_error("a.example", scope=1, detail="client_rejected_ca"), NOTHING),
        (egress_allowed("a.example", scope=1, status=503), UPSTREAM),
        (egress_allowed("a.example", scope=1, status=429), UPSTREAM),
        (egress_allowed("a.example", scope=1, status=404), NOTHING),
        (egress_allowed("a.example", scope=1, status=200), NOTHING),
    ],
)
def test_an_event_of_the_command_that_failed_counts_for_what_it_is(event, expected):
    assert expected == egress_evidence([FAILED, event], replay=False)


@pytest.mark.parametrize(
    ("results", "replay", "expected"),
    [
        ([tool_result(1, scope=1)], False, REFUSED),
        ([tool_result(0, scope=1)], False, NOTHING),
        ([tool_result(0, scope=1)], True, REFUSED),
        ([tool_result(1, scope=1), tool_result(1, scope=2)], False, NOTHING),
        ([tool_result(1, scope=1), tool_result(0, scope=2)], False, REFUSED),
        ([tool_result(1, scope=1), tool_result(1, scope=2)], True, REFUSED),
        ([], False, NOTHING),
        ([], True, NOTHING),
    ],
)
def test_all_commands_of_a_replay_are_decisive_and_the_last_failed_one_of_others(
    results, replay, expected
):
    events = [*results, egress_blocked("a.example", scope=1)]

    assert expected == egress_evidence(events, replay=replay)


def test_what_belongs_to_no_command_counts_for_nothing():
    assert NOTHING == egress_evidence([FAILED, egress_blocked("a.example", scope=0)], replay=False)


@pytest.mark.parametrize(
    ("later", "expected"),
    [
        (egress_allowed("a.example", scope=1, status=200, ts=T0 + 9), NOTHING),
        (egress_allowed("a.example", scope=1, status=502, ts=T0 + 9), UPSTREAM),
        (egress_allowed("b.example", scope=1, status=200, ts=T0 + 9), UPSTREAM),
        (egress_allowed("a.example", scope=1, status=200, ts=T0), UPSTREAM),
    ],
)
def test_an_upstream_that_was_asked_again_with_success_has_not_failed(later, expected):
    broken = egress_error("a.example", scope=1, detail="upstream_reset", ts=T0 + 5)

    assert expected == egress_evidence([later, FAILED, broken], replay=False)


@pytest.mark.parametrize(
    ("reason", "expected"),
    [("offline_cache_miss", True), ("robots_disallowed", False), ("not_allowlisted", False)],
)
def test_a_page_that_is_wanted_and_not_kept_is_no_fault_of_the_documentation(reason, expected):
    blocked = FetchBlocked(ts=T0, url="https://a.example/", reason=reason)

    assert expected is missed_offline([blocked, FAILED])
