"""Whatever the Gemini API does, the attempt ends in the classification of DESIGN's table."""

from __future__ import annotations

import subprocess
import sys

import pytest

from fakes.gemini_api_checks import Model
from fakes.gemini_api_replies import (
    WRONG_KEY,
    Break,
    Call,
    Error,
    Page,
    Text,
    Turn,
    bash,
    hang,
    quota,
    say,
)
from fakes.gemini_api_stream import error_document
from fakes.model_attempts import TASK
from fakes.scripted_http import Repeat

TOUCH = bash("touch done")
SHORT = TASK + "budgets: {max_seconds: 1.5, max_turns: 4}\n"
PASSED = ("completed", "passed")
REJECTED = ("model_rejected", "harness_error")
UNAVAILABLE = ("model_unavailable", "infra_error")
DECLINED = ("declined", "agent_refusal")
DAILY = quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier")
A_MINUTE = quota("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", retry_delay="0.01s")


def broken(how, index=0, **more):
    """A turn that breaks off before it calls a tool."""
    content = (Text("I will do it now."), Call("bash", {"command": "touch done"}))
    return Turn(content=content, broken=Break("chunk", how, index=index, **more))


def in_the_middle(error):
    """An error in the middle of a turn."""
    return broken("error", error=error_document(error))


@pytest.mark.parametrize(
    ("script", "ending"),
    [
        pytest.param([TOUCH, say("Done.")], PASSED, id="reached"),
        pytest.param([say("I cannot.")], ("completed", "docs_gap"), id="not reached"),
        pytest.param([TOUCH, Turn()], PASSED, id="an empty reply"),
        *(
            pytest.param([Turn(finish=reason)], DECLINED, id=reason)
            for reason in ("SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII")
        ),
        pytest.param([Turn(blocked="SAFETY")], DECLINED, id="a prompt that is blocked"),
        pytest.param([TOUCH, Turn(blocked="OTHER")], DECLINED, id="blocked in the middle"),
        *(
            pytest.param([Turn(finish=reason), TOUCH, say("Done.")], PASSED, id=reason)
            for reason in ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MAX_TOKENS")
        ),
        pytest.param([Turn(finish="OTHER"), TOUCH, say("Done.")], PASSED, id="OTHER, once"),
        pytest.param([Repeat(Turn(finish="OTHER"), 6)], UNAVAILABLE, id="OTHER"),
        pytest.param([TOUCH, Turn(finish="A_NEW_REASON")], PASSED, id="a new reason"),
        pytest.param([WRONG_KEY], REJECTED, id="wrong key"),
        pytest.param([Error(403)], REJECTED, id="no permission"),
        pytest.param([Error(404)], REJECTED, id="unknown model"),
        pytest.param([Error(400)], REJECTED, id="invalid request"),
        pytest.param([DAILY], REJECTED, id="no quota left today"),
        pytest.param([in_the_middle(DAILY)], REJECTED, id="no quota left, later"),
        pytest.param([Page("", 307, headers={"location": "/x"})], REJECTED, id="a redirect"),
        pytest.param([Error(413)], ("context_full", "budget_exhausted"), id="too large"),
        pytest.param([A_MINUTE, TOUCH, say("Done.")], PASSED, id="a quota of this minute"),
        pytest.param([Repeat(Error(429))], UNAVAILABLE, id="429 for ten minutes"),
        pytest.param([quota("PerMinute", retry_delay="600s")], UNAVAILABLE, id="429, later"),
        pytest.param([Repeat(Error(500), 6)], UNAVAILABLE, id="500"),
        pytest.param([Repeat(Error(503), 6)], UNAVAILABLE, id="503"),
        pytest.param([Repeat(Page("<html>Sign in</html>"), 6)], UNAVAILABLE, id="HTML"),
        pytest.param(
            [Repeat(Page("", content_type="text/event-stream"), 6)], UNAVAILABLE, id="nothing"
        ),
        pytest.param([Repeat(broken("garbage"), 6)], UNAVAILABLE, id="no JSON"),
        pytest.param([Repeat(broken("rst"), 6)], UNAVAILABLE, id="always cut"),
        pytest.param([Repeat(broken("end"), 6)], UNAVAILABLE, id="always ends early"),
        pytest.param([Repeat(Turn((Text("x"),), finish=None), 6)], UNAVAILABLE, id="no reason"),
        pytest.param(
            [Error(429), Error(500), broken("fin"), Error(408), broken("rst"), TOUCH, say("Done.")],
            PASSED,
            id="trouble that passes",
        ),
        pytest.param(
            [in_the_middle(Error(503)), TOUCH, say("Done.")], PASSED, id="an error in the middle"
        ),
        pytest.param([Repeat(bash("true"), 20)], ("max_turns", "budget_exhausted"), id="endless"),
    ],
)
def test_an_attempt_ends_as(attempts, script, ending):
    unlimited = any(isinstance(one, Repeat) and one.times is None for one in script)

    attempted = attempts.run(*script, done=not unlimited)

    assert ending == attempted.ending, attempted.result.fault


@pytest.mark.parametrize(
    ("script", "ending"),
    [
        ([hang()], ("max_seconds", "budget_exhausted")),
        ([broken("hang")], ("max_seconds", "budget_exhausted")),
        ([broken("beats")], ("max_seconds", "budget_exhausted")),
        ([say("x" * 500, chunk_pause_s=0.3)], ("max_seconds", "budget_exhausted")),
        ([bash("touch done; sleep 60")], ("max_seconds", "passed")),
    ],
    ids=["no answer", "silence in the middle", "only beats", "a trickle", "a long command"],
)
def test_the_end_of_the_time_interrupts(attempts, script, ending):
    attempts.body = SHORT

    attempted = attempts.run(*script)

    assert ending == attempted.ending
    assert attempted.result.duration_seconds < 20


@pytest.mark.parametrize("how", ["hang", "rst", "garbage"])
def test_a_reply_that_is_over_is_taken_whatever_its_connection_does_then(attempts, how):
    attempts.body = TASK + "budgets: {max_seconds: 30}\n"

    attempted = attempts.run(bash("touch done", broken=Break("chunk", how)), say("Done."))

    assert PASSED == attempted.ending
    assert [] == attempted.of_type("api_retry")


@pytest.mark.parametrize("silent", [hang(), broken("hang")], ids=["from the start", "later"])
def test_a_service_that_falls_silent_is_asked_again(attempts, silent):
    attempts.silence_s = 0.3

    attempted = attempts.run(silent, TOUCH, say("Done."))

    assert PASSED == attempted.ending
    (retry,) = attempted.of_type("api_retry")
    assert "the service did not answer in time" == retry.error


def test_the_service_is_not_told_to_hurry(attempts):
    attempts.silence_s = 5

    attempted = attempts.run(TOUCH, say("Done."))

    assert "x-server-timeout" not in attempted.requests[0].headers


def test_a_model_that_the_service_does_not_have_is_named_with_what_to_do(attempts):
    attempts.model = "gemini-0"
    attempts.models = {"gemini-test": Model()}

    attempted = attempts.run(done=False)

    assert REJECTED == attempted.ending
    assert "'gemini-0'" in attempted.result.fault.hint
    assert "--agent gemini:MODEL" in attempted.result.fault.hint


def test_a_wrong_key_is_named_by_its_variable_and_not_shown(attempts):
    attempts.key = "k-another"

    attempted = attempts.run(done=False)

    assert REJECTED == attempted.ending
    assert "Look at the key in GEMINI_API_KEY" in attempted.result.fault.hint
    assert "sk-test" not in attempted.result.fault.error


def test_without_a_key_nothing_is_started_and_the_variables_are_named(attempts):
    attempts.environ = {"GEMINI_API_KEY": ""}

    attempted = attempts.run()

    assert REJECTED == attempted.ending
    assert [] == attempted.of_type("sandbox_ready")
    assert (
        "neither QUICKSTARTED_GEMINI_API_KEY nor GEMINI_API_KEY nor GOOGLE_API_KEY is set"
        in attempted.result.fault.error
    )


def test_keys_in_variables_that_are_not_asked_are_nobodys_business(attempts, monkeypatch, caplog):
    monkeypatch.setenv("GOOGLE_API_KEY", "k-other")
    monkeypatch.setenv("GEMINI_API_KEY", "k-another")
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")

    attempted = attempts.run(TOUCH, say("Done."))

    assert PASSED == attempted.ending
    assert "" == caplog.text


def test_an_invalid_request_in_a_conversation_that_is_too_long_is_a_context_that_is_full(attempts):
    attempts.models = {attempts.model: Model(input_token_limit=5000)}
    long = bash("touch done; head -c 15000 /dev/zero | tr '\\0' x")

    attempted = attempts.run(long, Error(400))

    assert ("context_full", "passed") == attempted.ending


def test_a_service_that_is_not_there_is_tried_again_and_then_infra_error(attempts):
    attempts.environ = {"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:9"}

    attempted = attempts.run()

    assert UNAVAILABLE == attempted.ending
    assert "after 6 tries: the connection to the service failed" in attempted.result.fault.error


def test_without_the_vendors_package_the_message_names_the_extra():
    program = (
        "import sys; sys.modules['google.genai'] = None\n"
        "from quickstarted.agents import agent_named\n"
        "from quickstarted.errors import ModelRejected\n"
        "try: agent_named('gemini:x').prepare()\n"
        "except ModelRejected as rejected: print(rejected)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )

    assert "speaks through the package google-genai, which is not there" in ran.stdout
    assert "pip install 'quickstarted-harness[gemini]'" in ran.stdout


def test_a_turn_that_was_not_finished_still_counts_what_it_used(attempts):
    attempts.body = SHORT

    attempted = attempts.run(broken("hang"))

    (turn,) = attempted.of_type("agent_turn")
    assert ("unfinished", 100) == (turn.stop_reason, turn.input_tokens)
