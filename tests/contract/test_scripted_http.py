"""
The transport of a scripted service knows no vendor: a wire format of two lines is served as well.
"""

from __future__ import annotations

import httpx2
import pytest

from fakes.scripted_http import ScriptedServer
from fakes.scripted_http_steps import Close, Head, Pause, Refused


class TwoLineSpeaker:
    """Answers `POST /ask` with the reply and a line of its own."""

    max_body_bytes = 100

    def check(self, request):
        if request.path != "/ask":
            raise Refused("no_such_place", request.path, [Head(404, (), 0)])

    def answer(self, reply, request):
        yield Head(201, (("X-Of", "script"),))
        yield f"{reply}\n".encode()
        yield Pause(0.01)
        if reply in ("fin", "rst"):
            yield Close(reset=reply == "rst")
        yield b"That is all.\n"

    def fault(self, message):
        return [Head(500, (), len(message)), message.encode()]


def post(server, path="/ask", **more):
    return httpx2.post(server.base_url + path, verify=False, **more)


def test_a_reply_is_said_as_the_speaker_says_it():
    with ScriptedServer(["Hello."], TwoLineSpeaker()) as server:
        answer = post(server, json={"n": 1})
    server.assert_done()

    assert (201, "script") == (answer.status_code, answer.headers["x-of"])
    assert "Hello.\nThat is all.\n" == answer.text
    assert [{"n": 1}] == [one.body for one in server.requests]


def test_what_the_speaker_refuses_is_told():
    with ScriptedServer([], TwoLineSpeaker()) as server:
        answer = post(server, "/other")
    server.assert_done(refused=["no_such_place"])

    assert 404 == answer.status_code


@pytest.mark.parametrize(
    ("reply", "expected"), [("fin", httpx2.RemoteProtocolError), ("rst", httpx2.ReadError)]
)
def test_a_connection_is_cut_where_the_speaker_cuts_it(reply, expected):
    with ScriptedServer([reply], TwoLineSpeaker()) as server, pytest.raises(expected):
        post(server)
    server.assert_done()

    assert ["cut"] == [one.ending for one in server.requests]


def test_a_body_above_the_limit_is_not_kept():
    with ScriptedServer(["Hello."], TwoLineSpeaker()) as server:
        post(server, json=["x" * 100])

    assert [(None, 104)] == [(one.body, one.body_bytes) for one in server.requests]


def test_a_request_that_stops_half_way_is_no_request():
    def half():
        yield b"half"
        raise InterruptedError

    with ScriptedServer(["Hello."], TwoLineSpeaker()) as server:
        with pytest.raises(InterruptedError):
            post(server, content=half(), headers={"content-length": "50"})
        assert 201 == post(server).status_code
    server.assert_done()

    assert [0] == [one.body_bytes for one in server.requests]
