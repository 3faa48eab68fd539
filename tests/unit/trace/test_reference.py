"""docs/trace.md is made from the models, and its questions have answers."""

import os
import re
from pathlib import Path

import jq
import jsonschema
import pytest

from quickstarted.events import EVENT_TYPES
from quickstarted.trace import read_trace
from quickstarted.trace.reference import event_field_docs, event_tables, trace_schema

PAGE = Path(__file__).parents[3] / "docs" / "trace.md"
GOLDEN = Path(__file__).parents[2] / "golden" / "traces"
MARKER = (
    "<!-- below: made from harness/quickstarted/events.py by tests/unit/trace/test_reference.py -->"
)
QUESTION = re.compile(r"^# (.+)\njq (?:-r )?'(.+)' trace\.jsonl", re.MULTILINE)


def test_the_page_has_every_event_and_field_as_the_models_say():
    head, _, tables = PAGE.read_text().partition(MARKER)
    if os.environ.get("QS_UPDATE_GOLDEN"):
        PAGE.write_text(f"{head}{MARKER}\n\n{event_tables()}\n")
        _, _, tables = PAGE.read_text().partition(MARKER)

    assert event_tables() == tables.strip(), "QS_UPDATE_GOLDEN=1 writes it again"


@pytest.mark.parametrize("name", EVENT_TYPES)
def test_every_field_says_what_it_means(name):
    model = EVENT_TYPES[name]
    fields = set(model.model_fields) - {"type"}

    assert set() == fields - set(event_field_docs(model))


def _answers(question: str) -> list[object]:
    (program,) = [
        program for title, program in QUESTION.findall(PAGE.read_text()) if title == question
    ]
    text = (GOLDEN / "docs_gap.jsonl").read_text()
    return list(jq.compile(program).input_text(text))


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Which pages did the agent read, in order?",
            ["https://docs.widget.example/quickstart/"],
        ),
        (
            "Tokens per turn.",
            ["1 88", "2 140", "3 96", "4 120", "5 60", "6 210"],
        ),
        ("Which requests did the third command make?", []),
    ],
)
def test_the_questions_of_the_page_have_answers(question, expected):
    assert expected == _answers(question)


def test_attempts_to_read_docs_through_the_shell_can_be_asked_for():
    (blocked,) = _answers("Did it try to read docs through the shell?")

    assert blocked["host"] == "docs.widget.example"


def test_what_the_last_command_did_can_be_asked_for():
    answers = _answers("What did the last command do before the run failed?")

    assert answers[-1] == "22 curl: (22) The requested URL returned error: 403\n"


@pytest.mark.parametrize("name", ["passed", "docs_gap", "harness_error", "infra_error"])
def test_our_traces_are_valid_by_the_published_schema(name):
    validator = jsonschema.Draft202012Validator(trace_schema())
    for event in read_trace(GOLDEN / f"{name}.jsonl"):
        validator.validate(event.model_dump(mode="json"))


def test_the_schema_carries_the_texts_of_the_models():
    properties = trace_schema()["$defs"]["RunEnd"]["properties"]

    assert properties["passed"]["description"] == "None when no check ran."
