"""The harness's own host: requests are handed over, and get the harness's answers."""

from __future__ import annotations

import base64
import http.client
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sidecar_fixtures import POLICY
from sidecar_process import LISTEN, PROXY, SidecarProcess, fetch, open_tunnel, read_head
from test_names import addresses, lookup

HOST = "read-docs.quickstarted.internal"
URL = f"http://{HOST}/mcp?x=1"
WAIT_S = 20.0


@pytest.fixture(scope="module")
def process(trust_pem, http_origin):
    started = SidecarProcess({"policy": POLICY, "trust_pem": trust_pem, "docs_door": HOST}).ready()
    yield started
    started.stop()


@pytest.fixture
def door(process):
    process.drain()
    return process


def give(door, call, text, status=200, kind="text/plain"):
    body = base64.b64encode(text.encode()).decode()
    door.send(
        {
            "order": "docs_answer",
            "id": call["id"],
            "status": status,
            "content_type": kind,
            "body_b64": body,
        }
    )


def handed_over(process, text="the answer", **asked):
    """One request as it was handed over, and what its client got."""
    with ThreadPoolExecutor(1) as thread:
        client = thread.submit(fetch, URL, **asked)
        call = process.wait_for("docs_call")[0]
        give(process, call, text)
        return call, client.result(WAIT_S)


@pytest.mark.parametrize("where", ["explicit", "http"])
def test_a_request_is_handed_over_whole_and_its_client_gets_the_answer(door, where):
    asked = {"method": "POST", "body": b"\0\xff{}", "headers": {"Content-Type": "text/x"}}

    call, answer = handed_over(door, door=where, **asked)

    assert (call["method"], call["path"], call["content_type"]) == ("POST", "/mcp?x=1", "text/x")
    assert base64.b64decode(call["body_b64"]) == b"\0\xff{}"
    assert (answer.status, answer.body) == (200, b"the answer")
    assert answer.headers["content-type"] == "text/plain"
    assert [] == door.drain()


def test_a_request_without_a_body_is_handed_over_too(door):
    call, _ = handed_over(door)

    assert (call["method"], call["body_b64"]) == ("GET", "")


def test_its_name_resolves_to_the_sidecar_and_leaves_no_event(door):
    assert [LISTEN] == addresses(lookup(HOST.upper()))
    assert [] == door.drain()


def test_a_connection_is_used_again(door):
    connection = http.client.HTTPConnection(*PROXY, timeout=WAIT_S)
    for text in ("one", "two"):
        connection.request("POST", URL, body=b"x", headers={"Host": HOST})
        give(door, door.wait_for("docs_call")[0], text)
        assert text == connection.getresponse().read().decode()
    connection.close()


def test_several_wait_at_once_and_each_gets_its_own_answer(door):
    with ThreadPoolExecutor(8) as threads:
        clients = [
            threads.submit(fetch, URL, method="POST", body=str(number).encode())
            for number in range(8)
        ]
        calls = [door.wait_for("docs_call")[0] for _ in clients]
        for call in reversed(calls):
            give(door, call, "to " + base64.b64decode(call["body_b64"]).decode())
        texts = [client.result(WAIT_S).text for client in clients]

    assert [f"to {number}" for number in range(8)] == texts


def test_an_answer_for_a_client_that_is_gone_is_nobodys(door):
    connection = http.client.HTTPConnection(*PROXY, timeout=WAIT_S)
    connection.request("POST", URL, body=b"x", headers={"Host": HOST})
    call = door.wait_for("docs_call")[0]
    connection.close()
    give(door, call, "late")
    give(door, call, "twice")
    give(door, {"id": 10_000}, "never asked")

    assert handed_over(door)[1].text == "the answer"


@pytest.mark.parametrize(
    ("head", "body", "status"),
    [
        ("Content-Length: 1048577", b"", 413),
        ("Transfer-Encoding: chunked", b"1\r\nx\r\n0\r\n\r\n", 411),
    ],
)
def test_what_is_too_large_or_of_unknown_size_is_refused_at_once(door, head, body, status):
    request = f"POST {URL} HTTP/1.1\r\nHost: {HOST}\r\n{head}\r\n\r\n".encode() + body

    with socket.create_connection(PROXY, timeout=WAIT_S) as client:
        client.sendall(request)
        answer = read_head(client)

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert [] == door.drain()


def test_the_largest_body_is_handed_over(door):
    call, answer = handed_over(door, method="POST", body=b"x" * 1024 * 1024)

    assert len(base64.b64decode(call["body_b64"])) == 1024 * 1024
    assert answer.status == 200


def test_over_tls_it_is_a_host_like_any_other_that_is_not_on_the_list(door):
    sock, head = open_tunnel(f"{HOST}:443")
    sock.close()

    assert b" 200 " in head
    assert [("egress_blocked", HOST, "not_allowlisted")] == [
        (event["type"], event["host"], event["reason"]) for event in door.drain_until(1)
    ]


def test_another_name_below_it_is_refused(door):
    assert fetch(f"http://other.{HOST}/mcp").status == 403
    assert [f"other.{HOST}"] == [event["host"] for event in door.drain()]


def test_when_the_attempt_ends_who_waits_is_told_and_the_next_one_has_no_door(own_sidecar):
    own_sidecar.send({"order": "attempt", "policy": POLICY, "docs_door": HOST})
    own_sidecar.wait_for("attempt_ready")
    answers = []

    def ask():
        connection = http.client.HTTPConnection("127.0.0.2", 8080, timeout=WAIT_S)
        connection.request("POST", URL, body=b"x", headers={"Host": HOST})
        try:
            answers.append(connection.getresponse().status)
        except (http.client.HTTPException, OSError):
            answers.append(0)
        connection.close()

    waiting = threading.Thread(target=ask)
    waiting.start()
    own_sidecar.wait_for("docs_call")
    own_sidecar.send({"order": "attempt", "policy": POLICY})
    own_sidecar.wait_for("attempt_ready")
    waiting.join(WAIT_S)
    ask()

    assert answers[0] in {0, 503}
    assert answers[1] == 403


@pytest.mark.parametrize(
    "wrong",
    [
        {"id": 1, "status": 200, "content_type": "text/plain"},
        {"id": 1, "status": 20, "content_type": "text/plain", "body_b64": ""},
        {"id": 1, "status": 200, "content_type": "a\r\nb: c", "body_b64": ""},
        {"id": 1, "status": 200, "content_type": "text/plain", "body_b64": "?"},
        {"id": "x", "status": 200, "content_type": "text/plain", "body_b64": ""},
    ],
)
def test_an_answer_that_cannot_be_given_ends_the_sidecar(own_sidecar, wrong):
    own_sidecar.send({"order": "docs_answer", **wrong})

    report = own_sidecar.next()

    assert report["report"] == "fault"
    assert "docs_answer" in report["error"]
