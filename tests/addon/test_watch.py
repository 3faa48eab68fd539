"""The watch: what must be refused is refused at every door, and a sidecar that fails shows."""

from __future__ import annotations

import socket

import pytest
from sidecar_fixtures import POLICY
from sidecar_process import LISTEN, PROXY, SidecarProcess, without_times

BEGIN = "from quickstarted_proxy import trimmed; trimmed.install()\n"
LENIENT = (
    BEGIN
    + """
from quickstarted_proxy import __main__, gate, policy
def lenient(rules, host, port, path=None):
    return policy.Decision(allowed=True, host=host)
gate.decide = lenient
__main__.main()
"""
)
FORGETFUL = (
    BEGIN
    + """
from quickstarted_proxy import __main__, ledger
ledger.Ledger.blocked = lambda *_: None
__main__.main()
"""
)
DEAF = (
    BEGIN
    + """
from quickstarted_proxy import __main__, clients, watch
watch.ANSWER_S = 0.3
clients.Clients.next_layer = lambda *_: None
__main__.main()
"""
)
HOST = "0123456789abcdef.watch.invalid"
ELSEWHERE = "127.0.0.2"
"""Where sidecars of single tests listen."""
REFUSED = {"status": 403, "reason": "not_allowlisted", "detail": "host"}


def launched(program, trust_pem):
    order = {"policy": POLICY, "trust_pem": trust_pem}
    return SidecarProcess(order, launch=program, listen=ELSEWHERE).ready()


def watched(process):
    process.send({"order": "watch", "host": HOST})
    report, events = process.wait_for("watch")
    return report["answers"], events


def test_every_door_refuses_and_the_refusals_are_recorded(sidecar):
    answers, events = watched(sidecar)

    assert dict.fromkeys(("explicit", "connect", "http"), REFUSED) == answers
    expected = {
        "type": "egress_blocked",
        "host": HOST,
        "reason": "not_allowlisted",
        "detail": "host",
    }
    assert [
        {**expected, "method": "CONNECT", "port": 22, "via": "explicit"},
        {**expected, "method": "GET", "port": 80, "path": "/", "via": "explicit"},
        {**expected, "method": "GET", "port": 80, "path": "/", "via": "http"},
    ] == sorted(without_times(events), key=lambda event: (event["method"], event["via"]))


def test_the_watch_needs_no_room_among_the_clients(trust_pem):
    program = BEGIN + "from quickstarted_proxy import __main__, caps\n"
    program += "caps.MAX_CLIENTS = 2\n__main__.main()\n"
    process = launched(program, trust_pem)
    clients = [socket.create_connection((ELSEWHERE, 8080)) for _ in range(3)]
    answers, _ = watched(process)
    for client in clients:
        client.close()
    process.stop()

    assert dict.fromkeys(("explicit", "connect", "http"), REFUSED) == answers


@pytest.mark.parametrize(
    ("program", "shown", "recorded"),
    [
        (LENIENT, {"status": 502, "reason": None, "detail": None}, "egress_error"),
        (FORGETFUL, REFUSED, None),
        (DEAF, {"error": "no answer within 0.3 s"}, None),
    ],
    ids=["lenient", "forgetful", "deaf"],
)
def test_a_sidecar_that_does_not_do_what_it_must_shows(trust_pem, program, shown, recorded):
    process = launched(program, trust_pem)
    answers, events = watched(process)
    process.stop()

    assert shown == answers["http"]
    assert {recorded} - {None} == {event["type"] for event in events}


def test_only_the_sidecar_itself_asks_from_its_own_address(sidecar):
    watched(sidecar)
    with socket.create_connection(PROXY, source_address=(LISTEN, 0)) as client:
        client.sendall(f"GET http://{HOST}/ HTTP/1.1\r\nHost: {HOST}\r\n\r\n".encode())
        client.recv(4096)
    (event,) = sidecar.drain_until(1)

    assert HOST == event["host"]
