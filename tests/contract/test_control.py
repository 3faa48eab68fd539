"""
What sidecar and harness promise each other (`quickstarted_proxy.control`), held against the real
sidecar in its container and the scripted one that unit tests of the harness talk to.
"""

from __future__ import annotations

import base64
import threading
import time

import pytest

from contract.sidecars import DOCS_HOST, POLICY, SIDECARS, Wire
from fakes.egress import QuietEgress
from quickstarted.errors import SidecarFault
from quickstarted.sandbox.lanes.rules import Rules
from quickstarted.sandbox.lanes.sidecar import Sidecar
from quickstarted_proxy.policy import EgressPolicy

pytestmark = pytest.mark.docker

RULES = Rules(policy=EgressPolicy.from_json(POLICY))


def eventually(condition):
    """Whether it holds, at the latest after ten seconds."""
    deadline = time.monotonic() + 10
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.02)
    return condition()


@pytest.fixture(params=SIDECARS, scope="module", name="opened")
def _opened(request):
    with SIDECARS[request.param]() as open_subject:
        yield open_subject


@pytest.fixture(name="subject")
def _subject(opened):
    with opened() as subject:
        yield subject


@pytest.fixture(name="wire")
def _wire(subject):
    return Wire(subject.streams)


@pytest.fixture(name="started")
def _started(subject, wire):
    wire.say({"order": "start", **subject.start})
    assert "ready" == wire.hear()["report"]
    return wire


def test_the_watch_is_answered_with_refusals_after_their_events(started):
    host = "0123456789abcdef.watch.invalid"
    started.say({"order": "watch", "host": host})
    *events, answer = started.hear_until("watch")

    refused = {"status": 403, "reason": "not_allowlisted", "detail": "host"}
    assert dict.fromkeys(("explicit", "connect", "http"), refused) == answer["answers"]
    assert [("CONNECT", host), ("GET", host), ("GET", host)] == sorted(
        (report["event"]["method"], report["event"]["host"]) for report in events
    )


@pytest.mark.parametrize("order", ["start", "attempt"])
def test_a_secret_that_is_none_is_never_quoted(subject, wire, order):
    secret = {"name": "K", "placeholder": "short", "value": "canary-of-a-key", "hosts": []}
    if order == "attempt":
        wire.say({"order": "start", **subject.start})
        assert "ready" == wire.hear()["report"]
    wire.say({"order": order, **subject.start, "secrets": [secret]})
    report = wire.hear()

    assert ("refused" if order == "start" else "fault") == report["report"]
    assert "canary" not in report["error"]


def test_a_start_is_answered_with_what_the_sandbox_must_trust(subject, wire):
    wire.say({"order": "start", **subject.start})
    ready = wire.hear()

    assert ("ready", 0) == (ready["report"], ready["seq"])
    for name in ("ca_pem", "roots_pem"):
        assert "-----BEGIN CERTIFICATE-----\n" in ready[name]
        assert "PRIVATE KEY" not in ready[name]
    assert base64.b64decode(ready["truststore_b64"], validate=True)
    assert ready["mitmproxy"].split(".")[0].isdigit()
    assert abs(ready["ts"] - time.time()) < 60


@pytest.mark.parametrize(
    ("first", "text"),
    [
        pytest.param({"order": "scope", "scope": 1}, "the first order must be start", id="scope"),
        pytest.param({"order": "start", "listen": "LISTEN"}, "missing ['policy']", id="no policy"),
        pytest.param({"policy": {"allow": []}}, "not a policy", id="a policy with gaps"),
        pytest.param(
            {"policy": {**POLICY, "docs_hosts": ["Not A Host"]}},
            "not a normalised host name: 'Not A Host'",
            id="no host",
        ),
        pytest.param({"trust_pem": "none"}, "trust_pem holds no readable", id="no certificate"),
        pytest.param(
            {"upstream_proxies": {"http": "socks5://h:1"}}, "only http and https", id="no proxy"
        ),
        pytest.param(b"{not json\n", "", id="no JSON"),
    ],
)
def test_a_bad_first_order_is_refused_and_the_end(subject, wire, first, text):
    if isinstance(first, dict) and "order" not in first:
        first = {"order": "start", **subject.start, **first}

    wire.say(first)
    refused = wire.hear()

    assert ("refused", 0) == (refused["report"], refused["seq"])
    assert text in refused["error"]
    assert wire.hear() is None
    assert eventually(subject.is_gone)


@pytest.mark.parametrize(
    ("order", "text"),
    [
        pytest.param(b"garbage\n", "", id="no JSON"),
        pytest.param({"order": "dance"}, "unknown order 'dance'", id="unknown"),
        pytest.param({"order": "start", "listen": "", "policy": POLICY}, "'start'", id="again"),
        pytest.param({"order": "scope"}, "cannot be carried out", id="no scope"),
        pytest.param({"order": "attempt", "policy": {"allow": []}}, "not a policy", id="gaps"),
    ],
)
def test_an_order_that_cannot_be_carried_out_is_a_fault_and_the_end(subject, started, order, text):
    started.say(order)
    fault = started.hear()

    assert ("fault", 1) == (fault["report"], fault["seq"])
    assert text in fault["error"]
    assert started.hear() is None
    assert eventually(subject.is_gone)


def test_every_order_gets_its_answer_and_the_count_has_no_gap(started):
    answers = []
    for order in (
        {"order": "scope", "scope": 1},
        {"order": "scope", "scope": 1, "settle": True},
        {"order": "attempt", "policy": POLICY},
        {"order": "scope", "scope": 0, "settle": False},
    ):
        started.say(order)
        answers.append(started.hear())

    assert [1, 2, 3, 4] == [answer["seq"] for answer in answers]
    assert ["scope", "scope", "attempt_ready", "scope"] == [one["report"] for one in answers]
    assert [1, 1, None, 0] == [answer.get("scope") for answer in answers]
    assert sorted(answer["ts"] for answer in answers) == [answer["ts"] for answer in answers]


def test_orders_that_come_at_once_are_answered_in_their_order(started):
    for scope in range(20):
        started.say({"order": "scope", "scope": scope})

    assert [(1 + scope, scope) for scope in range(20)] == [
        ((answer := started.hear())["seq"], answer["scope"]) for _ in range(20)
    ]


def test_an_event_comes_before_the_answer_and_has_the_scope_it_was_made_in(subject, started):
    started.say({"order": "scope", "scope": 7})
    started.hear()
    subject.ask()
    started.say({"order": "scope", "scope": 8})
    event, _ = started.hear_until("scope")
    started.say({"order": "attempt", "policy": POLICY})
    started.hear()
    subject.ask()
    started.say({"order": "scope", "scope": 1, "settle": True})
    of_next, answer = started.hear_until("scope")

    assert ("egress_blocked", DOCS_HOST, 7) == tuple(
        event["event"][name] for name in ("type", "host", "scope")
    )
    assert {"ts", "reason", "method"} <= set(event["event"])
    assert (0, 1) == (of_next["event"]["scope"], answer["scope"])
    assert [2, 5, 6] == [event["seq"], of_next["seq"], answer["seq"]]


@pytest.mark.parametrize("begun", [False, True], ids=["before it starts", "when it runs"])
def test_the_end_of_its_input_ends_it_without_a_word(subject, wire, begun):
    if begun:
        wire.say({"order": "start", **subject.start})
        assert "ready" == wire.hear()["report"]

    wire.end_input()

    assert wire.hear() is None
    assert eventually(subject.is_gone)


# The harness's end on both of them, and the fake that stands for all of it


@pytest.fixture(name="sidecar")
def _sidecar(subject):
    sidecar = Sidecar(subject.streams)
    sidecar.start(subject.start)
    yield sidecar
    sidecar.close()


def test_the_harness_gets_events_by_another_thread_before_a_drain_returns(subject, sidecar):
    events = []
    sidecar.attempt(RULES, lambda event: events.append((event, threading.current_thread())))
    sidecar.begin_scope(3)
    subject.ask()
    sidecar.drain()
    sidecar.check()
    [(event, thread)] = events

    assert ("egress_blocked", DOCS_HOST, 3) == (event.type, event.host, event.scope)
    assert threading.current_thread() != thread


def test_the_harness_ends_it_by_closing(subject, sidecar):
    sidecar.close()
    sidecar.check()

    assert eventually(subject.is_gone)


def test_a_sidecar_that_is_gone_is_a_fault_of_every_call_from_then_on(subject, sidecar):
    found = threading.Event()
    sidecar.on_fault(lambda _: found.set())

    subject.die()

    assert found.wait(10)
    assert_every_call_is_a_fault(sidecar)


def test_the_lane_without_a_sidecar_does_as_it_is_told_until_it_is_unwell():
    quiet = QuietEgress()

    told = [quiet.begin_scope(1), quiet.drain(), quiet.check()]
    quiet.fault = SidecarFault("gone")

    assert [None, None, None] == told
    assert_every_call_is_a_fault(quiet)


def assert_every_call_is_a_fault(egress):
    """Of all that `EgressControl` has."""
    for call in (egress.check, egress.drain, lambda: egress.begin_scope(1), egress.check):
        with pytest.raises(SidecarFault):
            call()
