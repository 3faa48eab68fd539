"""A model as the last resort: off by default, bounded, validated, and its work is marked."""

import json

import pytest

from fakes.imports import ScriptedModel, imported_bytes, problems_of
from quickstarted.formats.trajectory.importing import LlmConverter
from quickstarted.formats.trajectory.importing.llm import MAX_CHARS, MAX_TRIES

UNKNOWN = {"when": "noon", "did": "ls", "got": "a.txt"}
GOOD = json.dumps(
    {"trace_id": "t", "events": [{"event_type": "tool.call", "event_id": "e", "input": "ls"}]}
)


def converted(*replies, records=(UNKNOWN,)):
    model = ScriptedModel(*replies)
    raw = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    return *imported_bytes(raw, fallback=LlmConverter(model)), model


def test_no_model_is_asked_by_itself():
    made, report = imported_bytes(json.dumps(UNKNOWN).encode())

    assert ([], 1) == (made, report.problem_count)


@pytest.mark.parametrize(
    "reply", [GOOD, f"\n{GOOD}\n", f"```json\n{GOOD}\n```", f"```\n{GOOD}\n```"]
)
def test_what_a_model_makes_is_valid_marked_and_has_its_source(reply):
    (made,), report, _ = converted(reply)

    assert [] == problems_of(made)
    assert ("llm", "acme/tiny-1", UNKNOWN) == (
        made["metadata"]["converted_by"],
        made["metadata"]["converter_model"],
        made["metadata"]["source"],
    )
    assert "timestamp" not in made["events"][0]
    assert ["llm"] == [run.source_format for run in report.runs]


def test_all_that_is_unknown_in_a_file_is_one_question():
    native = {"trace_id": "n", "events": []}
    made, _, model = converted(GOOD, records=[UNKNOWN, native, UNKNOWN])

    assert {"t", "n"} == {one["trace_id"] for one in made}
    assert [[UNKNOWN, UNKNOWN]] == [json.loads(text) for _, text in model.asked]


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "Here it is.",
        GOOD[:-1],
        "[]",
        '{"trace_id":"t","events":[]}',
        '{"trace_id":"t","events":[{"event_type":"made.up"}]}',
        '{"trace_id":"t","events":[{"trace_id":"other"}]}',
        '{"trace_id":"t","events":[NaN]}',
        "\ud800",
    ],
)
def test_a_reply_that_is_not_valid_is_told_and_asked_again(reply):
    (made,), _, model = converted(reply, GOOD)

    assert "t" == made["trace_id"]
    assert "Your last reply was not valid: " in model.asked[1][0]


def test_a_model_is_not_asked_for_ever():
    made, report, model = converted(*["no"] * 10)

    assert ([], 1, MAX_TRIES) == (made, report.problem_count, len(model.asked))


def test_a_model_may_say_that_it_is_no_log():
    made, report, model = converted('{"error":"a recipe\\u001b"}')

    assert ([], 1) == (made, len(model.asked))
    assert [r'is no log of an agent, says the model: "a recipe\u001b"'] == [
        one.message for one in report.problems
    ]


def test_what_is_too_much_is_not_sent():
    made, report, model = converted(records=[{"x": "y" * MAX_CHARS}])

    assert ([], []) == (made, model.asked)
    assert report.problems[0].message.endswith(f"a model is given {MAX_CHARS:,} at most")


@pytest.mark.parametrize("record", [5, None, "x", {}, []])
def test_what_says_nothing_is_not_sent(record):
    _, report, model = converted(records=[record])

    assert (1, []) == (report.problem_count, model.asked)
