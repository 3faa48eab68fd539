"""Calls of models: looked through before they go out, counted as their replies come back."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from origins import ADDRESS
from sidecar_process import PROXY, SidecarProcess, fetch, path_rule, policy, read_head, rule

from quickstarted_proxy.model_apis import ModelApi
from quickstarted_proxy.secrets_table import Secret

HOST, PORT = "models.test", 8081
URL = f"http://{HOST}:{PORT}"
KEY = Secret(
    name="ANTHROPIC_API_KEY",
    placeholder="sk-ant-PLACEHOLDERplaceholder0123456789",
    value="sk-ant-CANARY7d1f0c9e8b7a6f5e4d3c2b1a0c",
    hosts=(HOST,),
)
EVENTS = [
    {
        "type": "message_start",
        "message": {"model": "claude-x", "usage": {"input_tokens": 10, "output_tokens": 1}},
    },
    {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "x" * 3000}},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 20}},
    {"type": "message_stop"},
]


def sse(events):
    return "".join(f"event: {e['type']}\ndata: {json.dumps(e)}\n\n" for e in events).encode()


class Service(BaseHTTPRequestHandler):
    """A model's service: what it answers with is in the request's own `answer`."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_args):
        pass

    def do_GET(self):
        self.server.got.append((self.path, dict(self.headers), b""))
        self._whole(200, b'{"data": []}', "application/json")

    def do_HEAD(self):
        self.do_GET()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.got.append((self.path, dict(self.headers), body))
        answer = self.server.answers.pop(0) if self.server.answers else "stream"
        if answer == "stream":
            self.send_response(200)
            self.send_header("content-type", "text/event-stream; charset=utf-8")
            self.send_header("transfer-encoding", "chunked")
            self.end_headers()
            for piece in (sse(EVENTS[:2]), sse(EVENTS[2:])):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            self.wfile.write(b"0\r\n\r\n")
        elif answer == "cut":
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", "100000")
            self.end_headers()
            self.wfile.write(sse(EVENTS[:2]))
            self.close_connection = True
        elif answer == "gzip":
            self._whole(200, gzip.compress(sse(EVENTS)), "text/event-stream", "gzip")
        else:
            status, document = answer
            self._whole(status, json.dumps(document).encode(), "application/json")

    def _whole(self, status, body, kind, coding=""):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        if coding:
            self.send_header("content-encoding", coding)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


@pytest.fixture(scope="module")
def service():
    server = ThreadingHTTPServer((ADDRESS, PORT), Service)
    server.daemon_threads = True
    server.got, server.answers = [], []
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def rules(**limits):
    api = ModelApi(host=HOST, vendor="anthropic", **limits)
    return {
        "policy": policy(rule(HOST, PORT), private=(HOST,), paths=[path_rule(HOST, *api.patterns)]),
        "secrets": [KEY.to_json()],
        "models": [api.to_json()],
    }


@pytest.fixture(scope="module")
def process(service, names):
    started = SidecarProcess(rules()).ready()
    yield started
    started.stop()
    assert KEY.value not in json.dumps(started.reports)


@pytest.fixture
def sidecar(process, service):
    begin(process)
    service.got.clear()
    service.answers.clear()
    return process


def begin(process, **limits):
    process.send({"order": "attempt", **rules(**limits)})
    process.wait_for("attempt_ready")


def call(body, path="/v1/messages?beta=true", **headers):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {"x-api-key": KEY.placeholder, "Content-Type": "application/json", **headers}
    return fetch(URL + path, method="POST", body=data, headers=fields)


def told(process):
    """The report of the last call, and the events before and after it."""
    report, before = process.wait_for("model_call")
    return report["call"], before + process.drain()


def facts(call):
    names = ("model", "stop_reason", "input_tokens", "output_tokens", "status", "error")
    return {name: call[name] for name in names}


def test_a_call_goes_out_with_the_key_and_its_reply_is_counted(sidecar, service):
    sent = {"model": "claude-x", "stream": True, "tools": [{"name": "bash"}]}

    answer = call(sent)
    counted, events = told(sidecar)

    path, headers, body = service.got[0]
    assert (path, json.loads(body)) == ("/v1/messages?beta=true", sent)
    assert headers["x-api-key"] == KEY.value
    assert (answer.status, answer.body) == (200, sse(EVENTS))
    assert facts(counted) == {
        "model": "claude-x",
        "stop_reason": "end_turn",
        "input_tokens": 10,
        "output_tokens": 20,
        "status": 200,
        "error": "",
    }
    assert (counted["host"], counted["vendor"]) == (HOST, "anthropic")
    assert counted["path"].startswith("/v1/messages")
    assert counted["duration"] >= 0
    assert [("egress_allowed", 200)] == [(event["type"], event["status"]) for event in events]
    assert events[0]["bytes_out"] == len(json.dumps(sent))


def test_a_reply_arrives_as_it_comes_and_not_at_its_end(sidecar, service):
    go = threading.Event()

    class Slow(Service):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", str(len(sse(EVENTS))))
            self.end_headers()
            self.wfile.write(sse(EVENTS[:2]))
            go.wait(20)
            self.wfile.write(sse(EVENTS[2:]))

    service.RequestHandlerClass, before = Slow, service.RequestHandlerClass
    try:
        connection = http.client.HTTPConnection(*PROXY, timeout=20)
        connection.request(
            "POST", f"{URL}/v1/messages", body=b"{}", headers={"Host": f"{HOST}:{PORT}"}
        )
        response = connection.getresponse()
        first = response.read(1000)
        go.set()
        rest = response.read()
        connection.close()
    finally:
        service.RequestHandlerClass = before

    assert first + rest == sse(EVENTS)
    assert told(sidecar)[0]["output_tokens"] == 20


@pytest.mark.parametrize(
    ("coding", "pack"),
    [("gzip", gzip.compress), ("identity", bytes)],
)
def test_a_coded_call_is_looked_through_too(sidecar, service, coding, pack):
    clean = pack(b'{"tools": []}')
    hosted = pack(b'{"tools": [{"type": "web_search_20250305"}]}')

    answers = [call(body, **{"Content-Encoding": coding}).status for body in (clean, hosted)]

    assert answers == [200, 403]
    assert [body for _, _, body in service.got] == [clean]
    assert ["", "hosted_tool:web_search_20250305"] == [
        sidecar.wait_for("model_call")[0]["call"]["refused"] for _ in range(2)
    ]


HOSTED = [
    (b'{"tools": [{"type": "web_search_20250305"}]}', "hosted_tool:web_search_20250305"),
    (b'{"mcp_servers": [{"url": "https://x"}]}', "hosted_tool:mcp_servers"),
    (b'{"tools": [], "tools": [{"type": "web_fetch"}]}', "hosted_tool:a body that cannot"),
    (b"not json", "hosted_tool:a body that cannot"),
    (b"", "hosted_tool:a body that cannot"),
    (b"[]", "hosted_tool:a body that is no object"),
    ('{"tools": []}'.encode("utf-16"), "hosted_tool:a body that cannot"),
    (
        b'{"x": "' + b"y" * 300_000 + b'", "tools": [{"type": "web_fetch"}]}',
        "hosted_tool:web_fetch",
    ),
]


@pytest.mark.parametrize(("body", "detail"), HOSTED)
def test_what_the_vendor_would_do_elsewhere_never_goes_out(sidecar, service, body, detail):
    answer = call(body)
    report, events = told(sidecar)

    assert answer.status == 403
    assert report["refused"].startswith(detail)
    assert (report["status"], report["counted"]) == (None, False)
    assert answer.headers["content-type"] == "application/json"
    document = json.loads(answer.body)
    assert document["error"]["type"] == "permission_error"
    assert "quickstarted refused this request" in document["error"]["message"]
    assert [("egress_blocked", "not_allowlisted")] == [
        (event["type"], event["reason"]) for event in events
    ]
    assert events[0]["detail"].startswith(detail)
    assert service.got == []


@pytest.mark.parametrize("coding", ["br", "zstd", "deflate", "gzip, gzip", "nonsense"])
def test_a_coding_that_cannot_be_undone_is_refused(sidecar, service, coding):
    assert call(b"{}", **{"Content-Encoding": coding}).status == 403
    assert told(sidecar)[0]["refused"].startswith("hosted_tool:a body that cannot")
    assert service.got == []


def test_a_bomb_is_refused_in_little_memory(sidecar, service):
    bomb = gzip.compress(b" " * (200 * 1024 * 1024))

    assert call(bomb, **{"Content-Encoding": "gzip"}).status == 403
    assert "too large" in told(sidecar)[0]["refused"]
    assert service.got == []
    assert sidecar.resident_kib("VmHWM") < 256 * 1024


def test_a_call_of_unknown_length_is_refused(sidecar, service):
    head = f"POST {URL}/v1/messages HTTP/1.1\r\nHost: {HOST}:{PORT}\r\n"
    with socket.create_connection(PROXY, timeout=20) as client:
        client.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n".encode())
        answer = read_head(client)

    report, events = told(sidecar)

    assert b" 403 " in answer
    assert report["refused"] == "body"
    assert ["body"] == [event["detail"] for event in events]
    assert service.got == []


@pytest.mark.parametrize("path", ["/v1/files", "/v1/messages/batches", "/v1/skills", "/"])
def test_other_paths_are_as_the_policy_says_and_no_calls(sidecar, service, path):
    status = call(b"{}", path).status

    assert status == (200 if path == "/" else 403)
    told = [event.get("detail") for event in sidecar.drain()]
    assert told == ([None] if path == "/" else ["model_path"])
    assert not [one for one in sidecar.reports[-3:] if one["report"] == "model_call"]


def test_an_escaped_path_is_the_same_call(sidecar, service):
    assert call({"tools": [{"type": "web_fetch_20250910"}]}, "/v1/%6dessages").status == 403
    assert told(sidecar)[0]["refused"] == "hosted_tool:web_fetch_20250910"
    assert service.got == []


def test_what_costs_nothing_is_not_counted(sidecar, service):
    assert fetch(f"{URL}/v1/models").status == 200
    assert fetch(f"{URL}/", method="HEAD").status == 200
    sidecar.drain()

    assert [path for path, _, _ in service.got] == ["/v1/models", "/"]
    assert not [one for one in sidecar.reports[-4:] if one["report"] == "model_call"]


def test_a_reply_that_breaks_off_has_used_what_it_said(sidecar, service):
    service.answers = ["cut"]

    with pytest.raises((http.client.HTTPException, OSError)):
        call(b"{}")
    counted, events = told(sidecar)

    assert (counted["input_tokens"], counted["output_tokens"]) == (10, 1)
    assert counted["error"]
    assert ["egress_error"] == [event["type"] for event in events]


def test_a_client_that_leaves_has_used_what_had_come(sidecar, service):
    service.answers = ["cut"]
    with socket.create_connection(PROXY, timeout=20) as client:
        head = f"POST {URL}/v1/messages HTTP/1.1\r\nHost: {HOST}:{PORT}\r\nContent-Length: 2\r\n"
        client.sendall(f"{head}\r\n{{}}".encode())
        client.recv(2000)

    assert told(sidecar)[0]["input_tokens"] == 10


def test_a_coded_reply_is_counted_too(sidecar, service):
    service.answers = ["gzip"]

    answer = call(b"{}")

    assert answer.body == sse(EVENTS)
    assert told(sidecar)[0]["output_tokens"] == 20


def test_an_error_of_the_service_is_told(sidecar, service):
    error = {"type": "overloaded_error", "message": f"Overloaded {KEY.value}"}
    service.answers = [(529, {"type": "error", "error": error})]

    assert call(b"{}").status == 529
    counted = told(sidecar)[0]

    assert counted["status"] == 529
    assert counted["error"] == f"overloaded_error: Overloaded {KEY.placeholder}"


def test_after_the_last_call_none_goes_out(sidecar, service):
    begin(sidecar, max_calls=2)
    statuses = []
    for _ in range(2):
        statuses.append(call(b"{}").status)
        sidecar.wait_for("model_call")
    answer = call(b"{}")
    report, events = told(sidecar)

    assert [*statuses, answer.status] == [200, 200, 403]
    assert report["refused"] == "max_calls"
    assert "2 calls are used up" in json.loads(answer.body)["error"]["message"]
    assert answer.headers["x-should-retry"] == "false"
    assert len(service.got) == 2
    assert [("egress_error", "max_calls")] == [
        (event["type"], event["detail"]) for event in events if event["type"] != "egress_allowed"
    ]


def test_a_call_that_failed_is_none_of_those_that_there_are(sidecar, service):
    begin(sidecar, max_calls=1)
    service.answers = [(529, {}), (401, {}), "stream", "stream"]
    statuses = []
    for _ in range(4):
        statuses.append(call(b"{}").status)
        sidecar.wait_for("model_call")

    assert [529, 401, 200, 403] == statuses


def test_what_is_under_way_when_all_is_settled_is_told_as_far_as_it_is(sidecar, service):
    stop = threading.Event()

    class Endless(Service):
        def do_POST(self):
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.send_header("content-length", "100000")
            self.end_headers()
            self.wfile.write(sse(EVENTS[:2]))
            stop.wait(20)

    service.RequestHandlerClass, before = Endless, service.RequestHandlerClass
    try:
        with socket.create_connection(PROXY, timeout=20) as client:
            head = f"POST {URL}/v1/messages HTTP/1.1\r\nHost: {HOST}:{PORT}\r\n"
            client.sendall(f"{head}Content-Length: 2\r\n\r\n{{}}".encode())
            while b"content_block_delta" not in client.recv(2000):
                pass
            sidecar.send({"order": "scope", "scope": 7, "settle": True})
            report, _ = sidecar.wait_for("model_call")
            sidecar.wait_for("scope")
    finally:
        stop.set()
        service.RequestHandlerClass = before
    sidecar.drain()

    assert (report["call"]["error"], report["call"]["input_tokens"]) == ("unfinished", 10)


def test_after_the_last_token_no_call_goes_out(sidecar, service):
    begin(sidecar, max_tokens=30)
    first = call(b"{}").status
    sidecar.wait_for("model_call")

    assert (first, call(b"{}").status) == (200, 403)
    assert told(sidecar)[0]["refused"] == "max_tokens"
    assert len(service.got) == 1


def test_another_attempt_begins_to_count_from_nothing(sidecar, service):
    begin(sidecar, max_calls=1)
    call(b"{}")
    sidecar.wait_for("model_call")
    begin(sidecar, max_calls=1)

    assert call(b"{}").status == 200
    sidecar.wait_for("model_call")


def test_a_websocket_to_a_model_is_refused(sidecar, service):
    headers = {"Connection": "Upgrade", "Upgrade": "websocket"}

    assert fetch(f"{URL}/v1/messages", headers=headers).status == 403
    assert ["upgrade"] == [event["detail"] for event in sidecar.drain()]


def test_a_placeholder_of_another_secret_is_refused_as_anywhere(sidecar, service):
    other = Secret(
        name="OTHER",
        placeholder="otherPLACEHOLDERplaceholder0123456789",
        value="other-canary-value-0123456789",
        hosts=("elsewhere.test",),
    )
    order = rules()
    order["secrets"].append(other.to_json())
    sidecar.send({"order": "attempt", **order})
    sidecar.wait_for("attempt_ready")

    answer = call({"messages": [{"role": "user", "content": other.placeholder}]})

    assert answer.status == 403
    assert ["secret"] == [event["detail"] for event in sidecar.drain()]
    assert service.got == []
