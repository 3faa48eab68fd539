"""Turns with their calls and results, as ATIF and chat messages have them."""

import pytest

from fakes import attempts
from fakes.conversions import value
from fakes.traces import written
from quickstarted.events import AgentFinal, ToolCall
from quickstarted.formats.export.attempt import Attempt
from quickstarted.formats.export.steps import steps_of

START, END = attempts.run_start(agent="claude"), attempts.run_end()


def steps(tmp_path, *events, **options):
    return list(steps_of(Attempt(written(tmp_path, [START, *events])), **options))


def call(name, **fields):
    return attempts.tool_call(name, call_id=name, **fields)


def result(name):
    return attempts.tool_result(output=f"of {name}", call_id=name)


def test_calls_of_a_turn_are_together_with_their_results(tmp_path):
    first, second = steps(
        tmp_path,
        attempts.agent_turn(1),
        call("a"),
        result("a"),
        call("b"),
        result("b"),
        attempts.agent_turn(2),
    )

    assert (["a", "b"], [], 2) == (
        [one.call_id for one in first.calls],
        second.calls,
        len(first.results),
    )


def test_a_result_that_comes_after_the_next_turn_belongs_to_the_step_of_its_call(tmp_path):
    first, second = steps(
        tmp_path, attempts.agent_turn(1), call("a"), attempts.agent_turn(2), result("a")
    )

    assert (1, 0) == (len(first.results), len(second.results))


def test_calls_that_no_model_asked_for_are_steps_of_their_own(tmp_path):
    made = steps(tmp_path, call("a"), result("a"), call("b"), result("b"))

    assert [(1, 1), (1, 1)] == [(len(one.calls), len(one.results)) for one in made]


def test_what_is_kept_is_bounded_and_a_late_result_stays_without_its_call(tmp_path):
    events = [attempts.agent_turn(1), call("a")]
    events += [attempts.egress_allowed() for _ in range(20)]
    made = steps(tmp_path, *events, result("a"), max_kept_bytes=10_000)

    assert len(made) > 3
    assert (1, 0) == (len(made[0].calls), sum(len(one.results) for one in made))
    assert "tool_result" == made[-1].others[-1].type


@pytest.mark.parametrize(
    "fields", [{"refused": "no such tool"}, {"restart": True, "command": None}, {"command": None}]
)
def test_calls_that_nothing_is_recorded_for_hold_nothing_up(tmp_path, fields):
    odd = ToolCall(ts=1002, **({"tool": "Edit", "command": "x"} | fields))
    first, second, _ = steps(
        tmp_path,
        attempts.agent_turn(1),
        odd,
        attempts.tool_call("y"),
        attempts.tool_result(output="of y"),
        attempts.agent_turn(2),
        attempts.success_check(),
    )

    assert (["of y"], []) == ([one.output for _, one in first.results], second.results)


def test_last_words_are_a_step_where_the_last_turn_did_not_say_them(tmp_path):
    said = steps(tmp_path, attempts.agent_turn(text="done"), AgentFinal(ts=1005, text="done"))
    news = steps(tmp_path, attempts.agent_turn(), AgentFinal(ts=1005, text="done"))

    assert (1, 2) == (len(said), len(news))


def test_atif_counts_cached_tokens_in_and_says_which_were_cached():
    turn = attempts.agent_turn(cache_read_tokens=100, cache_write_tokens=7, cost_usd=0.5)
    made = value([START, turn, END], "atif")
    step = made["steps"][0]

    assert {
        "prompt_tokens": 117,
        "completion_tokens": 5,
        "cached_tokens": 100,
        "cost_usd": 0.5,
        "extra": {"cache_creation_input_tokens": 7},
    } == step["metrics"]
    assert (117, 0.5) == (
        made["final_metrics"]["total_prompt_tokens"],
        made["final_metrics"]["total_cost_usd"],
    )


def test_atif_of_a_replay_says_that_no_model_was_called():
    made = value([attempts.run_start(), call("a"), result("a"), END], "atif")

    assert [0] == [step["llm_call_count"] for step in made["steps"]]


def test_atif_of_an_attempt_in_which_nothing_happened_has_a_step():
    assert ["system"] == [step["source"] for step in value([START], "atif")["steps"]]


def test_messages_have_the_record_where_no_text_is_known():
    events = [
        START,
        attempts.agent_turn(text="Reading."),
        ToolCall(ts=1002, tool="read_docs", url="https://docs.example/", call_id="c1"),
        attempts.docs_fetch(call_id="c1"),
        ToolCall(ts=1003, tool="fly", refused="no such tool", call_id="c2"),
        attempts.egress_allowed(),
        END,
    ]
    made = value(events, "messages")
    spoken, page, refused = made["messages"]

    assert ("Reading.", ["read_docs", "fly"]) == (
        spoken["content"],
        [one["function"]["name"] for one in spoken["tool_calls"]],
    )
    assert ("c1", True) == (page["tool_call_id"], '"type":"docs_fetch"' in page["content"])
    assert ("c2", '{"refused":"no such tool"}') == (refused["tool_call_id"], refused["content"])
    assert {"egress_allowed": 1, "run_end": 1} == made["metadata"]["left_out"]
