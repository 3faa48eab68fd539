"""Runs of models as agent logs."""

import json

import pytest

from fakes import attempts
from fakes.conversions import converted
from quickstarted.errors import UsageError
from quickstarted.events import AgentFinal, ApiRetry
from quickstarted.formats.export import agent_log

START = attempts.run_start(agent="claude", model="model-a", harness_version="0.1.0")
END = attempts.run_end()
TURN = attempts.agent_turn(text="Now install.", cache_read_tokens=90)


def lines(*events):
    return [json.loads(line) for line in converted(events, "agent-log")[0].splitlines()]


def test_a_response_lists_the_actions_that_follow_it():
    made = lines(
        START, TURN, attempts.tool_call("a"), attempts.tool_result(), attempts.tool_call("b"), END
    )
    asked = [{"name": "bash", "args": {"command": name}} for name in "ab"]

    assert {
        "id": "turn-1",
        "model": "anthropic/model-a",
        "usage": {"input": 10, "output": 5, "cache_read_tokens": 90, "cache_write_tokens": 0},
        "text": "Now install.",
        "actions": asked,
    } == made[1]["data"]
    assert [{"call": "turn-1", **one} for one in asked] == [
        one["data"] for one in made if one["type"] == "action"
    ]


def test_the_start_names_what_is_nearest_to_a_game():
    assert {
        "game": "flask",
        "category": "docs+affordances-all",
        "model": "anthropic/model-a",
        "scaffold": {"name": "quickstarted", "version": "0.1.0"},
    } == lines(START, TURN, attempts.tool_call(), END)[0]["data"]


def test_times_are_those_of_the_trace_and_never_go_back():
    late = attempts.tool_result(ts=1001.5)
    made = lines(START, TURN, attempts.tool_call(ts=1002), late, END)

    assert [0, 1000, 2000, 2000, 10_000, 10_000] == [one["elapsedMs"] for one in made]
    assert "1970-01-01T00:16:42.000Z" == made[2]["at"]


def test_errors_are_errors_and_everything_else_an_observation():
    retry = ApiRetry(ts=1001, turn=1, attempt=1, sleep=1, error="busy")
    final = AgentFinal(ts=1008, text="done")
    made = lines(START, retry, TURN, attempts.tool_call(), final, END)

    assert [
        "run_start",
        "error",
        "observation",
        "model_response",
        "action",
        "observation",
        "observation",
        "run_end",
    ] == [one["type"] for one in made]
    assert "completed" == made[-1]["data"]["reason"]


@pytest.mark.parametrize(
    ("events", "what"),
    [
        ([START, attempts.tool_call(), END], "call of a model"),
        ([START, TURN, END], "call of a tool"),
    ],
)
def test_a_run_without_model_or_tool_is_refused(events, what):
    with pytest.raises(UsageError, match=f"has no {what}"):
        converted(events, "agent-log")


def test_calls_before_the_first_turn_are_no_actions():
    events = [START, attempts.tool_call("early"), TURN, attempts.tool_call("late"), END]
    content, notes = converted(events, "agent-log")

    assert 1 == content.count(b'"type":"action"')
    assert ["calls before the first turn of a model are observations: 1"] == notes


def test_a_turn_too_large_to_be_held_lists_no_actions():
    large = attempts.tool_result(output="x" * agent_log.MAX_HELD_BYTES)
    made = lines(START, TURN, attempts.tool_call("a"), large, attempts.tool_call("b"), END)

    assert "actions" not in made[1]["data"]
    assert 2 == sum(one["type"] == "action" for one in made)
