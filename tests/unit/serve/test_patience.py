"""Clients that are slow, many, or gone; the server keeps its memory and the others' time."""

import contextlib
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from fakes.golden import golden
from fakes.uploading import API, JSON, answer, connected, padded, request, run, serving

IDLE_S = 0.5
CLIENTS = 50
BODY_BYTES = 3_000_000
ROOM_BYTES = 60_000_000
"""What so many bodies may add; as strings they would be 150 MB, and more as values."""


@pytest.fixture(name="hasty", scope="module")
def _hasty(tmp_path_factory):
    with serving(tmp_path_factory.mktemp("hasty"), f"--timeout={IDLE_S}") as served:
        yield served


def head(served, length, *lines):
    kind = "Content-Type: application/json"
    return request(served, b"", kind, f"Content-Length: {length}", *lines)


def ended(sock):
    """What comes until the server ends the connection."""
    raw = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := sock.recv(65536):
            raw += piece
    return raw


def test_a_body_that_stops_coming_is_given_up(hasty):
    with connected(hasty) as sock:
        sock.sendall(head(hasty, 100) + b'{"trace_id"')
        status, _, body = answer(sock)

    text = f"{status}\n{body.decode()}"
    assert golden("serve/too-slow.txt", text) == text
    assert [] == list(hasty.out.glob(".incoming/*"))


def test_a_body_that_trickles_is_given_up(hasty):
    with connected(hasty) as sock:
        sock.sendall(head(hasty, 1000))
        with contextlib.suppress(ConnectionError):
            for _ in range(40):
                sock.sendall(b" ")
                time.sleep(IDLE_S / 10)
        status, _, body = answer(sock)

    assert (408, "too-slow") == (status, json.loads(body)["error"]["code"])


@pytest.mark.parametrize("sent", [b"", b"GET /api", b"GET / HTTP/1.1\r\nHost: x\r\n"])
def test_a_head_that_does_not_come_ends_the_connection(hasty, sent):
    with connected(hasty) as sock:
        sock.sendall(sent)
        assert b"" == ended(sock)


def test_a_head_that_trickles_after_an_answer_ends_the_connection(hasty):
    with connected(hasty) as sock:
        sock.sendall(request(hasty, head="GET /api/v1/schema"))
        assert sock.recv(12).startswith(b"HTTP/1.1 200")
        with contextlib.suppress(ConnectionError):
            for _ in range(40):
                sock.sendall(b"G")
                time.sleep(IDLE_S / 10)
        assert b"HTTP/1.1 2" not in ended(sock)


def test_who_does_not_read_an_answer_is_cut_off(hasty):
    (one,) = hasty.post(padded("large", 20_000_000)).json()["stored"]
    with connected(hasty) as sock:
        sock.sendall(request(hasty, b"", "Connection: close", head=f"GET {one['url']}"))
        while f"GET {one['url']} " not in hasty.log:
            time.sleep(0.05)
        assert len(ended(sock)) < 20_000_000


def test_who_is_gone_leaves_nothing(hasty):
    with connected(hasty) as sock:
        sock.sendall(head(hasty, 1000) + b"{")
    while "499" not in hasty.log:
        time.sleep(0.05)

    assert [] == list(hasty.out.glob(".incoming/*"))


def test_fifty_clients_at_once_are_all_served_in_the_memory_of_one(tmp_path):
    all_sent = threading.Barrier(CLIENTS + 1, timeout=60)
    body_ends = threading.Event()

    def client(number):
        body = padded(f"client-{number}", BODY_BYTES)

        def pieces():
            yield body[:-1]
            all_sent.wait()
            assert body_ends.wait(60)
            yield body[-1:]

        return served.post(pieces()).status_code

    with serving(tmp_path) as served, ThreadPoolExecutor(CLIENTS) as pool:
        served.post(padded("before", BODY_BYTES))
        before = served.rss_bytes
        uploads = [pool.submit(client, number) for number in range(CLIENTS)]
        all_sent.wait()
        meanwhile = served.post(json.dumps(run("meanwhile")).encode()).status_code
        waiting = served.rss_bytes
        body_ends.set()
        statuses = {upload.result() for upload in uploads}
        after = served.rss_bytes

        assert ({201}, 201, CLIENTS + 2) == (statuses, meanwhile, len(served.stored))
        assert max(waiting, after) - before < ROOM_BYTES


def test_more_connections_than_there_is_room_for_are_told_to_come_again(tmp_path):
    with serving(tmp_path) as served:
        with contextlib.ExitStack() as stack:
            for _ in range(512):
                stack.enter_context(connected(served))
            status, headers, body = answer(stack.enter_context(connected(served)))
        text = f"{status}\nretry-after: {headers['retry-after']}\n{body.decode()}"

        assert golden("serve/crowded.txt", text) == text
        assert 201 == served.post(json.dumps(run("one")).encode()).status_code


def test_more_uploads_than_there_is_room_for_are_told_to_come_again(tmp_path):
    with serving(tmp_path) as served, contextlib.ExitStack() as stack:
        for _ in range(64):
            sock = stack.enter_context(connected(served))
            sock.sendall(head(served, 9, "Expect: 100-continue"))
            assert sock.recv(16).startswith(b"HTTP/1.1 100")
        refused = served.post(json.dumps(run("one")).encode(), JSON)
        text = f"{refused.status_code}\nretry-after: {refused.headers['retry-after']}\n"
        listed = served.get(API).status_code

        assert golden("serve/busy.txt", text + refused.text) == text + refused.text
        assert 200 == listed
