"""Adaptive thinking: asked for where the model takes it, and kept unchanged from turn to turn."""

from __future__ import annotations

import pytest

from fakes.messages_api_checks import Model
from fakes.messages_api_replies import (
    Error,
    RedactedThinking,
    Text,
    Thinking,
    ToolUse,
    Turn,
    bash,
    say,
)
from quickstarted.agents.claude.thinking import ADAPTIVE
from quickstarted.agents.claude.thinking import Thinking as Asked

TOUCH = ToolUse("bash", {"command": "touch done"})
NO_THINKING = Model(thinking=frozenset({"disabled"}))


def asked_for(attempted):
    calls = [request for request in attempted.requests if request.path == "/v1/messages"]
    return [request.body.get("thinking") for request in calls]


def test_it_is_asked_for_in_every_request(attempts):
    attempted = attempts.run(bash("true"), bash("touch done"), say("Done."))

    assert [{"type": "adaptive"}] * 3 == asked_for(attempted)


def test_a_model_that_does_not_take_it_is_asked_without_for_the_rest_of_the_attempt(attempts):
    attempts.models = {attempts.model: NO_THINKING}

    attempted = attempts.run(bash("touch done"), say("Done."), done=False)

    assert ("completed", "passed") == attempted.ending
    assert [{"type": "adaptive"}, None, None] == asked_for(attempted)
    (retry,) = attempted.of_type("api_retry")
    assert (400, 0) == (retry.status, retry.sleep)
    assert "asked again without thinking: " in retry.error
    assert "'adaptive' is not supported by this model" in retry.error


def test_one_attempt_learns_nothing_for_another(attempts, tmp_path):
    attempts.models = {attempts.model: NO_THINKING}

    first = attempts.run(say("No."), done=False)
    attempts.folder = tmp_path / "another"
    attempts.folder.mkdir()
    second = attempts.run(say("No."), done=False)

    assert [{"type": "adaptive"}, None] == asked_for(first) == asked_for(second)


def test_a_request_that_is_invalid_for_another_reason_is_refused_after_a_second_try(attempts):
    attempted = attempts.run(Error(400, message="Odd."), Error(400, message="Odd."))

    assert ("model_rejected", "harness_error") == attempted.ending
    assert "Odd." in attempted.result.fault.error


def test_once_a_reply_has_come_it_stays(attempts):
    attempted = attempts.run(bash("true"), Error(400))

    assert ("model_rejected", "harness_error") == attempted.ending
    assert [{"type": "adaptive"}] * 2 == asked_for(attempted)


def test_thoughts_go_back_as_they_came_readable_or_not(attempts):
    turn = Turn((Thinking("Hm."), RedactedThinking("b3BhcXVl"), Text("Now."), TOUCH))

    attempted = attempts.run(turn, say("Done."))

    assert ("completed", "passed") == attempted.ending
    thinking, redacted, *_ = attempted.requests[1].body["messages"][1]["content"]
    assert ("thinking", "Hm.", 64) == (
        thinking["type"],
        thinking["thinking"],
        len(thinking["signature"]),
    )
    assert {"type": "redacted_thinking", "data": "b3BhcXVl"} == redacted


@pytest.mark.parametrize(
    "cut",
    [
        Turn((Thinking("long", signature=""),), stop_reason="max_tokens"),
        Turn((Text("I think"), Thinking("long", signature="")), stop_reason="max_tokens"),
    ],
    ids=["nothing else", "after a text"],
)
def test_a_thought_that_was_cut_off_is_not_said_back(attempts, cut):
    attempted = attempts.run(cut, bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    messages = attempted.requests[1].body["messages"]
    kinds = [block["type"] for message in messages for block in message["content"]]
    assert "thinking" not in kinds
    assert "Your reply was cut off" in messages[-1]["content"][-1]["text"]


def test_it_is_given_up_once_and_only_before_the_first_reply():
    asked = Asked()

    assert ADAPTIVE == asked.parameters
    assert [True, False] == [asked.give_up(), asked.give_up()]
    assert {} == asked.parameters


def test_it_is_not_given_up_after_a_reply():
    asked = Asked()
    asked.works()

    assert asked.give_up() is False
    assert ADAPTIVE == asked.parameters
