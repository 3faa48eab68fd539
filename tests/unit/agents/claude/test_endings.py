"""Whatever the service does, the attempt ends in the classification of DESIGN's table."""

from __future__ import annotations

import pytest

from fakes.messages_api_checks import Model
from fakes.messages_api_replies import (
    Break,
    Error,
    Page,
    Text,
    ToolUse,
    Turn,
    bash,
    call,
    hang,
    say,
)
from fakes.model_attempts import TASK
from fakes.scripted_http import Repeat

TOUCH = bash("touch done")
SHORT = TASK + "budgets: {max_seconds: 1.5, max_turns: 4}\n"


def broken(after, how, **more):
    """A turn that breaks off in the middle of calling a tool."""
    content = (Text("I will."), ToolUse("bash", {"command": "touch done"}))
    return Turn(content=content, broken=Break(after, how, **more))


@pytest.mark.parametrize(
    ("script", "ending"),
    [
        pytest.param([TOUCH, say("Done.")], ("completed", "passed"), id="reached"),
        pytest.param([say("I cannot.")], ("completed", "docs_gap"), id="not reached"),
        pytest.param([TOUCH, Turn()], ("completed", "passed"), id="an empty reply"),
        pytest.param(
            [Turn(content=(Text("No."),), stop_reason="refusal")],
            ("declined", "agent_refusal"),
            id="declined",
        ),
        pytest.param(
            [TOUCH, Turn(content=(Text("No."),), stop_reason="refusal")],
            ("declined", "agent_refusal"),
            id="declined in the middle",
        ),
        pytest.param([Error(401)], ("model_rejected", "harness_error"), id="wrong key"),
        pytest.param([Error(403)], ("model_rejected", "harness_error"), id="no permission"),
        pytest.param([Error(404)], ("model_rejected", "harness_error"), id="unknown model"),
        pytest.param([Error(402)], ("model_rejected", "harness_error"), id="no credit"),
        pytest.param(
            [Repeat(Error(400), 2)], ("model_rejected", "harness_error"), id="invalid request"
        ),
        pytest.param([Error(413)], ("context_full", "budget_exhausted"), id="request too large"),
        pytest.param(
            [TOUCH, Turn(stop_reason="model_context_window_exceeded")],
            ("context_full", "passed"),
            id="context full, and reached all the same",
        ),
        pytest.param(
            [Repeat(Error(429))], ("model_unavailable", "infra_error"), id="429 for ten minutes"
        ),
        pytest.param(
            [Error(429, retry_after_s=600)], ("model_unavailable", "infra_error"), id="429, later"
        ),
        pytest.param([Repeat(Error(529))], ("model_unavailable", "infra_error"), id="overloaded"),
        pytest.param([Repeat(Error(500), 6)], ("model_unavailable", "infra_error"), id="500"),
        pytest.param(
            [Repeat(Page("<html>Sign in</html>"), 6)],
            ("model_unavailable", "infra_error"),
            id="HTML",
        ),
        pytest.param(
            [Repeat(Page("", content_type="text/event-stream"), 6)],
            ("model_unavailable", "infra_error"),
            id="nothing",
        ),
        pytest.param(
            [Repeat(broken("content_block_delta", "garbage"), 6)],
            ("model_unavailable", "infra_error"),
            id="a stream that is not JSON",
        ),
        pytest.param(
            [Repeat(broken("content_block_delta", "rst", block=1), 6)],
            ("model_unavailable", "infra_error"),
            id="always cut in the middle",
        ),
        pytest.param(
            [Error(429), Error(500), broken("message_start", "fin"), TOUCH, say("Done.")],
            ("completed", "passed"),
            id="trouble that passes",
        ),
        pytest.param(
            [broken("content_block_stop", "error"), TOUCH, say("Done.")],
            ("completed", "passed"),
            id="an error in the middle",
        ),
        pytest.param([Repeat(bash("true"), 20)], ("max_turns", "budget_exhausted"), id="endless"),
        pytest.param([Repeat(TOUCH, 20)], ("max_turns", "passed"), id="endless, and reached"),
    ],
)
def test_an_attempt_ends_as(attempts, script, ending):
    unlimited = any(isinstance(one, Repeat) and one.times is None for one in script)

    attempted = attempts.run(*script, done=not unlimited)

    assert ending == attempted.ending


@pytest.mark.parametrize(
    ("script", "ending"),
    [
        ([hang()], ("max_seconds", "budget_exhausted")),
        ([broken("content_block_delta", "hang")], ("max_seconds", "budget_exhausted")),
        ([broken("message_start", "pings")], ("max_seconds", "budget_exhausted")),
        (
            [Turn(content=(Text("x" * 500),), event_pause_s=0.3)],
            ("max_seconds", "budget_exhausted"),
        ),
        ([bash("touch done; sleep 60")], ("max_seconds", "passed")),
    ],
    ids=["no answer", "silence in the middle", "only pings", "a trickle", "a long command"],
)
def test_the_end_of_the_time_interrupts(attempts, script, ending):
    attempts.body = SHORT

    attempted = attempts.run(*script)

    assert ending == attempted.ending
    assert attempted.result.duration_seconds < 20


def test_an_invalid_request_in_a_conversation_that_is_too_long_is_a_context_that_is_full(attempts):
    attempts.models = {attempts.model: Model(context_tokens=2000)}
    long = bash("touch done; head -c 15000 /dev/zero | tr '\\0' x")

    attempted = attempts.run(long, Error(400))

    assert ("context_full", "passed") == attempted.ending


def test_a_model_that_the_service_does_not_have_is_named_with_what_to_do(attempts):
    attempts.model = "claude-sonnet-0"
    attempts.models = {"claude-sonnet-5-5": Model()}

    attempted = attempts.run(done=False)

    assert ("model_rejected", "harness_error") == attempted.ending
    fault = attempted.result.fault
    assert "model_access" == fault.component
    assert "'claude-sonnet-0'" in fault.hint


def test_a_service_that_is_not_there_is_tried_again_and_then_infra_error(attempts):
    attempts.environ = {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}

    attempted = attempts.run()

    assert ("model_unavailable", "infra_error") == attempted.ending
    assert "after 6 tries: the connection to the service failed" in attempted.result.fault.error
    assert 5 == len(attempted.of_type("api_retry"))


@pytest.mark.parametrize(
    "silent", [hang(), broken("content_block_delta", "hang")], ids=["from the start", "in between"]
)
def test_a_service_that_falls_silent_is_asked_again(attempts, silent):
    attempts.silence_s = 0.3

    attempted = attempts.run(silent, TOUCH, say("Done."))

    assert ("completed", "passed") == attempted.ending
    (retry,) = attempted.of_type("api_retry")
    assert "the service did not answer in time" == retry.error


@pytest.mark.parametrize("how", ["hang", "rst", "garbage"])
def test_a_reply_that_is_over_is_taken_whatever_its_connection_does_then(attempts, how):
    attempts.body = TASK + "budgets: {max_seconds: 30}\n"

    attempted = attempts.run(
        call("bash", {"command": "touch done"}, broken=Break("message_stop", how)), say("Done.")
    )

    assert ("completed", "passed") == attempted.ending
    assert [] == attempted.of_type("api_retry")


def test_a_service_that_breaks_is_asked_for_nothing_else(attempts):
    attempted = attempts.run(Repeat(Error(500), 6))

    assert ["POST /v1/messages"] * 6 == [
        f"{request.method} {request.path.partition('?')[0]}" for request in attempted.requests
    ]


def test_a_turn_that_was_not_finished_still_counts_what_it_used(attempts):
    attempts.body = SHORT

    attempted = attempts.run(broken("content_block_delta", "hang"))

    (turn,) = attempted.of_type("agent_turn")
    assert ("unfinished", 100) == (turn.stop_reason, turn.input_tokens)
    assert 100 == attempted.result.tokens.input_tokens


def test_no_tool_runs_twice_when_a_reply_has_to_be_asked_for_again(attempts):
    once = call("bash", {"command": "echo once >> done"})

    attempted = attempts.run(broken("content_block_stop", "rst", block=1), once, say("Done."))

    assert ("completed", "passed") == attempted.ending
    assert ["echo once >> done"] == [event.command for event in attempted.of_type("tool_call")]
