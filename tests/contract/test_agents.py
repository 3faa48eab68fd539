"""
What holds for every agent: the same task and the same behaviour make the same records.
"""

from __future__ import annotations

import pytest

from contract.agent_cases import BODY, CASES, Act, bash, read
from fakes import lanes
from fakes.program_attempts import program_stage

PAGE = "https://docs.example/"
FINISH = Act(says="The goal is reached.")
WAITS = "until test -s word; do sleep 0.05; done; cat word; touch done"
"""For those that run the calls of one turn side by side."""
DOES_IT = (read(PAGE), bash("echo one; echo kept >word", WAITS), FINISH)


def params(cases):
    """The cases, each with what it needs and its name."""
    return [
        pytest.param(case, marks=[pytest.mark.docker] if case.is_program else [], id=case.name)
        for case in cases
    ]


MODELS = [case for case in CASES if case.is_model]
LOOPS = [case for case in MODELS if not case.is_program]


@pytest.fixture(params=params(CASES), name="case")
def _case(request):
    return request.param


@pytest.fixture(params=params(MODELS), name="model")
def _model(request):
    return request.param


@pytest.fixture(params=params(LOOPS), name="loop")
def _loop(request):
    return request.param


@pytest.fixture(scope="module", name="stage")
def _stage(tmp_path_factory):
    with lanes.connected() as engine, program_stage(engine, tmp_path_factory.mktemp("s")) as made:
        yield made


@pytest.fixture(name="attempt")
def _attempt(tmp_path, request):
    """One attempt by an agent, of the suite's task or of another."""

    def attempt(case, *acts, body=BODY):
        stage = request.getfixturevalue("stage") if case.is_program else None
        return case.attempt(tmp_path, acts, body, stage)

    return attempt


def told(attempted, *kinds):
    """The events of some kinds, as what in them is the same for every agent."""
    shown = {
        "docs_fetch": lambda event: ("read", event.url),
        "tool_call": lambda event: ("call", event.tool, event.command),
        "tool_result": lambda event: ("result", event.exit_code, event.output),
        "agent_final": lambda event: ("final", event.text),
        "success_check": lambda event: ("check", event.exit_code),
    }
    return [shown[event.type](event) for event in attempted.events if event.type in kinds]


def test_the_same_behaviour_makes_the_same_events(case, attempt):
    attempted = attempt(case, *DOES_IT)

    assert ("completed", "passed") == attempted.ending, attempted.result.fault
    results = [("result", 0, "one\n"), ("result", 0, "kept\n")] if case.tells_commands else []
    assert [("read", PAGE), *results, ("check", 0)] == told(
        attempted, "docs_fetch", "tool_result", "success_check"
    )
    assert ["run_start", "run_end"] == [attempted.events[0].type, attempted.events[-1].type]


def test_a_goal_that_is_not_reached_is_a_gap_of_the_docs(case, attempt):
    attempted = attempt(case, read(PAGE), bash("true"), FINISH)

    assert ("completed", "docs_gap") == attempted.ending


def test_the_end_of_the_time_ends_a_command(case, attempt):
    attempted = attempt(case, bash("sleep 60"), body=BODY + "budgets: {max_seconds: 1}\n")

    assert ("max_seconds", "budget_exhausted") == attempted.ending
    assert attempted.result.duration_seconds < 20


def test_every_call_is_recorded_before_its_result_and_with_its_name(case, attempt):
    attempted = attempt(case, *DOES_IT)
    commands = [event for event in attempted.of_type("tool_call") if event.tool == "bash"]
    results = attempted.of_type("tool_result")

    assert [event.call_id for event in commands] == [event.call_id for event in results]
    assert all(call.ts <= result.ts for call, result in zip(commands, results, strict=True))


def test_an_agent_with_a_model_has_turns_tokens_and_an_account(model, attempt):
    attempted = attempt(model, *DOES_IT)
    turns = attempted.of_type("agent_turn")

    assert [1, 2, 3] == [turn.turn for turn in turns]
    assert [("final", "The goal is reached.")] == told(attempted, "agent_final")
    assert (300, 60) == (
        attempted.result.tokens.input_tokens,
        attempted.result.tokens.output_tokens,
    )
    assert 3 == attempted.result.turns
    assert [1, 2] == [len([1 for _ in act.calls]) for act in DOES_IT[:2]]
    assert 3 == len(attempted.of_type("tool_call"))


@pytest.mark.docker
def test_every_model_is_told_the_same(tmp_path, stage):
    hashes = set()
    for case in MODELS:
        folder = tmp_path / case.name
        folder.mkdir()
        hashes.add(case.attempt(folder, (FINISH,), BODY, stage).events[0].prompt_hash)

    assert 1 == len(hashes)
    assert None not in hashes


def test_a_page_that_may_not_be_read_is_on_record_and_stops_nothing(model, attempt):
    attempted = attempt(model, read("https://else.example/"), bash("touch done"), FINISH)

    assert ("completed", "passed") == attempted.ending
    assert ["https://else.example/"] == [event.url for event in attempted.of_type("fetch_blocked")]


def test_a_tool_that_there_is_not_is_on_record_and_stops_nothing(loop, attempt):
    attempted = attempt(loop, Act(calls=(("browse", {}),)), bash("touch done"), FINISH)

    assert ("completed", "passed") == attempted.ending
    (refused, _) = attempted.of_type("tool_call")
    assert "browse" == refused.tool
    assert "there is no tool of this name" in refused.refused


def test_the_turns_of_the_task_are_the_limit(model, attempt):
    attempted = attempt(model, *[bash("true")] * 2, body=BODY + "budgets: {max_turns: 2}\n")

    assert ("max_turns", "budget_exhausted") == attempted.ending
    assert 2 == attempted.result.turns


def test_the_tokens_of_the_task_are_the_limit(model, attempt):
    attempted = attempt(model, *[bash("true")] * 2, body=BODY + "budgets: {max_tokens: 200}\n")

    assert ("max_tokens", "budget_exhausted") == attempted.ending
    assert 240 == attempted.result.tokens.total
