import base64
import threading

import pytest

from fakes.scripted_sidecar import START, scripted_sidecar
from quickstarted.errors import EventStreamFault, StorageFault
from quickstarted.sandbox.lanes.rules import Rules
from quickstarted.sandbox.lanes.sidecar import Sidecar, ignore_event
from quickstarted.sandbox.protocol import DoorAnswer, DoorRequest
from quickstarted_proxy.policy import EgressPolicy

WAIT_S = 5.0


@pytest.fixture
def started():
    with scripted_sidecar() as (streams, scripted):
        sidecar = Sidecar(streams, answer_s=WAIT_S)
        sidecar.start(START)
        yield sidecar, scripted
        sidecar.close()


def call(number=1, body=b"x", **changes):
    fields = {
        "id": number,
        "method": "POST",
        "path": "/read",
        "content_type": "text/plain",
        "body_b64": base64.b64encode(body).decode(),
    }
    return {"report": "docs_call", **fields, **changes}


def rules(keeper):
    return Rules(policy=EgressPolicy(), doorkeeper=keeper)


def echo(request):
    return DoorAnswer(status=201, content_type="text/x", body=b"to " + request.body)


def test_a_request_gets_its_answer(started):
    sidecar, scripted = started
    asked = []
    sidecar.deliver_to(ignore_event, rules(lambda request: asked.append(request) or echo(request)))

    scripted.report(call(7, b"\0\xff"))
    answer = scripted.docs_answers.get(timeout=WAIT_S)

    assert asked == [
        DoorRequest(method="POST", path="/read", content_type="text/plain", body=b"\0\xff")
    ]
    assert answer == {
        "order": "docs_answer",
        "id": 7,
        "status": 201,
        "content_type": "text/x",
        "body_b64": base64.b64encode(b"to \0\xff").decode(),
    }


def test_reports_are_read_while_an_answer_is_being_made(started):
    sidecar, scripted = started
    go = threading.Event()

    def slow(request):
        go.wait(WAIT_S)
        return echo(request)

    sidecar.deliver_to(ignore_event, rules(slow))
    scripted.report(call())
    sidecar.begin_scope(3)
    sidecar.drain()
    go.set()

    assert scripted.docs_answers.get(timeout=WAIT_S)["id"] == 1


def test_requests_are_answered_one_at_a_time_in_order(started):
    sidecar, scripted = started
    inside, most = [], []

    def answer(request):
        inside.append(request)
        most.append(len(inside))
        threading.Event().wait(0.01)
        inside.pop()
        return echo(request)

    sidecar.deliver_to(ignore_event, rules(answer))
    for number in range(5):
        scripted.report(call(number))

    assert [scripted.docs_answers.get(timeout=WAIT_S)["id"] for _ in range(5)] == list(range(5))
    assert most == [1] * 5


def test_a_request_that_nobody_answers_is_told_so(started):
    _, scripted = started

    scripted.report(call())

    assert scripted.docs_answers.get(timeout=WAIT_S)["status"] == 503


def test_another_attempt_has_who_answers_of_its_own(started):
    sidecar, scripted = started
    sidecar.deliver_to(ignore_event, rules(echo))
    policy = EgressPolicy()

    sidecar.attempt(
        Rules(
            policy=policy, door_host="docs.internal", doorkeeper=lambda _: DoorAnswer(status=204)
        ),
        ignore_event,
    )
    scripted.report(call())
    first = scripted.docs_answers.get(timeout=WAIT_S)
    sidecar.attempt(Rules(policy=policy), ignore_event)
    scripted.report(call())
    second = scripted.docs_answers.get(timeout=WAIT_S)

    assert [order["docs_door"] for order in scripted.orders if order["order"] == "attempt"] == [
        "docs.internal",
        "",
    ]
    assert [first["status"], second["status"]] == [204, 503]


def found_fault(sidecar):
    found = threading.Event()
    sidecar.on_fault(lambda _: found.set())
    assert found.wait(WAIT_S)
    with pytest.raises((EventStreamFault, StorageFault)) as caught:
        sidecar.check()
    return caught.value


def test_what_an_answer_brings_to_an_end_is_the_attempts_fault(started):
    sidecar, scripted = started

    def full(request):
        del request
        raise StorageFault("the disk is full")

    sidecar.deliver_to(ignore_event, rules(full))
    scripted.report(call())

    assert isinstance(found_fault(sidecar), StorageFault)


@pytest.mark.parametrize("changes", [{"id": None}, {"body_b64": "?"}, {"body_b64": None}])
def test_what_is_no_request_is_a_fault_of_the_event_stream(started, changes):
    sidecar, scripted = started

    scripted.report(call(**changes))

    assert "handed over no request" in found_fault(sidecar).message
