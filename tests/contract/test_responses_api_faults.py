"""What OpenAI's real SDK makes of each fault that the scripted Responses API can have."""

from __future__ import annotations

import json

import openai
import pytest

from contract.responses_clients import CLIENTS
from fakes.responses_api import ScriptedResponsesApi
from fakes.responses_api_replies import Break, Call, Error, Page, Text, Turn, hang, say

CONTENT = (Text("I look."), Call("bash", {"command": "cat /etc/hosts /etc/passwd"}))
DELTA = "response.function_call_arguments.delta"
POINTS = {
    "headers": ("headers", []),
    "created": ("response.created", ["response.created"]),
    "arguments": (DELTA, [DELTA]),
    "item": ("response.output_item.done", ["response.output_item.done"]),
}


@pytest.fixture(params=CLIENTS, name="stream_of")
def _stream_of(request):
    """The types of the events that arrive, and the error that ends them, if one does."""

    def stream_of(api, timeout_s=600.0):
        seen = []
        try:
            CLIENTS[request.param](api, timeout=timeout_s).events(seen)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
            return [event.type for event in seen], error
        return [event.type for event in seen], None

    return stream_of


def broken(point, how, **more):
    return Turn(CONTENT, broken=Break(POINTS[point][0], how, **more))


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("how", ["fin", "rst", "half_event"])
def test_a_stream_that_is_cut_is_a_connection_error(stream_of, point, how):
    with ScriptedResponsesApi([broken(point, how)]) as api:
        seen, error = stream_of(api)

    assert POINTS[point][1] == seen[-1:]
    assert openai.APIConnectionError is type(error)


@pytest.mark.parametrize("point", POINTS)
def test_a_stream_that_just_ends_raises_nothing(stream_of, point):
    with ScriptedResponsesApi([broken(point, "end")]) as api:
        seen, error = stream_of(api)

    assert POINTS[point][1] == seen[-1:]
    assert error is None


@pytest.mark.parametrize("point", POINTS)
def test_garbage_in_a_stream_raises_a_json_error(stream_of, point):
    with ScriptedResponsesApi([broken(point, "garbage")]) as api:
        _, error = stream_of(api)

    assert json.JSONDecodeError is type(error)


def test_an_error_event_is_an_event_like_any_other(stream_of):
    document = {"type": "error", "code": "server_error", "message": "No.", "sequence_number": 3}
    with ScriptedResponsesApi([broken("created", "error", error=document)]) as api:
        seen, error = stream_of(api)

    assert ["response.created", "error"] == seen
    assert error is None


def test_an_error_document_in_a_stream_is_an_error_without_a_status(stream_of):
    document = {"error": {"code": "rate_limit_exceeded", "message": "No."}}
    with ScriptedResponsesApi([broken("created", "error", error=document)]) as api:
        _, error = stream_of(api)

    assert openai.APIError is type(error)
    assert "rate_limit_exceeded" == error.code


def test_a_failed_response_is_an_event_like_any_other(stream_of):
    with ScriptedResponsesApi([Turn(failed="server_error")]) as api:
        seen, error = stream_of(api)

    assert (["response.created", "response.in_progress", "response.failed"], None) == (seen, error)


@pytest.mark.parametrize("point", POINTS)
def test_a_stream_that_falls_silent_is_a_timeout(stream_of, point):
    with ScriptedResponsesApi([broken(point, "hang")]) as api:
        _, error = stream_of(api, timeout_s=0.3)

    assert openai.APITimeoutError is type(error)


def test_no_answer_at_all_is_a_timeout(stream_of):
    with ScriptedResponsesApi([hang()]) as api:
        _, error = stream_of(api, timeout_s=0.2)
        api.wait_for(1, ending="client_left")

    assert openai.APITimeoutError is type(error)


@pytest.mark.parametrize("how", ["fin", "rst"])
def test_a_connection_closed_before_any_answer_is_a_connection_error(stream_of, how):
    with ScriptedResponsesApi([say("x", broken=Break("nothing", how))]) as api:
        _, error = stream_of(api)

    assert openai.APIConnectionError is type(error)


@pytest.mark.parametrize("body", ["", "<html>Welcome</html>"])
def test_a_page_instead_of_a_stream_is_a_stream_without_events(stream_of, body):
    with ScriptedResponsesApi([Page(body)]) as api:
        assert ([], None) == stream_of(api)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (400, openai.BadRequestError),
        (401, openai.AuthenticationError),
        (403, openai.PermissionDeniedError),
        (404, openai.NotFoundError),
        (409, openai.ConflictError),
        (413, openai.APIStatusError),
        (429, openai.RateLimitError),
        (500, openai.InternalServerError),
        (503, openai.InternalServerError),
    ],
)
def test_an_error_has_its_status(stream_of, status, expected):
    with ScriptedResponsesApi([Error(status, headers={"retry-after": "7"})]) as api:
        _, error = stream_of(api)

    assert expected is type(error)
    assert (status, "7") == (error.status_code, error.response.headers["retry-after"])


def test_a_page_with_an_error_s_status_is_an_error_without_a_code(stream_of):
    with ScriptedResponsesApi([Page("<h1>Bad Gateway</h1>", 502)]) as api:
        _, error = stream_of(api)

    assert (502, None, None) == (error.status_code, error.code, error.type)


@pytest.mark.parametrize("broken_at", ["response.weather", "response.created"])
def test_a_break_where_there_is_no_such_event_is_told(stream_of, broken_at):
    with ScriptedResponsesApi([Turn(CONTENT, broken=Break(broken_at, "fin", index=1))]) as api:
        stream_of(api)

    with pytest.raises(AssertionError, match=f"there is no {broken_at} 1"):
        api.assert_done()
