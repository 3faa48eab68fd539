"""What Google's real SDK makes of each fault that the scripted Gemini API can have."""

from __future__ import annotations

import httpx2
import pytest
from google.genai.errors import APIError, ClientError, ServerError, UnknownApiResponseError

from contract.gemini_clients import CLIENTS
from fakes.gemini_api import ScriptedGeminiApi
from fakes.gemini_api_replies import Break, Call, Error, Page, Text, Turn, hang, say
from fakes.gemini_api_stream import error_document

CONTENT = (Text("I look, and then I do something."), Call("bash", {"command": "ls"}))
POINTS = {"headers": (Break("headers", "fin"), 0), "chunk": (Break("chunk", "fin", index=1), 2)}


@pytest.fixture(params=CLIENTS, name="stream_of")
def _stream_of(request):
    """How many chunks arrive, and the error that ends them, if one does."""

    def stream_of(api, **options):
        seen = []
        try:
            CLIENTS[request.param](api, **options).chunks(seen)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
            return len(seen), error
        return len(seen), None

    return stream_of


def broken(point, how, **more):
    at, count = POINTS[point]
    return Turn(CONTENT, broken=Break(at.after, how, index=at.index, **more)), count


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ("fin", httpx2.RemoteProtocolError),
        ("rst", httpx2.ReadError),
        ("half_event", httpx2.RemoteProtocolError),
    ],
)
def test_a_stream_that_is_cut_raises_the_http_library_s_own_error(stream_of, point, how, expected):
    turn, count = broken(point, how)
    with ScriptedGeminiApi([turn]) as api:
        seen, error = stream_of(api)

    assert (count, expected) == (seen, type(error))


@pytest.mark.parametrize("point", POINTS)
def test_a_stream_that_just_ends_raises_nothing(stream_of, point):
    turn, count = broken(point, "end")
    with ScriptedGeminiApi([turn]) as api:
        assert (count, None) == stream_of(api)


@pytest.mark.parametrize("point", POINTS)
def test_garbage_in_a_stream_cannot_be_read(stream_of, point):
    turn, count = broken(point, "garbage")
    with ScriptedGeminiApi([turn]) as api:
        seen, error = stream_of(api)

    assert (count, UnknownApiResponseError) == (seen, type(error))
    assert isinstance(error, ValueError)


@pytest.mark.parametrize("point", POINTS)
def test_an_error_in_a_stream_has_the_code_that_is_written_in_it(stream_of, point):
    turn, count = broken(point, "error", error=error_document(Error(503)))
    with ScriptedGeminiApi([turn]) as api:
        seen, error = stream_of(api)

    assert (count, ServerError, 503) == (seen, type(error), error.code)


@pytest.mark.parametrize("point", POINTS)
def test_a_stream_that_falls_silent_is_the_http_library_s_timeout(stream_of, point):
    turn, count = broken(point, "hang")
    with ScriptedGeminiApi([turn]) as api:
        seen, error = stream_of(api, timeout_s=0.3)

    assert (count, httpx2.ReadTimeout) == (seen, type(error))


def test_the_sdk_s_own_timeout_is_told_to_the_service(stream_of):
    with ScriptedGeminiApi([say("Hi.")]) as api:
        stream_of(api, timeout_s=30)

    assert "30" == api.requests[0].headers["x-server-timeout"]


def test_no_answer_at_all_is_a_timeout(stream_of):
    with ScriptedGeminiApi([hang()]) as api:
        _, error = stream_of(api, timeout_s=0.2)
        api.wait_for(1, ending="client_left")

    assert httpx2.ReadTimeout is type(error)


@pytest.mark.parametrize(
    ("how", "expected"), [("fin", httpx2.RemoteProtocolError), ("rst", httpx2.ReadError)]
)
def test_a_connection_closed_before_any_answer_is_the_http_library_s_error(
    stream_of, how, expected
):
    with ScriptedGeminiApi([say("x", broken=Break("nothing", how))]) as api:
        _, error = stream_of(api)

    assert expected is type(error)


def test_a_page_instead_of_a_stream_cannot_be_read(stream_of):
    with ScriptedGeminiApi([Page("<html>Welcome</html>")]) as api:
        _, error = stream_of(api)

    assert UnknownApiResponseError is type(error)


def test_nothing_instead_of_a_stream_is_a_stream_without_chunks(stream_of):
    with ScriptedGeminiApi([Page("")]) as api:
        assert (0, None) == stream_of(api)


@pytest.mark.parametrize("lines", [": a comment\n\n", "event: weather\n\n"])
def test_the_sdk_reads_nothing_but_data_lines(stream_of, lines):
    """So the scripted service sends no comments as signs of life."""
    with ScriptedGeminiApi([Page(lines, content_type="text/event-stream")]) as api:
        _, error = stream_of(api)

    assert UnknownApiResponseError is type(error)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((status, ClientError) for status in (400, 401, 403, 404, 409, 413, 429)),
        *((status, ServerError) for status in (500, 503, 504)),
    ],
)
def test_an_error_has_its_status_and_headers(stream_of, status, expected):
    with ScriptedGeminiApi([Error(status, headers={"retry-after": "7"})]) as api:
        _, error = stream_of(api)

    assert (status, expected) == (error.code, type(error))
    assert "7" == error.response.headers["retry-after"]


def test_a_page_with_an_error_s_status_is_an_error_with_the_page_as_message(stream_of):
    with ScriptedGeminiApi([Page("<h1>Bad Gateway</h1>", 502)]) as api:
        _, error = stream_of(api)

    assert isinstance(error, APIError)
    assert (502, "<h1>Bad Gateway</h1>") == (error.code, error.message)
