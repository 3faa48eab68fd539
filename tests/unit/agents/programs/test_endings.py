"""What it means that a program has ended, from all that is known of it."""

from dataclasses import replace

import pytest

from quickstarted.agents.programs.endings import End, stop_reason_of
from quickstarted.agents.programs.program import Ended
from quickstarted.agents.programs.services import access_to
from quickstarted.errors import CommandUnusable, ModelRejected, ModelUnavailable, ProgramFailed
from quickstarted.events import CommandResult, Usage
from quickstarted.sandbox.protocol import ModelCall
from quickstarted.verdict import StopReason

KEY = "sk-ant-0123456789"
ACCESS = access_to("anthropic", {"ANTHROPIC_API_KEY": KEY})
SAID = Ended(text="Done.")
PRINTED = Ended(text="Done.", is_said=False)


def end(exit_code=0, ended=SAID, note="", **fields):
    result = CommandResult(exit_code=exit_code, output="", output_bytes=0, duration=1.0, note=note)
    usual = {
        "agent": "claude-code",
        "program": "claude-code 1.2",
        "model": "m",
        "broke_off": False,
        "failed": None,
        "stop_reason": "end_turn",
        "access": {"anthropic": ACCESS},
        "last_error": "",
    }
    return End(result=result, ended=ended, **(usual | fields))


def failed(status=None, error="x: words", refused=""):
    return ModelCall(
        ts=0.0,
        host="api.anthropic.com",
        vendor="anthropic",
        path="/v1/messages",
        status=status,
        duration=1.0,
        model="",
        stop_reason="",
        usage=Usage(),
        counted=False,
        error=error,
        refused=refused,
    )


@pytest.mark.parametrize(
    ("known", "stop"),
    [
        (end(), StopReason.COMPLETED),
        (end(ended=PRINTED), StopReason.COMPLETED),
        (end(failed=failed(529)), StopReason.COMPLETED),
        (end(stop_reason="refusal"), StopReason.DECLINED),
        (end(1, None, stop_reason="refusal"), StopReason.DECLINED),
        (end(1, stop_reason="model_context_window_exceeded"), StopReason.CONTEXT_FULL),
        (end(1, failed=failed(413)), StopReason.CONTEXT_FULL),
        (
            end(1, failed=failed(400, "context_length_exceeded: x")),
            StopReason.CONTEXT_FULL,
        ),
    ],
)
def test_why_the_agent_stopped(known, stop):
    assert stop is stop_reason_of(known)


@pytest.mark.parametrize(
    ("known", "kind", "message", "hint"),
    [
        (end(1, failed=failed(529)), ModelUnavailable, "gave up: 529 x: words", "later"),
        (end(1, failed=failed(None)), ModelUnavailable, "gave up: x: words", "later"),
        (end(1, failed=failed(200, "")), ModelUnavailable, "200 the service's answer", "later"),
        (end(0, PRINTED, failed=failed(503)), ModelUnavailable, "gave up", "later"),
        (end(1, failed=failed(401)), ModelRejected, "401 x", "the key in ANTHROPIC_API_KEY"),
        (end(1, failed=failed(403)), ModelRejected, "403 x", "what they may be used for"),
        (end(1, failed=failed(402)), ModelRejected, "402 x", "has no means left"),
        (
            end(1, failed=failed(429, "insufficient_quota: x")),
            ModelRejected,
            "429 insufficient_quota",
            "has no means left",
        ),
        (end(1, failed=failed(404)), ModelRejected, "404 x", "Is there a model 'm'?"),
        (end(1, failed=failed(400)), ModelRejected, "400 x", "does the account work"),
        (
            end(1, failed=failed(None, "it asks for web_search", "hosted_tool:web_search")),
            ModelRejected,
            "it asks for web_search",
            "turn that off in the program",
        ),
        (end(1, None), ProgramFailed, "claude-code 1.2 ended with exit code 1", "agent.stderr"),
        (end(139, None), ProgramFailed, "was ended by SIGSEGV", "agent.stderr"),
        (end(255, None), ProgramFailed, "ended with exit code 255", "agent.stderr"),
        (
            end(137, None, note="killed: out of memory (limit 4g)"),
            ProgramFailed,
            "was ended by SIGKILL (killed: out of memory (limit 4g))",
            "agent.stderr",
        ),
        (end(0, None), ProgramFailed, "did not say that it was done", "agent.stderr"),
        (end(0, None, broke_off=True), ProgramFailed, "breaks off within a line", "agent.stderr"),
        (
            end(1, Ended(text="first\nAPI Error: 1", failed=True)),
            ProgramFailed,
            "exit code 1: API Error: 1",
            "agent.stderr",
        ),
        (end(1, None, last_error="panic"), ProgramFailed, "exit code 1: panic", "agent.stderr"),
        (end(127, PRINTED), CommandUnusable, "is not there", "in the task's image"),
        (end(126, PRINTED), CommandUnusable, "cannot be started", "in the task's image"),
        (end(127, None), ProgramFailed, "ended with exit code 127", "agent.stderr"),
    ],
)
def test_what_is_no_end_of_the_work_says_whose_it_is_to_mend(known, kind, message, hint):
    with pytest.raises(kind) as caught:
        stop_reason_of(known)

    assert message in caught.value.message
    assert hint in caught.value.hint


def test_the_key_is_in_nothing_that_is_said():
    known = replace(end(1), failed=failed(401, f"authentication_error: {KEY} is wrong"))
    with pytest.raises(ModelRejected) as caught:
        stop_reason_of(known)

    assert KEY not in str(caught.value)
