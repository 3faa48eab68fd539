"""What is particular to single formats, as their samples and their programs' own tests have it."""

import json

import pytest

from fakes.golden import GOLDEN
from fakes.imports import imported, imported_bytes, imported_lines, imported_one, of_type, types

FORMATS = GOLDEN / "formats"


def sample(name):
    (made,), _ = imported(FORMATS / name)
    return made


def test_claude_code_counts_the_tokens_of_a_message_once():
    answers = of_type(sample("claude-code/session.jsonl"), "llm.response")

    assert [("msg_1", 20), ("msg_2", 20)] == [
        (one["metadata"]["message_id"], one["metadata"]["usage"]["output_tokens"])
        for one in answers
    ]


def test_claude_code_puts_what_a_subagent_says_under_its_call():
    session = {"session_id": "s", "type": "assistant"}
    task = {"type": "tool_use", "id": "t1", "name": "Task", "input": {}}
    made = imported_lines(
        {**session, "message": {"id": "m1", "role": "assistant", "content": [task]}, "uuid": "1"},
        {
            **session,
            "message": {"id": "m2", "role": "assistant", "content": "inside"},
            "parent_tool_use_id": "t1",
        },
    )[0]
    (call,) = of_type(made, "tool.call")

    assert call["event_id"] == of_type(made, "llm.response")[1]["parent_event_id"]


def test_claude_code_sessions_in_one_file_are_runs_of_their_own():
    lines = [
        {"sessionId": name, "type": "user", "message": {"role": "user", "content": name}}
        for name in "aba"
    ]

    assert [("a", 2), ("b", 1)] == [
        (one["trace_id"], len(one["events"])) for one in imported_lines(*lines)
    ]


def test_codex_tells_nothing_twice_and_gives_tokens_to_the_answer():
    made = sample("codex/rollout.jsonl")

    assert "Installed." == of_type(made, "llm.response")[0]["output"]
    assert 1 == json.dumps(made).count("**Look first**")
    assert {"input_tokens": 10, "output_tokens": 9, "total_tokens": 219} | {
        "cache_read_input_tokens": 200,
        "reasoning_tokens": 0,
    } == of_type(made, "llm.response")[0]["metadata"]["usage"]
    assert ["exit code 1", "success is false"] == [
        one["error"] for one in of_type(made, "tool.result")
    ]


def test_codex_exec_knows_failures_by_status_and_exit_code():
    results = of_type(sample("codex/exec-json.jsonl"), "tool.result")

    assert [None, "exit code 1", "status: declined", "no such page"] == [
        one["error"] for one in results
    ]
    assert all(one["parent_event_id"] for one in results)


def test_spans_are_in_the_order_of_their_start_and_under_their_parents():
    made = sample("openai-agents/one-object-per-line.jsonl")
    times = [event["timestamp"] for event in made["events"] if event["event_type"] != "tool.result"]
    ids = {event["event_id"]: event for event in made["events"]}
    (handoff,) = of_type(made, "handoff")

    assert sorted(times[:-1]) == times[:-1]
    assert ({"from": "planner"}, {"to": "writer"}) == (handoff["input"], handoff["output"])
    assert "planner" == handoff["agent_name"]
    assert "turn" == ids[handoff["parent_event_id"]]["metadata"]["name"]
    assert ["trace_93af73d6b40646bc90a86377c9f06adf", "Docs run"] == [
        made["trace_id"],
        made["metadata"]["workflow_name"],
    ]


def test_a_batch_of_spans_and_its_lines_are_the_same_run():
    one, other = (
        sample(f"openai-agents/{name}")
        for name in ("ingest-batch.json", "one-object-per-line.jsonl")
    )

    def without_index(run):
        return [
            {**event, "metadata": {**event["metadata"], "source_index": 0}}
            for event in run["events"]
        ]

    assert without_index(one) == without_index(other)


def test_a_span_that_has_not_ended_has_no_duration():
    made = sample("openai-agents/one-object-per-line.jsonl")
    (event,) = [one for one in made["events"] if one["metadata"].get("unfinished")]

    assert ("speech", None) == (event["metadata"]["span_type"], event["duration_ms"])


def test_crewai_pairs_by_the_event_that_began_it():
    made = sample("crewai/events.jsonl")
    (call,) = of_type(made, "tool.call")
    finished, failed = of_type(made, "tool.result")

    assert call["event_id"] == finished["parent_event_id"]
    assert ({"url": "https://docs.example/a"}, "page text") == (call["input"], finished["output"])
    assert pytest.approx(0.671) == finished["duration_ms"]
    assert (None, "bad args") == (finished["error"], failed["error"])
    assert "leaks a key" == of_type(made, "guardrail")[0]["error"]
    assert 1 == of_type(made, "llm.response")[0]["metadata"]["chunks"]


def test_langgraph_has_times_from_ids_of_version_7_and_no_others():
    made = sample("langgraph/astream-events-v2.jsonl")
    start, *_, end = made["events"]

    assert ("run.start", "run.end") == (start["event_type"], end["event_type"])
    assert ("2026-11-30T15:44:46.365000Z", "uuid7") == (
        start["timestamp"],
        start["metadata"]["timestamp_source"],
    )
    assert "timestamp" not in end
    assert len(made["events"]) == len({event["event_id"] for event in made["events"]})
    assert "install it" == made["goal"]


def test_langgraph_results_are_under_their_calls():
    made = sample("langgraph/astream-events-v2.jsonl")
    (call,), (result,) = of_type(made, "tool.call"), of_type(made, "tool.result")

    assert (call["event_id"], "page text", "call_1") == (
        result["parent_event_id"],
        result["output"],
        result["metadata"]["tool_call_id"],
    )
    assert 5 == of_type(made, "llm.response")[0]["metadata"]["usage"]["output_tokens"]


def test_pieces_of_an_answer_are_put_together_when_its_end_is_missing():
    chunk = {"event": "on_llm_stream", "run_id": "r", "name": "m"}
    made = imported_lines(
        {"event": "on_llm_start", "run_id": "r", "name": "m", "data": {"input": "q"}},
        *[{**chunk, "data": {"chunk": {"text": text}}} for text in ("he", "llo")],
    )[0]
    (answer,) = of_type(made, "llm.response")

    assert ("hello", True, 2) == (
        answer["output"],
        answer["metadata"]["unfinished"],
        answer["metadata"]["chunks"],
    )


def test_webshop_reads_what_was_done_from_the_next_page():
    made = sample("webshop/fixed_7.jsonl")

    assert [
        "search[red mug]",
        "click[b000000001]",
        "click[description]",
        "click[red]",
        "click[buy now]",
    ] == [event["input"] for event in of_type(made, "tool.call")]
    assert (1.0, "fixed_7") == (made["metadata"]["reward"], made["task_id"])
    assert all(event["error"] is None for event in made["events"])


def test_a_low_reward_is_no_error():
    step = {"available_actions": {}, "action": "click[x]", "reward": 0.2, "done": True}
    made = imported_one({**step, "observation": "nothing, error"})

    assert [None] * 3 == [event["error"] for event in made["events"]]
    assert 0.2 == made["metadata"]["reward"]


def test_labels_of_agenterrorbench_mark_the_step_and_are_no_errors():
    made, _ = imported(FORMATS / "agenterrorbench" / "rows.jsonl")
    marked = [one for one in made[0]["events"] if one["metadata"].get("critical_failure")]

    assert {2} == {one["metadata"]["step"] for one in marked}
    assert ["llm.response", "memory.read", "plan", "tool.call"] == [
        one["event_type"] for one in marked
    ]
    assert all(one["error"] is None for one in made[0]["events"])
    assert [] == [one for one in made[1]["events"] if one["metadata"].get("critical_failure")]
    assert [["constraint_ignorance"], False] == [
        made[0]["metadata"]["labels"]["failure_types"],
        made[0]["metadata"]["success"],
    ]


def test_an_agent_log_is_read_by_the_ids_of_its_responses():
    made = sample("agent-log/valid/full/agent-log.jsonl")
    answers = {one["metadata"]["response_id"]: one for one in of_type(made, "llm.response")}

    for call in of_type(made, "tool.call"):
        assert answers[call["metadata"]["call"]]["event_id"] == call["parent_event_id"]
    assert [one["step_index"] for one in made["events"]] == sorted(
        one["step_index"] for one in made["events"]
    )
    assert "reflection" in types(made)


def test_atif_keeps_calls_results_tokens_and_reasoning():
    made = sample("atif/trajectory-v1.7.json")
    first, second = of_type(made, "tool.result")

    assert ["c1", "c2"] == [one["metadata"]["call_id"] for one in (first, second)]
    assert "images/1.png" == first["artifacts"][0]["uri"]
    assert {
        "input_tokens": 100,
        "output_tokens": 31,
        "cache_read_input_tokens": 100,
        "cache_write_input_tokens": 10,
    } == of_type(made, "llm.response")[0]["metadata"]["usage"]
    assert True is made["metadata"]["extra"]["success_check"]["passed"]


def test_atif_of_another_major_version_is_refused():
    _, report = imported_bytes(b'{"schema_version":"ATIF-v2.0","steps":[{"source":"user"}]}')

    assert ['schema_version is "ATIF-v2.0", and 1.x is read'] == [
        one.message for one in report.problems
    ]


@pytest.mark.parametrize("name", ["otlp-genai/traces.json", "openinference/traces.json"])
def test_spans_of_both_conventions_say_the_same(name):
    made = sample(name)
    (answer,), (call,), (result,) = (
        of_type(made, kind) for kind in ("llm.response", "tool.call", "tool.result")
    )

    assert ("tiny-1", 110, 31, 100) == (
        answer["metadata"]["model"],
        answer["metadata"]["usage"]["input_tokens"],
        answer["metadata"]["usage"]["output_tokens"],
        answer["metadata"]["usage"]["cache_read_input_tokens"],
    )
    assert ({"command": "ls"}, "a.txt", "bash") == (
        call["input"],
        result["output"],
        result["agent_name"],
    )
    assert ("2026-11-02T09:00:00Z", 1500.0) == (answer["timestamp"], result["duration_ms"])


def test_spans_of_a_trace_on_many_lines_are_one_run():
    assert 1 == len(imported(FORMATS / "otlp-genai" / "collector-file-exporter.jsonl")[0])


@pytest.mark.parametrize(
    ("status", "error_type", "expected"),
    [
        ({}, None, None),
        ({"code": 1}, None, None),
        ({"code": 2}, None, "status is ERROR"),
        ({"code": 2, "message": "m"}, "t", "m"),
        ({}, "timeout", "timeout"),
    ],
)
def test_a_span_has_failed_by_its_status_alone(status, error_type, expected):
    attributes = [{"key": "error.type", "value": {"stringValue": error_type}}] if error_type else []
    span = {"traceId": "t", "spanId": "s", "name": "error failed", "status": status}
    scope = {"spans": [{**span, "attributes": attributes}]}
    made = imported_one({"resourceSpans": [{"scopeSpans": [scope]}]})

    assert expected == made["events"][0]["error"]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("tool_call", "tool.call"),
        ("Tool-Call", "tool.call"),
        ("function_call_output", "tool.result"),
        ("thinking", "reflection"),
        ("user", "observation"),
        ("finish", "run.end"),
        ("memory.write", "memory.write"),
        ("whatever", "agent.step"),
    ],
)
def test_types_of_events_are_known_by_many_names(given, expected):
    (event,) = imported_one({"events": [{"type": given}]})["events"]

    assert expected == event["event_type"]


def test_roll_outs_have_thoughts_and_actions_in_their_text():
    made = imported_one(
        {"conversations": [{"from": "gpt", "value": "Thought: look\nAction: search[mug]"}]}
    )

    assert ["reflection", "llm.response", "tool.call"] == types(made)
    assert ["look", "search[mug]"] == [made["events"][0]["output"], made["events"][2]["input"]]


def test_a_response_has_its_own_tokens_and_items():
    made = sample("responses/response.json")

    assert {"input_tokens": 20, "output_tokens": 5, "total_tokens": 35} | {
        "cache_read_input_tokens": 10,
        "reasoning_tokens": 2,
    } == made["metadata"]["usage"]
    assert ["read_docs", "web_search"] == [
        one["metadata"]["tool"] for one in of_type(made, "tool.call")
    ]
    assert "2026-11-02T09:00:00Z" == made["started_at"]


def test_inspect_has_a_run_for_each_sample_with_its_scores():
    made = sample("inspect/evallog-v2.json")

    assert ("r1/s1/1", "60 s") == (made["trace_id"], of_type(made, "tool.result")[0]["error"])
    assert "C" == made["metadata"]["scores"]["check"]["value"]


def test_events_of_several_runs_in_one_stream_are_several_trajectories():
    made = imported_lines(
        {"trace_id": "aa", "type": "step", "text": "1"},
        {"trace_id": "bb", "type": "step", "text": "2"},
        {"type": "step", "text": "3"},
        {"trace_id": "aa", "type": "step", "text": "4"},
    )

    assert [("aa", ["1", "4"]), ("bb", ["2", "3"])] == [
        (run["trace_id"], [event["output"] for event in run["events"]]) for run in made
    ]


def test_graphs_that_were_run_one_after_the_other_are_several_trajectories():
    def call(run_id, event, **more):
        return {"event": event, "run_id": run_id, "name": "graph", "data": {}, **more}

    made = imported_lines(
        call("r1", "on_chain_start"),
        call("c1", "on_tool_start", parent_ids=["r1"]),
        call("r2", "on_chain_start"),
        call("c2", "on_tool_start", parent_run_id="r2"),
        call("d2", "on_tool_start", parent_run_id="c2"),
        call("r1", "on_chain_end"),
    )

    assert [("r1", 3), ("r2", 3)] == [(run["trace_id"], len(run["events"])) for run in made]


def test_a_call_that_is_none_stays_with_its_message():
    message = {
        "role": "assistant",
        "content": "x",
        "tool_calls": ["ls", {"function": {"name": "a"}}],
    }
    made = imported_one({"messages": [message]})

    assert ["llm.response", "tool.call"] == [event["event_type"] for event in made["events"]]
    assert ["ls"] == made["events"][0]["metadata"]["native"]["tool_calls"]
