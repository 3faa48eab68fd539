"""
What the vendor's real SDK makes of each fault that the scripted Messages API can have.

These are the errors that an agent sees: which of them the SDK wraps, and which come as they are
from its HTTP library.
"""

from __future__ import annotations

import email.utils
import json
import threading
import time

import anthropic
import httpx2
import pytest

from contract.vendor_clients import CLIENTS, HELLO, MODEL, SyncClient, connect
from fakes.messages_api import ScriptedMessagesApi
from fakes.messages_api_replies import Break, Error, Page, Text, ToolUse, Turn, bash, hang, say
from fakes.scripted_http_steps import Repeat

TWO_BLOCKS = (Text("I look."), ToolUse("bash", {"command": "cat /etc/hosts /etc/passwd"}))


@pytest.fixture(params=CLIENTS, name="kind")
def _kind(request):
    return CLIENTS[request.param]


@pytest.fixture(params=["create", "stream"], name="way")
def _way(request):
    return request.param


@pytest.fixture(name="ask")
def _ask(kind, way):
    def ask(api, timeout_s=600.0, **more):
        return getattr(kind(api, timeout=timeout_s), way)(**more)

    return ask


@pytest.fixture(name="stream_of")
def _stream_of(kind):
    """The types of the events that arrive, and the error that ends them, if one does."""

    def stream_of(api, timeout_s=600.0):
        seen = []
        try:
            kind(api, timeout=timeout_s).events(seen)
        except Exception as error:  # noqa: BLE001 - whatever it is, the test looks at it
            return [event.type for event in seen], error
        return [event.type for event in seen], None

    return stream_of


@pytest.mark.parametrize(
    ("status", "error_type", "expected"),
    [
        (400, "invalid_request_error", anthropic.BadRequestError),
        (401, "authentication_error", anthropic.AuthenticationError),
        (402, "billing_error", anthropic.APIStatusError),
        (403, "permission_error", anthropic.PermissionDeniedError),
        (404, "not_found_error", anthropic.NotFoundError),
        (409, "conflict_error", anthropic.ConflictError),
        (413, "request_too_large", anthropic.APIStatusError),
        (429, "rate_limit_error", anthropic.RateLimitError),
        (500, "api_error", anthropic.InternalServerError),
        (504, "timeout_error", anthropic.APIStatusError),
        (529, "overloaded_error", anthropic.APIStatusError),
    ],
)
def test_an_error_has_the_service_s_document(ask, status, error_type, expected):
    with ScriptedMessagesApi([Error(status, message="No.")]) as api, pytest.raises(expected) as e:
        ask(api)
    api.assert_done()

    assert (status, error_type) == (e.value.status_code, e.value.type)
    assert "No." == e.value.api_message
    assert e.value.request_id == e.value.body["request_id"]
    assert e.value.request_id.startswith("req_")


def test_an_error_may_have_a_type_and_details_of_its_own(ask):
    error = Error(429, "overloaded_error", details={"error_code": "ramp_limit_exceeded"})
    with ScriptedMessagesApi([error]) as api, pytest.raises(anthropic.RateLimitError) as e:
        ask(api)

    assert ("overloaded_error", "ramp_limit_exceeded") == (e.value.type, e.value.error_code)


def test_retry_after_in_seconds_is_sent(ask):
    error = Error(429, retry_after_s=1.5, headers={"x-should-retry": "true", "request-id": "mine"})
    with ScriptedMessagesApi([error]) as api, pytest.raises(anthropic.RateLimitError) as e:
        ask(api)
    headers = e.value.response.headers

    assert ("1.5", "true", "mine") == tuple(
        headers[name] for name in ("retry-after", "x-should-retry", "request-id")
    )
    assert ["mine"] == headers.get_list("request-id")


def test_retry_after_as_a_date_is_sent(ask):
    before = int(time.time())
    error = Error(529, retry_after_date_s=60)
    with ScriptedMessagesApi([error]) as api, pytest.raises(anthropic.APIStatusError) as e:
        ask(api)
    date = e.value.response.headers["retry-after"]

    assert date.endswith(" GMT")
    assert before + 60 <= email.utils.parsedate_to_datetime(date).timestamp() <= time.time() + 60


def test_the_sdk_s_own_retries_reach_the_next_reply():
    script = [Error(429, headers={"retry-after-ms": "1"}), say("Now.")]
    with ScriptedMessagesApi(script) as api:
        message = SyncClient(api, max_retries=1).create()
    api.assert_done()

    assert "Now." == message.content[0].text


def test_an_error_can_last_for_ever():
    with ScriptedMessagesApi([Repeat(Error(429))]) as api:
        for _ in range(5):
            with pytest.raises(anthropic.RateLimitError):
                SyncClient(api).create()
    api.assert_done()

    assert 5 == len(api.requests)


@pytest.mark.parametrize("how", ["fin", "rst"])
def test_a_connection_closed_before_any_answer_is_a_connection_error(ask, how):
    script = [say("x", broken=Break("nothing", how))]
    with ScriptedMessagesApi(script) as api, pytest.raises(anthropic.APIConnectionError):
        ask(api)

    assert ["cut"] == [one.ending for one in api.requests]


@pytest.mark.parametrize("how", ["fin", "rst"])
@pytest.mark.parametrize("after", ["headers", "message_start"])
def test_a_document_that_stops_half_way_is_a_connection_error(kind, how, after):
    script = [say("x", broken=Break(after, how))]
    with ScriptedMessagesApi(script) as api, pytest.raises(anthropic.APIConnectionError):
        kind(api).create()


def test_half_a_document_that_ends_in_good_order_is_no_json(kind):
    script = [say("x", broken=Break("message_start", "end"))]
    with ScriptedMessagesApi(script) as api, pytest.raises(json.JSONDecodeError):
        kind(api).create()


OPENED = ["message_start", "content_block_start"]
POINTS = {
    "headers": (Break("headers", "fin"), []),
    "message_start": (Break("message_start", "fin"), OPENED[:1]),
    "block": (Break("content_block_start", "fin"), OPENED),
    "input": (
        Break("content_block_delta", "fin", block=1),
        [
            *(*OPENED, "content_block_delta", "content_block_stop"),
            *("content_block_start", "content_block_delta", "content_block_delta"),
        ],
    ),
    "stop": (Break("message_delta", "fin"), [..., "content_block_stop", "message_delta"]),
}


def broken_at(point, how):
    """A turn that breaks there, and the events that still arrive."""
    at, events = POINTS[point]
    return Turn(TWO_BLOCKS, broken=Break(at.after, how, block=at.block)), events


def assert_events(expected, seen):
    """`...` stands for any events."""
    tail = [one for one in expected if one is not ...]
    assert tail == (seen[-len(tail) :] if ... in expected and tail else seen)


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
    turn, events = broken_at(point, how)
    with ScriptedMessagesApi([turn]) as api:
        seen, error = stream_of(api)

    assert_events(events, seen)
    assert expected is type(error)


@pytest.mark.parametrize("point", POINTS)
def test_a_stream_that_just_ends_raises_nothing(stream_of, point):
    turn, events = broken_at(point, "end")
    with ScriptedMessagesApi([turn]) as api:
        seen, error = stream_of(api)

    assert_events(events, seen)
    assert error is None


def test_the_helper_takes_a_stream_that_just_ends_for_a_message(kind):
    with ScriptedMessagesApi([Turn(TWO_BLOCKS, broken=Break("content_block_stop", "end"))]) as api:
        message = kind(api).stream()

    assert message.stop_reason is None
    assert ["text"] == [block.type for block in message.content]


@pytest.mark.parametrize("point", POINTS)
def test_an_error_event_raises_an_error_with_the_stream_s_status(stream_of, point):
    turn, events = broken_at(point, "error")
    with ScriptedMessagesApi([turn]) as api:
        seen, error = stream_of(api)

    assert_events(events, seen)
    assert anthropic.APIStatusError is type(error)
    assert ("overloaded_error", 200) == (error.type, error.status_code)


@pytest.mark.parametrize("point", POINTS)
def test_garbage_in_a_stream_raises_a_json_error(stream_of, point):
    turn, events = broken_at(point, "garbage")
    with ScriptedMessagesApi([turn]) as api:
        seen, error = stream_of(api)

    assert_events(events, seen)
    assert json.JSONDecodeError is type(error)


def test_no_answer_at_all_is_a_timeout(ask):
    with ScriptedMessagesApi([hang()]) as api:
        with pytest.raises(anthropic.APITimeoutError):
            ask(api, timeout_s=0.2)
        api.wait_for(1, ending="client_left")

    assert 1 == len(api.requests)


@pytest.mark.parametrize("point", POINTS)
def test_a_stream_that_falls_silent_is_the_http_library_s_timeout(stream_of, point):
    turn, events = broken_at(point, "hang")
    with ScriptedMessagesApi([turn]) as api:
        seen, error = stream_of(api, timeout_s=0.3)

    assert_events(events, seen)
    assert httpx2.ReadTimeout is type(error)


def test_pings_keep_a_stream_from_timing_out():
    """So a deadline has to be the caller's own; this one closes the connection."""
    seen = []

    def read(api):
        with (
            connect(api, timeout=0.3) as client,
            client.messages.create(
                model=MODEL, max_tokens=9, messages=[HELLO], stream=True
            ) as stream,
        ):
            threading.Timer(0.8, stream.close).start()
            seen.extend(event.type for event in stream)

    with ScriptedMessagesApi([bash("ls", broken=Break("message_start", "pings"))]) as api:
        with pytest.raises(httpx2.TransportError):
            read(api)
        api.wait_for(1, ending="client_left")

    assert ["message_start"] == seen


def test_a_server_that_goes_away_ends_what_hangs():
    errors = []

    def ask(api):
        try:
            SyncClient(api).create()
        except anthropic.APIConnectionError as error:
            errors.append(error)

    with ScriptedMessagesApi([hang()]) as api:
        asking = threading.Thread(target=ask, args=(api,))
        asking.start()
        api.wait_for(1)
    asking.join(30)

    assert 1 == len(errors)


@pytest.mark.parametrize(
    "page", [Page("<html><body>Welcome</body></html>"), Page(""), Page("", content_type="text/x")]
)
def test_a_page_instead_of_a_document_comes_back_as_its_text(kind, page):
    with ScriptedMessagesApi([page]) as api:
        answer = kind(api).create()

    assert page.body == answer


def test_nothing_instead_of_a_document_is_no_json(kind):
    page = Page("", content_type="application/json")
    with ScriptedMessagesApi([page]) as api, pytest.raises(json.JSONDecodeError):
        kind(api).create()


@pytest.mark.parametrize("body", ["", "<html><body>Welcome</body></html>", "data: {\n\n"])
def test_a_page_instead_of_a_stream_is_a_stream_without_events(stream_of, body):
    with ScriptedMessagesApi([Page(body)]) as api:
        seen, error = stream_of(api)

    assert ([], None) == (seen, error)


@pytest.mark.parametrize("status", [404, 502])
def test_a_page_with_an_error_s_status_is_an_error_without_a_type(ask, status):
    page = Page("<h1>Bad Gateway</h1>", status)
    with ScriptedMessagesApi([page]) as api, pytest.raises(anthropic.APIStatusError) as e:
        ask(api)

    assert (status, None) == (e.value.status_code, e.value.type)
