"""What the loop does with a reply: tools, budgets, records; over the real SDK and a real shell."""

from __future__ import annotations

import pytest

from fakes.messages_api_replies import (
    Break,
    Error,
    Text,
    Thinking,
    ToolUse,
    Turn,
    Usage,
    bash,
    call,
    say,
)
from fakes.model_attempts import TASK
from fakes.scripted_http import Repeat


def answers(attempted):
    """What the model got back for its calls, in order."""
    blocks = [
        block
        for message in attempted.requests[-1].body["messages"]
        if message["role"] == "user"
        for block in message["content"]
    ]
    return [block for block in blocks if block["type"] == "tool_result"]


@pytest.mark.parametrize(
    ("use", "why"),
    [
        (ToolUse("shell", {"command": "true"}), "there is no tool of this name"),
        (ToolUse("x" * 200, {}), "there is no tool of this name"),
        (ToolUse("bash", {}), "command: there is none"),
        (ToolUse("bash", {"command": "  "}), "command: there is none"),
        (ToolUse("bash", {"command": 5}), "command: Input should be a valid string"),
        (ToolUse("bash", {"command": None}), "command: Input should be a valid string"),
        (ToolUse("bash", {"restart": "yes"}), "restart: Input should be a valid boolean"),
        (ToolUse("bash", raw=('{"command": "tou',)), "the input is not JSON, or was cut off"),
        (ToolUse("bash", raw=('["true"]',)), "the input must be a JSON object, not list"),
        (ToolUse("bash", raw=("[" * 100_000,)), "the input is not JSON, or was cut off"),
        (ToolUse("read_docs", {}), "url: Field required"),
        (ToolUse("read_docs", {"url": "https://docs.example/", "page": 0}), "page: Input should"),
        (ToolUse("read_docs", {"url": ["https://docs.example/"]}), "url: Input should"),
    ],
)
def test_a_call_that_cannot_be_carried_out_is_answered_and_recorded(attempts, use, why):
    attempted = attempts.run(Turn(content=(use,)), bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    refused = attempted.of_type("tool_call")[0]
    assert why in refused.refused
    assert use.name == refused.tool
    answer = answers(attempted)[0]
    assert answer["is_error"] is True
    assert why in answer["content"]
    assert 1 == attempted.result.commands


def test_a_call_with_5_mb_that_is_cut_off_is_answered_in_no_time(attempts):
    pieces = ('{"command": "', *["x" * 50_000] * 100)
    attempted = attempts.run(
        Turn(content=(ToolUse("bash", raw=pieces),), stop_reason="max_tokens"),
        bash("touch done"),
        say("Done."),
    )

    assert ("completed", "passed") == attempted.ending
    assert "was cut off" in answers(attempted)[0]["content"]
    assert attempted.of_type("agent_turn")[0].duration < 20


def test_calls_of_one_turn_are_answered_together_in_their_order(attempts):
    both = Turn(
        content=(
            Text("Both."),
            ToolUse("bash", {"command": "echo one; touch done"}),
            ToolUse("read_docs", {"url": "https://docs.example/"}),
            ToolUse("nothing", {}),
        )
    )
    attempted = attempts.run(both, say("Done."))

    assert ("completed", "passed") == attempted.ending
    contents = [answer["content"] for answer in answers(attempted)]
    assert "one\n[exit code 0]" == contents[0]
    assert "Do as you are told." in contents[1]
    assert contents[2].startswith("[Not carried out: there is no tool of this name")
    assert "Both." == attempted.of_type("agent_turn")[0].text
    calls = [(event.tool, event.call_id) for event in attempted.of_type("tool_call")]
    assert ["bash", "read_docs", "nothing"] == [tool for tool, _ in calls]
    assert [answer["tool_use_id"] for answer in answers(attempted)] == [one for _, one in calls]


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("echo out; echo err >&2", "out\nerr\n[exit code 0]"),
        ("true", "[exit code 0]"),
        ("exit 3", "[exit code 3]"),
        ("printf 'no newline'", "no newline\n[exit code 0]"),
        ("printf '\\n\\n'", "[exit code 0]"),
    ],
)
def test_a_command_is_answered_with_its_output_and_exit_code(attempts, command, expected):
    attempted = attempts.run(bash(command), say("Done."))

    assert expected == answers(attempted)[0]["content"]
    assert "is_error" not in answers(attempted)[0]


def test_a_command_that_does_not_end_is_answered_as_stopped(attempts):
    attempts.body = TASK + "budgets: {max_command_seconds: 1}\n"

    attempted = attempts.run(bash("echo begun; sleep 60"), say("Done."))

    lines = answers(attempted)[0]["content"].splitlines()
    assert ["begun", "[stopped after 1 s: it had not ended]", "[exit code 124]"] == [
        line for line in lines if "begun" in line or "exit code" in line or "stopped" in line
    ]


def test_what_the_harness_has_to_say_of_a_command_is_answered(attempts):
    attempted = attempts.run(bash("echo " + "x" * 5_000_000), say("Done."))

    assert "[the command was not run: it has 5,000,005 bytes" in answers(attempted)[0]["content"]


def test_a_shell_that_is_restarted_has_forgotten(attempts):
    restart = call("bash", {"restart": True})

    attempted = attempts.run(bash("WORD=kept"), restart, bash("echo $WORD."), say("Done."))

    said = [answer["content"] for answer in answers(attempted)]
    assert ["[A new shell was started.]", ".\n[exit code 0]"] == said[1:]


def test_output_that_is_not_utf8_is_answered_and_the_run_goes_on(attempts):
    odd = bash("printf 'a\\377b\\000c\\033[31md'; touch done")

    attempted = attempts.run(odd, say("Done."))

    assert ("completed", "passed") == attempted.ending
    assert answers(attempted)[0]["content"].startswith("a")


@pytest.mark.parametrize("spelled", ['"touch done; : \\ud800"', '"touch done", "n": NaN'])
def test_input_that_json_can_spell_and_a_request_cannot_hold_is_made_plain(attempts, spelled):
    use = ToolUse("bash", raw=(f'{{"command": {spelled}}}',))

    attempted = attempts.run(Turn(content=(use,)), say("Done."))

    assert ("completed", "passed") == attempted.ending


def test_a_page_that_may_not_be_read_is_answered_with_the_reason(attempts):
    attempted = attempts.run(call("read_docs", {"url": "https://else.example/"}), say("Done."))

    (answer,) = answers(attempted)
    assert answer["is_error"] is True
    assert answer["content"].startswith("[Not read: https://else.example/: ")


def test_the_tools_of_the_last_turn_still_run(attempts):
    attempts.body = TASK + "budgets: {max_turns: 2}\n"

    attempted = attempts.run(bash("true"), bash("touch done"))

    assert ("max_turns", "passed") == attempted.ending
    assert 2 == attempted.result.turns


def test_the_tools_of_the_turn_that_used_the_last_tokens_still_run(attempts):
    attempts.body = TASK + "budgets: {max_tokens: 300}\n"
    usage = Usage(input_tokens=50, output_tokens=50, cache_read_input_tokens=200)

    attempted = attempts.run(bash("touch done", usage=usage))

    assert ("max_tokens", "passed") == attempted.ending
    assert 300 == attempted.result.tokens.total


def test_tokens_of_tries_that_failed_count_too(attempts):
    attempts.body = TASK + "budgets: {max_tokens: 200}\n"
    cut = Turn(content=(Text("I will."),), broken=Break("message_start", "fin"))

    attempted = attempts.run(cut, bash("touch done"))

    assert ("max_tokens", "passed") == attempted.ending
    (retry,) = attempted.of_type("api_retry")
    assert (1, 1, 100) == (retry.turn, retry.attempt, retry.input_tokens)
    assert 200 == attempted.result.tokens.input_tokens


def test_the_four_counters_are_kept_apart(attempts):
    usage = Usage(
        input_tokens=1,
        output_tokens=20,
        cache_creation_input_tokens=300,
        cache_read_input_tokens=4000,
    )
    attempted = attempts.run(say("Done.", usage=usage))

    assert {
        "input_tokens": 1,
        "output_tokens": 20,
        "cache_write_tokens": 300,
        "cache_read_tokens": 4000,
    } == attempted.result.tokens.model_dump()


def test_waiting_for_the_service_is_not_charged_to_the_agent(attempts):
    attempts.body = TASK + "budgets: {max_seconds: 1.5}\n"
    wait = Error(429, retry_after_s=0.45)

    attempted = attempts.run(
        wait,
        bash("true"),
        wait,
        bash("true"),
        wait,
        bash("true"),
        wait,
        bash("touch done"),
        say("Ok."),
    )

    assert ("completed", "passed") == attempted.ending
    assert attempted.result.waited_seconds > 1.7


def test_a_reply_that_was_cut_goes_on_in_a_further_turn(attempts):
    cut = Turn(content=(Text("I think"),), stop_reason="max_tokens")

    attempted = attempts.run(cut, bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending
    told = attempted.requests[1].body["messages"]
    assert ["user", "assistant", "user"] == [message["role"] for message in told]
    assert "Your reply was cut off" in told[2]["content"][0]["text"]


@pytest.mark.parametrize("content", [(Text("Wait."),), ()])
def test_a_reply_that_was_paused_is_asked_for_again(attempts, content):
    paused = Turn(content=content, stop_reason="pause_turn")

    attempted = attempts.run(paused, bash("touch done"), say("Done."))

    assert ("completed", "passed") == attempted.ending


def test_thinking_goes_back_to_the_service_as_it_came(attempts):
    turn = Turn(content=(Thinking("Hm."), ToolUse("bash", {"command": "touch done"})))

    attempted = attempts.run(turn, say("Done."))

    assert ("completed", "passed") == attempted.ending
    assert "thinking" == attempted.requests[1].body["messages"][1]["content"][0]["type"]


def test_what_was_said_before_is_cached_and_marks_stay_within_the_services_limit(attempts):
    attempted = attempts.run(*[bash("true")] * 6, say("Done."))

    for request in attempted.requests:
        marks = [
            block
            for part in (request.body["system"], *(m["content"] for m in request.body["messages"]))
            for block in part
            if "cache_control" in block
        ]
        assert 2 == len(marks)
        assert "cache_control" in request.body["messages"][-1]["content"][-1]


def test_one_connection_serves_the_whole_conversation(attempts):
    attempted = attempts.run(*[bash("true")] * 4, say("Done."))

    assert 1 == len({request.connection for request in attempted.requests})


def test_the_agents_own_account_is_recorded_and_never_scored(attempts):
    attempted = attempts.run(say("I have reached the goal."))

    (final,) = attempted.of_type("agent_final")
    assert "I have reached the goal." == final.text
    assert "docs_gap" == attempted.ending[1]


def test_a_model_that_ends_without_a_word_has_no_account(attempts):
    attempted = attempts.run(Turn())

    assert "completed" == attempted.ending[0]
    assert [] == attempted.of_type("agent_final")


def test_a_refusal_says_why_where_the_service_does(attempts):
    why = {"type": "refusal", "category": "cyber", "explanation": "It looks like an attack."}

    attempted = attempts.run(Turn(stop_reason="refusal", stop_details=why))

    (final,) = attempted.of_type("agent_final")
    assert "It looks like an attack." == final.text


def test_turns_are_numbered_and_say_what_the_service_says(attempts):
    attempted = attempts.run(
        Error(529), bash("touch done", model="claude-sonnet-5-5-dated"), say("Done.")
    )

    turns = attempted.of_type("agent_turn")
    assert [(1, "tool_use"), (2, "end_turn")] == [(one.turn, one.stop_reason) for one in turns]
    assert {"claude-sonnet-5-5-dated", "claude-sonnet-5-5"} == {one.model for one in turns}
    (retry,) = attempted.of_type("api_retry")
    assert (1, 1, 529) == (retry.turn, retry.attempt, retry.status)


def test_a_model_that_never_stops_is_stopped_by_the_tasks_turns(attempts):
    attempts.body = TASK + "budgets: {max_turns: 7}\n"

    attempted = attempts.run(Repeat(bash("true"), 7))

    assert ("max_turns", "budget_exhausted") == attempted.ending
    assert 7 == attempted.result.turns
