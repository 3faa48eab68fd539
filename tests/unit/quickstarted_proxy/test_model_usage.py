import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy import model_usage
from quickstarted_proxy.model_apis import VENDORS
from quickstarted_proxy.model_usage import UsageReader


def sse(*events, end="\n"):
    return "".join(
        f"event: {event.get('type', '')}{end}data: {json.dumps(event)}{end}{end}"
        for event in events
    ).encode()


def read(vendor, body, kind="text/event-stream", pieces=1):
    reader = UsageReader(vendor, kind)
    size = max(len(body) // pieces, 1)
    for start in range(0, len(body), size):
        reader.feed(body[start : start + size])
    return reader.end()


def counts(usage):
    return (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_write_tokens,
        usage.cache_read_tokens,
    )


START = {
    "type": "message_start",
    "message": {
        "model": "claude-x",
        "stop_reason": None,
        "usage": {
            "input_tokens": 10,
            "output_tokens": 1,
            "cache_creation_input_tokens": 3,
            "cache_read_input_tokens": 5,
        },
    },
}
TEXT = {"type": "content_block_delta", "delta": {"type": "text_delta", "text": '"usage": 9'}}
STOP = {
    "type": "message_delta",
    "delta": {"stop_reason": "tool_use"},
    "usage": {"output_tokens": 20},
}
RESPONSE = {
    "id": "resp_1",
    "model": "gpt-x",
    "status": "completed",
    "usage": {
        "input_tokens": 30,
        "input_tokens_details": {"cached_tokens": 10},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 35,
    },
}
CHAT = {
    "model": "gpt-y",
    "choices": [{"finish_reason": "stop"}],
    "usage": {
        "prompt_tokens": 30,
        "prompt_tokens_details": {"cached_tokens": 10},
        "completion_tokens": 5,
    },
}
GEMINI = {
    "modelVersion": "gemini-x",
    "candidates": [{"finishReason": "STOP"}],
    "usageMetadata": {
        "promptTokenCount": 30,
        "cachedContentTokenCount": 10,
        "toolUsePromptTokenCount": 2,
        "candidatesTokenCount": 5,
        "thoughtsTokenCount": 4,
    },
}
TOLD = [
    ("anthropic", [START, TEXT, STOP], "claude-x", "tool_use", (10, 20, 3, 5)),
    ("anthropic", [START, TEXT], "claude-x", "", (10, 1, 3, 5)),
    (
        "openai",
        [
            {"type": "response.created", "response": {"model": "gpt-x", "status": "in_progress"}},
            {"type": "response.completed", "response": RESPONSE},
        ],
        "gpt-x",
        "completed",
        (20, 5, 0, 10),
    ),
    (
        "openai",
        [
            {
                "type": "response.incomplete",
                "response": {
                    **RESPONSE,
                    "status": "incomplete",
                    "incomplete_details": {"reason": "max_output_tokens"},
                },
            }
        ],
        "gpt-x",
        "max_output_tokens",
        (20, 5, 0, 10),
    ),
    (
        "openai",
        [{"model": "gpt-y", "choices": [{"finish_reason": None}]}, CHAT],
        "gpt-y",
        "stop",
        (20, 5, 0, 10),
    ),
    (
        "gemini",
        [{"usageMetadata": {"promptTokenCount": 30}, "modelVersion": "gemini-x"}, GEMINI],
        "gemini-x",
        "STOP",
        (22, 9, 0, 10),
    ),
]


@pytest.mark.parametrize(("pieces", "end"), [(1, "\n"), (2, "\r\n"), (7, "\n"), (1000, "\r\n")])
@pytest.mark.parametrize("told", TOLD)
def test_a_stream_says_model_ending_and_tokens(told, pieces, end):
    vendor, events, model, stop, tokens = told
    usage = read(vendor, sse(*events, end=end), pieces=pieces)

    assert (usage.model, usage.stop_reason) == (model, stop)
    assert counts(usage) == tokens
    assert usage.total == sum(tokens)
    assert usage.counted
    assert usage.error == ""


@pytest.mark.parametrize(
    ("vendor", "document", "model", "stop", "tokens"),
    [
        (
            "anthropic",
            {
                "model": "claude-x",
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 7, "output_tokens": 8},
            },
            "claude-x",
            "end_turn",
            (7, 8, 0, 0),
        ),
        ("openai", RESPONSE, "gpt-x", "completed", (20, 5, 0, 10)),
        ("openai", CHAT, "gpt-y", "stop", (20, 5, 0, 10)),
        ("gemini", GEMINI, "gemini-x", "STOP", (22, 9, 0, 10)),
        ("gemini", [GEMINI, GEMINI], "gemini-x", "STOP", (22, 9, 0, 10)),
        (
            "gemini",
            {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 3}},
            "",
            "SAFETY",
            (3, 0, 0, 0),
        ),
    ],
)
def test_a_reply_in_one_piece_says_the_same(vendor, document, model, stop, tokens):
    usage = read(vendor, json.dumps(document).encode(), "application/json; charset=utf-8", 3)

    assert (usage.model, usage.stop_reason, counts(usage)) == (model, stop, tokens)


@pytest.mark.parametrize(
    ("vendor", "document", "error"),
    [
        (
            "anthropic",
            {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}},
            "overloaded_error: Overloaded",
        ),
        (
            "openai",
            {"type": "response.failed", "response": {"error": {"code": "x", "message": "no"}}},
            "x: no",
        ),
        (
            "gemini",
            {"error": {"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED"}},
            "RESOURCE_EXHAUSTED: slow",
        ),
    ],
)
@pytest.mark.parametrize("streamed", [True, False])
def test_an_error_is_told_in_the_vendors_words(vendor, document, error, streamed):
    body = sse(document) if streamed else json.dumps(document).encode()

    usage = read(vendor, body, "text/event-stream" if streamed else "application/json")

    assert usage.error == error
    assert not usage.counted


def test_the_last_event_counts_also_without_the_blank_line_after_it():
    body = sse(START, STOP).rstrip(b"\n")

    assert counts(read("anthropic", body)) == (10, 20, 3, 5)


def test_an_event_of_several_data_lines_is_one_document():
    lines = json.dumps(STOP, indent=1).splitlines()
    body = "".join(f"data: {line}\n" for line in lines).encode() + b"\n"

    assert read("anthropic", body).stop_reason == "tool_use"


def test_an_event_beyond_reason_is_passed_over_and_the_next_one_counts(monkeypatch):
    monkeypatch.setattr(model_usage, "MAX_EVENT_BYTES", 1000)
    body = b"data: {" + b"x" * 5000 + b"\n\n" + sse(STOP)

    assert counts(read("anthropic", body, pieces=50)) == (0, 20, 0, 0)


@pytest.mark.parametrize("value", [-5, True, "7", None, 1.5, {}, [1]])
def test_what_is_no_count_is_none(value):
    document = {"usage": {"input_tokens": value, "output_tokens": 2}}

    assert counts(read("anthropic", json.dumps(document).encode(), "application/json")) == (
        0,
        2,
        0,
        0,
    )


@pytest.mark.parametrize("vendor", VENDORS)
@given(
    body=st.binary(max_size=300)
    | st.lists(
        st.sampled_from([b"data:", b"\n", b"\r\n", b'{"usage":', b'{"error":', b"}", b"[]", b"1"])
    ).map(b"".join),
    streamed=st.booleans(),
    pieces=st.integers(1, 9),
)
def test_no_bytes_raise_and_no_count_is_below_zero(vendor, body, streamed, pieces):
    usage = read(vendor, body, "text/event-stream" if streamed else "application/json", pieces)

    assert min(counts(usage)) >= 0
