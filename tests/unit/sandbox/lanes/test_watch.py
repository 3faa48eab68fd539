"""The watch, on a sidecar that says what a test wants."""

import threading

import pytest

from fakes.scripted_sidecar import START, scripted_sidecar
from quickstarted.errors import SidecarFault
from quickstarted.sandbox.lanes.sidecar import Sidecar
from quickstarted.sandbox.lanes.watch import Watch

REFUSED = {"status": 403, "reason": "not_allowlisted", "detail": "host"}
DOORS = ("explicit", "connect", "http")


@pytest.fixture
def started():
    with scripted_sidecar() as (streams, scripted):
        sidecar = Sidecar(streams, answer_s=0.5)
        sidecar.start(START)
        yield sidecar, scripted
        sidecar.close()


def answering(scripted, answers, methods=("GET", "CONNECT", "GET"), **fields):
    """Make the sidecar answer the watch so, after the events of these methods."""

    def answer(host):
        for method in methods:
            event = {"type": "egress_blocked", "reason": "not_allowlisted", "ts": 0.0}
            event |= {"host": host, "method": method, **fields}
            scripted.report({"report": "event", "event": event})
        scripted.report({"report": "watch", "answers": answers})

    scripted.refuse_watch = answer


def test_refusals_that_are_as_they_must_be_leave_no_event(started):
    sidecar, _ = started
    events = []
    sidecar.deliver_to(events.append)
    sidecar.inspect()
    sidecar.inspect()
    sidecar.check()

    assert [] == events


def test_each_round_asks_for_a_name_of_its_own(started):
    sidecar, scripted = started
    sidecar.inspect()
    sidecar.inspect()
    asked = [order["host"] for order in scripted.orders if order["order"] == "watch"]

    assert 2 == len(set(asked))
    assert all(host.endswith(".watch.invalid") for host in asked)


WELL = dict.fromkeys(DOORS, REFUSED)


@pytest.mark.parametrize(
    ("answers", "events", "said"),
    [
        ({**WELL, "http": {**REFUSED, "status": 200}}, {}, "GET .* `http` .*'status': 200"),
        ({**WELL, "connect": {"error": "no answer"}}, {}, "CONNECT .* `connect` .*no answer"),
        ({**WELL, "explicit": {**REFUSED, "reason": None}}, {}, "`explicit`"),
        ({**WELL, "explicit": {**REFUSED, "detail": "policy_exception"}}, {}, "policy_exception"),
        ({"explicit": REFUSED}, {}, "`connect` .* None"),
        (None, {}, "None"),
        (WELL, {"methods": ()}, r"the events were: \[\]"),
        (WELL, {"methods": ("GET", "GET")}, "the events were"),
        (WELL, {"reason": "docs_host_requires_read_docs"}, "docs_host_requires_read_docs"),
        (WELL, {"type": "egress_error", "error": "x"}, "egress_error"),
    ],
)
def test_anything_else_is_a_fault_that_says_what_was_seen(started, answers, events, said):
    sidecar, scripted = started
    answering(scripted, answers, **events)

    with pytest.raises(SidecarFault, match=said):
        sidecar.inspect()
    with pytest.raises(SidecarFault, match=said):
        sidecar.check()


def test_silence_is_a_fault(started):
    sidecar, scripted = started
    scripted.silent = True

    with pytest.raises(SidecarFault, match=r"did not answer `watch` in 0\.5 s"):
        sidecar.inspect()


def test_an_event_of_another_name_stays_on_record(started):
    sidecar, scripted = started
    events = []
    sidecar.deliver_to(events.append)
    sidecar.inspect()
    blocked = {"type": "egress_blocked", "reason": "not_allowlisted", "ts": 0.0, "method": "GET"}
    scripted.report({"report": "event", "event": {**blocked, "host": "other.watch.invalid"}})
    sidecar.drain()

    assert ["other.watch.invalid"] == [event.host for event in events]


class Counted:
    """Counts the rounds, and has a fault from one of them on."""

    def __init__(self, last):
        self.rounds = 0
        self.over = threading.Event()
        self._last = last

    def inspect(self):
        self.rounds += 1
        if self.rounds == self._last:
            self.over.set()
            raise SidecarFault("unwell")


def test_a_watch_goes_on_until_it_finds_a_fault():
    watched = Counted(last=3)
    watch = Watch(watched, 0.001)
    watch.start()

    assert watched.over.wait(5)
    watch._thread.join(5)
    assert 3 == watched.rounds
    assert not watch._thread.is_alive()


def test_a_stopped_watch_asks_no_more():
    watched = Counted(last=1)
    watch = Watch(watched, 60)
    watch.start()
    watch.stop()
    watch._thread.join(5)

    assert (0, False) == (watched.rounds, watch._thread.is_alive())
