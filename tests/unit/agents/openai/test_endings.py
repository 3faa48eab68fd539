"""Whatever the Responses API does, the attempt ends in the classification of DESIGN's table."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fakes.model_attempts import TASK
from fakes.responses_api_checks import Model
from fakes.responses_api_replies import (
    NO_QUOTA,
    TOO_LONG,
    Break,
    Call,
    Error,
    Page,
    Reasoning,
    Refusal,
    Text,
    Turn,
    bash,
    hang,
    say,
)
from fakes.scripted_http import Repeat

TOUCH = bash("touch done")
SHORT = TASK + "budgets: {max_seconds: 1.5, max_turns: 4}\n"
DELTA = "response.function_call_arguments.delta"
REJECTED = ("model_rejected", "harness_error")
UNAVAILABLE = ("model_unavailable", "infra_error")


def broken(after, how, **more):
    """A turn that breaks off in the middle of calling a tool."""
    content = (Text("I will."), Call("bash", {"command": "touch done"}))
    return Turn(content=content, broken=Break(after, how, **more))


def in_the_middle(code):
    """An error event in the middle of a turn."""
    document = {"type": "error", "code": code, "message": "No.", "param": None}
    return broken("response.created", "error", error={**document, "sequence_number": 9})


@pytest.mark.parametrize(
    ("script", "ending"),
    [
        pytest.param([TOUCH, say("Done.")], ("completed", "passed"), id="reached"),
        pytest.param([say("I cannot.")], ("completed", "docs_gap"), id="not reached"),
        pytest.param([TOUCH, Turn()], ("completed", "passed"), id="an empty reply"),
        pytest.param([TOUCH, Turn((Reasoning(),))], ("completed", "passed"), id="only reasoning"),
        pytest.param(
            [Turn((Refusal("No."),))], ("declined", "agent_refusal"), id="the model declines"
        ),
        pytest.param(
            [TOUCH, Turn((Text("So"),), incomplete="content_filter")],
            ("declined", "agent_refusal"),
            id="the filter declines",
        ),
        pytest.param(
            [Error(400, code="invalid_prompt")],
            ("declined", "agent_refusal"),
            id="the service declines",
        ),
        pytest.param(
            [Turn(failed="bio_policy")], ("declined", "agent_refusal"), id="it declines later"
        ),
        pytest.param([Error(401)], REJECTED, id="wrong key"),
        pytest.param([Error(403)], REJECTED, id="no permission"),
        pytest.param([Error(404)], REJECTED, id="unknown model"),
        pytest.param([Error(400)], REJECTED, id="invalid request"),
        pytest.param([NO_QUOTA], REJECTED, id="no quota left"),
        pytest.param([in_the_middle("insufficient_quota")], REJECTED, id="no quota left, later"),
        pytest.param([Error(429, code="billing_not_active")], REJECTED, id="no billing"),
        pytest.param([Page("", 307, headers={"location": "/x"})], REJECTED, id="a redirect"),
        pytest.param([TOO_LONG], ("context_full", "budget_exhausted"), id="too long"),
        pytest.param([TOUCH, TOO_LONG], ("context_full", "passed"), id="too long, and reached"),
        pytest.param(
            [in_the_middle("context_length_exceeded")],
            ("context_full", "budget_exhausted"),
            id="too long, later",
        ),
        pytest.param([Error(413)], ("context_full", "budget_exhausted"), id="too large"),
        pytest.param([Repeat(Error(429))], UNAVAILABLE, id="429 for ten minutes"),
        pytest.param([Error(429, headers={"retry-after": "600"})], UNAVAILABLE, id="429, later"),
        pytest.param([Repeat(Error(500), 6)], UNAVAILABLE, id="500"),
        pytest.param([Repeat(Error(503), 6)], UNAVAILABLE, id="503"),
        pytest.param([Repeat(Page("<html>Sign in</html>"), 6)], UNAVAILABLE, id="HTML"),
        pytest.param(
            [Repeat(Page("", content_type="text/event-stream"), 6)], UNAVAILABLE, id="nothing"
        ),
        pytest.param([Repeat(broken(DELTA, "garbage"), 6)], UNAVAILABLE, id="no JSON"),
        pytest.param([Repeat(broken(DELTA, "rst"), 6)], UNAVAILABLE, id="always cut"),
        pytest.param([Repeat(broken(DELTA, "end"), 6)], UNAVAILABLE, id="always ends early"),
        pytest.param([Repeat(Turn(failed="server_error"), 6)], UNAVAILABLE, id="always fails"),
        pytest.param(
            [
                *(Error(429), Error(500), broken("response.created", "fin"), Error(409)),
                *(Turn(failed="server_error"), TOUCH, say("Done.")),
            ],
            ("completed", "passed"),
            id="trouble that passes",
        ),
        pytest.param(
            [in_the_middle("rate_limit_exceeded"), TOUCH, say("Done.")],
            ("completed", "passed"),
            id="an error in the middle",
        ),
        pytest.param([Repeat(bash("true"), 20)], ("max_turns", "budget_exhausted"), id="endless"),
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
        ([broken(DELTA, "hang")], ("max_seconds", "budget_exhausted")),
        ([broken("response.created", "beats")], ("max_seconds", "budget_exhausted")),
        ([say("x" * 500, event_pause_s=0.3)], ("max_seconds", "budget_exhausted")),
        ([bash("touch done; sleep 60")], ("max_seconds", "passed")),
    ],
    ids=["no answer", "silence in the middle", "only comments", "a trickle", "a long command"],
)
def test_the_end_of_the_time_interrupts(attempts, script, ending):
    attempts.body = SHORT

    attempted = attempts.run(*script)

    assert ending == attempted.ending
    assert attempted.result.duration_seconds < 20


@pytest.mark.parametrize("how", ["hang", "rst", "garbage"])
def test_a_reply_that_is_over_is_taken_whatever_its_connection_does_then(attempts, how):
    attempts.body = TASK + "budgets: {max_seconds: 30}\n"

    attempted = attempts.run(
        bash("touch done", broken=Break("response.completed", how)), say("Done.")
    )

    assert ("completed", "passed") == attempted.ending
    assert [] == attempted.of_type("api_retry")


@pytest.mark.parametrize("silent", [hang(), broken(DELTA, "hang")], ids=["from the start", "later"])
def test_a_service_that_falls_silent_is_asked_again(attempts, silent):
    attempts.silence_s = 0.3

    attempted = attempts.run(silent, TOUCH, say("Done."))

    assert ("completed", "passed") == attempted.ending
    (retry,) = attempted.of_type("api_retry")
    assert "the service did not answer in time" == retry.error


def test_a_model_that_the_service_does_not_have_is_named_with_what_to_do(attempts):
    attempts.model = "gpt-0"
    attempts.models = {"gpt-test": Model()}

    attempted = attempts.run(done=False)

    assert REJECTED == attempted.ending
    assert "'gpt-0'" in attempted.result.fault.hint
    assert "--agent openai:MODEL" in attempted.result.fault.hint


def test_a_wrong_key_is_named_by_its_variable_and_not_shown(attempts):
    attempts.key = "sk-another"

    attempted = attempts.run(done=False)

    assert REJECTED == attempted.ending
    fault = attempted.result.fault
    assert "Look at the key in OPENAI_API_KEY" in fault.hint
    assert "sk-test" not in fault.error
    assert 1 == len(attempted.requests)


def test_without_a_key_nothing_is_started_and_the_variables_are_named(attempts):
    attempts.environ = {"OPENAI_API_KEY": ""}

    attempted = attempts.run()

    assert REJECTED == attempted.ending
    assert [] == attempted.of_type("sandbox_ready")
    assert (
        "neither QUICKSTARTED_OPENAI_API_KEY nor OPENAI_API_KEY is set"
        in attempted.result.fault.error
    )


def test_an_address_that_cannot_be_one_starts_nothing(attempts):
    attempts.environ = {"OPENAI_BASE_URL": "https://me:hunter2@gate.example"}

    attempted = attempts.run()

    assert REJECTED == attempted.ending
    assert [] == attempted.of_type("sandbox_ready")
    assert "hunter2" not in attempted.result.fault.error


def test_a_service_that_is_not_there_is_tried_again_and_then_infra_error(attempts):
    attempts.environ = {"OPENAI_BASE_URL": "http://127.0.0.1:9"}

    attempted = attempts.run()

    assert UNAVAILABLE == attempted.ending
    assert "after 6 tries: the connection to the service failed" in attempted.result.fault.error


def test_without_the_vendors_package_the_message_names_the_extra():
    program = (
        "import sys; sys.modules['openai'] = None\n"
        "from quickstarted.agents import agent_named\n"
        "from quickstarted.errors import ModelRejected\n"
        "try: agent_named('openai:x').prepare()\n"
        "except ModelRejected as rejected: print(rejected)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert "speaks through the package openai, which is not there" in ran.stdout
    assert "pip install 'quickstarted-harness[openai]'" in ran.stdout


def test_no_tool_runs_twice_when_a_reply_has_to_be_asked_for_again(attempts):
    attempted = attempts.run(
        broken("response.output_item.done", "rst", index=1),
        bash("echo once >> done"),
        say("Done."),
    )

    assert ("completed", "passed") == attempted.ending
    assert ["echo once >> done"] == [event.command for event in attempted.of_type("tool_call")]
