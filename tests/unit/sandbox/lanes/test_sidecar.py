import json
import threading
import time

import certifi
import pytest

from fakes.scripted_sidecar import START, scripted_sidecar
from quickstarted.errors import EventStreamFault, SidecarFault, StorageFault
from quickstarted.sandbox.lanes.rules import Rules
from quickstarted.sandbox.lanes.sidecar import Sidecar
from quickstarted_proxy.policy import EgressPolicy

ANOTHER_POLICY = EgressPolicy(docs_hosts=("other.example",))
BLOCKED = {
    "type": "egress_blocked",
    "ts": 1000.0,
    "host": "docs.example",
    "reason": "docs_host_requires_read_docs",
    "method": "GET",
    "scope": 3,
}


@pytest.fixture
def pair():
    with scripted_sidecar() as (streams, scripted):
        sidecar = Sidecar(streams, answer_s=5.0)
        yield sidecar, scripted
        sidecar.close()


@pytest.fixture
def started(pair):
    sidecar, scripted = pair
    sidecar.start(START)
    return sidecar, scripted


def fault_of(sidecar):
    """The fault, as soon as the sidecar has one."""
    found = threading.Event()
    sidecar.on_fault(lambda _: found.set())

    assert found.wait(5.0)

    with pytest.raises((SidecarFault, EventStreamFault, StorageFault)) as caught:
        sidecar.check()
    return caught.value


def event(**fields):
    return {"report": "event", "event": {**BLOCKED, **fields}}


def test_starting_gives_the_order_and_returns_what_the_sidecar_says(pair):
    sidecar, scripted = pair

    trust_pem = certifi.contents() * 2

    ready = sidecar.start({**START, "trust_pem": trust_pem})

    assert ready["mitmproxy"] == "12.3.1"
    assert scripted.orders[0]["order"] == "start"
    assert scripted.orders[0]["trust_pem"] == trust_pem


def test_events_are_delivered_before_the_answer_that_drains_them(started):
    sidecar, scripted = started
    delivered = []
    sidecar.deliver_to(delivered.append)
    sidecar.begin_scope(3)
    scripted.before_scope = [event(), event(host="other.example")]

    sidecar.drain()

    assert [one.host for one in delivered] == ["docs.example", "other.example"]
    assert [one.scope for one in delivered] == [3, 3]
    assert delivered[1].seq == delivered[0].seq + 1
    assert scripted.orders[-1] == {"order": "scope", "scope": 3, "settle": True}


def test_event_times_are_on_the_harness_clock(pair):
    sidecar, scripted = pair
    scripted.clock_offset_s = 100.0
    delivered = []
    sidecar.start(START)
    sidecar.deliver_to(delivered.append)
    scripted.before_scope = [event(ts=1000.0)]

    sidecar.drain()

    assert abs(delivered[0].ts - 900.0) < 1.0


def test_a_clock_that_agrees_is_left_alone(started):
    sidecar, scripted = started
    delivered = []
    sidecar.deliver_to(delivered.append)
    scripted.before_scope = [event(ts=1000.0)]

    sidecar.drain()

    assert abs(delivered[0].ts - 1000.0) < 0.5


def test_another_attempt_brings_its_policy_and_its_own_sink(started):
    sidecar, scripted = started
    first, second = [], []
    sidecar.deliver_to(first.append)
    sidecar.begin_scope(7)

    sidecar.attempt(Rules(policy=ANOTHER_POLICY), second.append)
    scripted.before_scope = [event()]
    sidecar.drain()

    assert (len(first), len(second)) == (0, 1)
    policy = json.loads(json.dumps(ANOTHER_POLICY.to_json()))
    attempt = {"order": "attempt", "policy": policy, "secrets": [], "docs_door": "", "models": []}
    assert attempt in scripted.orders
    assert scripted.orders[-1]["scope"] == 0


def test_a_gap_in_the_count_is_a_fault_of_the_event_stream(started):
    sidecar, scripted = started

    scripted.report(event(), skip=1)

    fault = fault_of(sidecar)
    assert isinstance(fault, EventStreamFault)
    assert "egress events are missing" in fault.message


@pytest.mark.parametrize(
    "line", [b"not json\n", b"[]\n", b'{"report":"event"}\n', b'{"seq":"x","report":"event"}\n']
)
def test_what_cannot_be_read_is_a_fault_of_the_event_stream(started, line):
    sidecar, scripted = started

    scripted.say(line)

    assert isinstance(fault_of(sidecar), EventStreamFault)


@pytest.mark.parametrize(
    "broken", [{"type": "egress_blocked"}, {"type": "run_end", "ts": 1}, {"reason": "because"}]
)
def test_an_event_of_no_known_form_is_a_fault_of_the_event_stream(started, broken):
    sidecar, scripted = started
    fields = broken if "type" in broken else {**BLOCKED, **broken}

    scripted.report({"report": "event", "event": fields})

    assert isinstance(fault_of(sidecar), EventStreamFault)


def test_death_is_noticed_without_asking_and_every_later_call_says_so(started):
    sidecar, scripted = started
    scripted.say(b"Traceback: no memory\n", stream=2)

    scripted.die()

    assert "no memory" in fault_of(sidecar).message
    for call in (sidecar.check, sidecar.drain, lambda: sidecar.begin_scope(1)):
        with pytest.raises(SidecarFault, match="ended unexpectedly"):
            call()


def test_death_under_way_ends_the_order_that_waits(started):
    sidecar, scripted = started
    scripted.silent = True
    threading.Timer(0.1, scripted.die).start()

    with pytest.raises(SidecarFault, match="ended unexpectedly"):
        sidecar.drain()


@pytest.mark.parametrize("report", ["fault", "refused"])
def test_the_sidecars_own_word_that_it_cannot_go_on_is_believed(started, report):
    sidecar, scripted = started

    scripted.report({"report": report, "error": "the record cannot be written"})

    assert "the record cannot be written" in fault_of(sidecar).message


def test_no_answer_in_time_is_a_fault_that_stays():
    with scripted_sidecar() as (streams, scripted):
        scripted.silent = True
        sidecar = Sidecar(streams, answer_s=0.2)
        with pytest.raises(SidecarFault, match=r"did not answer `start` in 0.2 s"):
            sidecar.start(START)
        scripted.silent = False
        with pytest.raises(SidecarFault, match="did not answer"):
            sidecar.drain()
        sidecar.close()


def test_an_answer_to_another_question_is_a_fault(started):
    sidecar, scripted = started
    scripted.before_scope = [{"report": "scope", "scope": 99}]

    with pytest.raises(SidecarFault, match="answered `scope` with"):
        sidecar.begin_scope(1)


def test_a_sink_that_cannot_record_brings_its_own_fault(started):
    sidecar, scripted = started

    def full(_):
        raise StorageFault("the disk is full")

    sidecar.deliver_to(full)
    scripted.report(event())

    assert isinstance(fault_of(sidecar), StorageFault)


def test_who_listens_after_the_fault_is_told_at_once(started):
    sidecar, scripted = started
    scripted.die()
    fault_of(sidecar)
    told = []

    sidecar.on_fault(told.append)

    assert [fault.message for fault in told] == ["the sidecar ended unexpectedly"]


def test_closing_is_no_fault(started):
    sidecar, _ = started
    told = []
    sidecar.on_fault(told.append)

    sidecar.close()
    sidecar.check()

    assert told == []


def test_an_order_to_a_closed_sidecar_is_refused(started):
    sidecar, _ = started
    sidecar.close()
    began = time.monotonic()

    with pytest.raises(SidecarFault):
        sidecar.drain()

    assert time.monotonic() - began < 5.0
