"""Streams whose chunks are not what the Gemini API documents, over the real SDK."""

from __future__ import annotations

import json

import pytest

from fakes.gemini_api_replies import Page, bash
from fakes.scripted_http import Repeat
from quickstarted.agents.gemini.stream import Assembly

TEXT = {"content": {"role": "model", "parts": [{"text": "Hi."}]}, "finishReason": "STOP"}


def stream(*chunks):
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return Page("".join(lines), content_type="text/event-stream")


def candidate(**fields):
    return {"candidates": [{**TEXT, **fields}]}


def parts(*found):
    return candidate(content={"role": "model", "parts": list(found)})


@pytest.mark.parametrize(
    "chunk",
    [
        pytest.param(5, id="a number"),
        pytest.param([1, 2], id="a list"),
        pytest.param("text", id="a text"),
        pytest.param({"candidates": 5}, id="candidates are a number"),
        pytest.param({"candidates": ["x"]}, id="a candidate is text"),
        pytest.param({"error": "bad"}, id="an error that is text"),
        pytest.param(candidate(content=5), id="content is a number"),
        pytest.param(parts(5), id="a part is a number"),
        pytest.param(parts({"text": 5}), id="text is a number"),
        pytest.param(parts({"functionCall": {"name": 5}}), id="a name is a number"),
        pytest.param(parts({"functionCall": {"name": "bash", "args": [1]}}), id="args are a list"),
        pytest.param(
            {**candidate(), "usageMetadata": {"promptTokenCount": "many"}}, id="a count is text"
        ),
        pytest.param(
            {**candidate(), "usageMetadata": {"promptTokenCount": -1}}, id="a count is negative"
        ),
    ],
)
def test_a_stream_that_cannot_be_read_is_tried_again_and_then_infra_error(attempts, chunk):
    attempted = attempts.run(Repeat(stream(chunk), 6))

    assert ("model_unavailable", "infra_error") == attempted.ending
    assert "the service's stream" in attempted.result.fault.error


@pytest.mark.parametrize(
    "chunks",
    [
        pytest.param([candidate()], id="no usage and no model"),
        pytest.param([{**candidate(), "mood": "good"}], id="a new field"),
        pytest.param([candidate(mood="good")], id="a new field of a candidate"),
        pytest.param([parts({"smell": "sweet"})], id="a new part"),
        pytest.param([candidate(finishReason="TIRED")], id="a new reason"),
        pytest.param([candidate(content=None)], id="no content"),
        pytest.param([{"candidates": []}, candidate()], id="no candidate at first"),
        pytest.param([{"candidates": [TEXT, TEXT]}], id="two candidates"),
        pytest.param([candidate(), candidate()], id="a reason with each chunk"),
        pytest.param(
            [{"promptFeedback": {"safetyRatings": []}}, candidate()], id="ratings of the prompt"
        ),
    ],
)
def test_what_is_missing_or_new_in_a_stream_changes_nothing(attempts, chunks):
    attempted = attempts.run(bash("touch done"), stream(*chunks))

    assert ("completed", "passed") == attempted.ending


def test_usage_that_comes_after_the_end_is_counted(attempts):
    late = {"usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3}}

    attempted = attempts.run(stream(candidate(), late))

    assert 10 == attempted.result.tokens.total


def test_a_call_without_a_name_is_answered(attempts):
    attempted = attempts.run(stream(parts({"functionCall": {"args": {}}})), done=False)

    assert "there is no tool of this name" in attempted.of_type("tool_call")[0].refused


def test_what_is_no_chunk_cannot_be_read():
    with pytest.raises(ValueError, match="a chunk that is a dict"):
        Assembly("m", turn=1).take({})
