"""What goes to the Responses API and what comes back: tools, history, reasoning, tokens."""

from __future__ import annotations

import json

import pytest

from fakes.model_attempts import TASK
from fakes.responses_api_checks import Model
from fakes.responses_api_replies import (
    Call,
    Error,
    Reasoning,
    Refusal,
    Text,
    Turn,
    Usage,
    bash,
    say,
)
from quickstarted.agents.openai.stream import usage_of
from quickstarted.agents.openai.wire import Counts


def outputs(attempted):
    """What the model got back for its calls, in order."""
    items = attempted.requests[-1].body["input"]
    return [item for item in items if item.get("type") == "function_call_output"]


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (Call("shell", {"command": "true"}), "there is no tool of this name"),
        (Call("bash", {}), "command: there is none"),
        (Call("bash", {"command": 5}), "command: Input should be a valid string"),
        (Call("bash", raw=""), "command: there is none"),
        (Call("bash", raw='{"command": "tou'), "the input is not JSON, or was cut off"),
        (Call("bash", raw='["true"]'), "the input must be a JSON object, not list"),
        (Call("bash", raw="[" * 100_000), "the input is not JSON, or was cut off"),
        (Call("read_docs", {"url": "https://docs.example/", "page": 0}), "page: Input should"),
    ],
)
def test_a_call_that_cannot_be_carried_out_is_answered_and_recorded(attempts, call, why):
    attempted = attempts.run(Turn((call,)), bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    assert why in attempted.of_type("tool_call")[0].refused
    assert why in outputs(attempted)[0]["output"]
    assert 1 == attempted.result.commands


def test_5_mb_of_arguments_that_are_cut_off_are_answered(attempts):
    cut = Turn(
        (Call("bash", raw='{"command": "' + "x" * 5_000_000),), incomplete="max_output_tokens"
    )

    attempted = attempts.run(cut, bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    assert "was cut off" in outputs(attempted)[0]["output"]
    assert attempted.requests[1].body_bytes < 100_000


def test_5_mb_of_arguments_are_carried_out_as_any_others(attempts):
    attempted = attempts.run(bash("echo " + "x" * 5_000_000), bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    assert "[the command was not run: it has 5,000,005 bytes" in outputs(attempted)[0]["output"]


def test_calls_of_one_turn_are_answered_together_in_their_order(attempts):
    both = Turn(
        (
            Text("Both."),
            Call("bash", {"command": "echo one; touch done"}),
            Call("read_docs", {"url": "https://docs.example/"}),
            Call("nothing", {}),
        )
    )
    attempted = attempts.run(both, say("Done."))

    assert ("completed", "passed") == attempted.ending
    texts = [output["output"] for output in outputs(attempted)]
    assert "one\n[exit code 0]" == texts[0]
    assert "Do as you are told." in texts[1]
    assert "there is no tool of this name" in texts[2]
    asked = [event.call_id for event in attempted.of_type("tool_call")]
    assert asked == [output["call_id"] for output in outputs(attempted)]
    assert "Both." == attempted.of_type("agent_turn")[0].text


def test_nothing_is_stored_and_no_hosted_tool_is_offered(attempts):
    attempted = attempts.run(bash("touch done"), say("Done."))

    for request in attempted.requests:
        assert request.body["store"] is False
        assert request.body["stream"] is True
        assert ["reasoning.encrypted_content"] == request.body["include"]
        assert "previous_response_id" not in request.body
        tools = request.body["tools"]
        assert ["function"] * 2 == [tool["type"] for tool in tools]
        assert ["bash", "read_docs"] == [tool["name"] for tool in tools]


def test_reasoning_goes_back_encrypted_as_it_came(attempts):
    first = Turn((Reasoning("Hm."), Call("bash", {"command": "true"})))
    second = Turn((Reasoning(), Text("Now."), Call("bash", {"command": "touch done"})))

    attempted = attempts.run(first, second, say("Done."))

    assert ("completed", "passed") == attempted.ending
    kinds = [item.get("type", "message") for item in attempted.requests[-1].body["input"]]
    assert [
        *("message", "reasoning", "function_call", "function_call_output"),
        *("reasoning", "message", "function_call", "function_call_output"),
    ] == kinds
    reasoning = attempted.requests[-1].body["input"][1]
    assert [{"type": "summary_text", "text": "Hm."}] == reasoning["summary"]
    assert 64 == len(reasoning["encrypted_content"])


@pytest.mark.parametrize(
    "cut",
    [
        Turn((Reasoning("long"),), incomplete="max_output_tokens"),
        Turn((Text("I think"), Reasoning("long")), incomplete="max_output_tokens"),
    ],
)
def test_reasoning_that_nothing_follows_is_not_said_back(attempts, cut):
    attempted = attempts.run(cut, bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    items = attempted.requests[1].body["input"]
    assert "reasoning" not in [item.get("type") for item in items]
    assert "Your reply was cut off" in items[-1]["content"][0]["text"]


def test_reasoning_that_is_not_encrypted_is_not_said_back(attempts):
    plain = Turn((Reasoning("Hm.", encrypted=False), Call("bash", {"command": "touch done"})))

    attempted = attempts.run(plain, say("Done."))

    assert ("completed", "passed") == attempted.ending


def test_a_model_that_does_not_reason_is_asked_without_for_the_rest_of_the_attempt(attempts):
    attempts.models = {attempts.model: Model(reasons=False)}

    attempted = attempts.run(bash("touch done"), say("Done."), done=False)

    assert ("completed", "passed") == attempted.ending
    assert [["reasoning.encrypted_content"], [], []] == [
        request.body.get("include") for request in attempted.requests
    ]
    (retry,) = attempted.of_type("api_retry")
    assert (400, 0) == (retry.status, retry.sleep)
    assert "asked again without reasoning: " in retry.error


def test_a_reply_whose_end_has_no_output_is_put_together_from_its_items(attempts):
    attempted = attempts.run(bash("touch done", bare_end=True), say("Done.", bare_end=True))

    assert ("completed", "passed") == attempted.ending
    assert "Done." == attempted.of_type("agent_final")[0].text


def test_calls_beside_a_refusal_are_carried_out(attempts):
    both = Turn((Refusal("Not all of it."), Call("bash", {"command": "touch done"})))

    attempted = attempts.run(both, say("Done."))

    assert ("completed", "passed") == attempted.ending


def test_a_refusal_says_why(attempts):
    attempted = attempts.run(Turn((Refusal("It looks like an attack."),)))

    assert "It looks like an attack." == attempted.of_type("agent_final")[0].text
    assert "refusal" == attempted.of_type("agent_turn")[0].stop_reason


def test_turns_say_which_model_answered_and_how_it_ended(attempts):
    attempted = attempts.run(
        Error(503), bash("touch done", model="gpt-test-2026-11-01"), say("Done.")
    )

    turns = attempted.of_type("agent_turn")
    assert [(1, "tool_calls"), (2, "completed")] == [(one.turn, one.stop_reason) for one in turns]
    assert ["gpt-test-2026-11-01", "gpt-test"] == [one.model for one in turns]
    (retry,) = attempted.of_type("api_retry")
    assert (1, 1, 503) == (retry.turn, retry.attempt, retry.status)


def test_one_connection_serves_the_whole_conversation(attempts):
    attempted = attempts.run(*[bash("true")] * 4, say("Done."))

    assert 1 == len({request.connection for request in attempted.requests})


USAGE = [
    pytest.param({"input_tokens": 100, "output_tokens": 20}, (100, 20, 0, 0), id="plain"),
    pytest.param(
        {
            "input_tokens": 1000,
            "input_tokens_details": {"cached_tokens": 900},
            "output_tokens": 20,
            "output_tokens_details": {"reasoning_tokens": 15},
        },
        (100, 20, 0, 900),
        id="cached, and reasoned",
    ),
    pytest.param(
        {
            "input_tokens": 1000,
            "input_tokens_details": {"cached_tokens": 600, "cache_write_tokens": 300},
            "output_tokens": 1,
        },
        (100, 1, 300, 600),
        id="written to the cache",
    ),
    pytest.param(
        {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 9}},
        (0, 0, 0, 9),
        id="more cached than there was",
    ),
    pytest.param({}, (0, 0, 0, 0), id="nothing"),
]


@pytest.mark.parametrize(("counts", "expected"), USAGE)
def test_no_token_is_counted_twice(counts, expected):
    usage = usage_of(Counts.model_validate(counts))

    assert expected == (
        usage.input_tokens,
        usage.output_tokens,
        usage.cache_write_tokens,
        usage.cache_read_tokens,
    )


def test_the_four_counters_are_those_of_the_service_taken_apart(attempts):
    usage = Usage(1000, 20, cached_tokens=600, cache_write_tokens=300, reasoning_tokens=15)

    attempted = attempts.run(say("Done.", usage=usage))

    assert {
        "input_tokens": 100,
        "output_tokens": 20,
        "cache_write_tokens": 300,
        "cache_read_tokens": 600,
    } == attempted.result.tokens.model_dump()
    assert 1020 == attempted.result.tokens.total


def test_a_response_without_usage_counts_nothing(attempts):
    attempted = attempts.run(bash("touch done", usage=None), say("Done.", usage=None))

    assert ("completed", "passed") == attempted.ending
    assert 0 == attempted.result.tokens.total


def test_the_budget_counts_all_tokens_of_the_service(attempts):
    attempts.body = TASK + "budgets: {max_tokens: 300}\n"

    attempted = attempts.run(bash("touch done", usage=Usage(280, 20, cached_tokens=200)))

    assert ("max_tokens", "passed") == attempted.ending


def test_half_a_character_in_arguments_is_made_plain(attempts):
    odd = Turn((Call("bash", raw='{"command": "touch done; : \\ud800"}'),))

    attempted = attempts.run(odd, say("Done."))

    assert ("completed", "passed") == attempted.ending
    json.dumps(attempted.requests[1].body, ensure_ascii=False).encode()
