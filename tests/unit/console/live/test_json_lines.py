import errno
import io
import json

import pytest
from jsonschema import Draft202012Validator

from fakes import attempts as fake
from fakes.glass import Glass
from fakes.shown_calls import ShownCall, key, planned, result_of
from quickstarted.console.live.json_lines.lines import LINE_ADAPTER
from quickstarted.console.live.json_lines.schema import LINES, progress_schema
from quickstarted.console.live.json_lines.show import JsonShow
from quickstarted.console.live.show import Planned, Wait
from quickstarted.results import CallFacts, suite_result

ONE, TWO = key("flask", attempt=1), key("flask", attempt=2)
NAME = {
    "task": "flask",
    "agent": "claude",
    "affordance_policy": "all",
    "arm": "docs",
    "attempt": 1,
}


@pytest.fixture(name="schema", scope="module")
def _schema():
    return Draft202012Validator(progress_schema())


def _suite(results=()):
    return suite_result(results, created=1.0, call=CallFacts(planned=2, stopped=None))


def _told(tell, **flags):
    """The lines of a show that is told something by *tell*."""
    stream = io.StringIO()
    show = JsonShow(stream, clock=lambda: 5.0, **flags)
    tell(show)
    show.close()
    assert stream.getvalue().isascii()
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def _everything(show):
    """At least one line of each kind."""
    evil = "\x1b[2J\u202e\ud83d"
    show.planned([Planned(ONE, uses_model=True), Planned(TWO, uses_model=True)], [result_of(TWO)])
    show.begun(ONE)
    show.phase(ONE, "working")
    for event in (
        fake.run_start(),
        fake.agent_turn(1, text=evil),
        fake.tool_call(evil),
        fake.egress_allowed(),
        fake.egress_blocked("a.example"),
        fake.tool_result(1, output=evil),
        fake.docs_fetch(),
        fake.success_check(1, output=evil),
        fake.run_end(classification="docs_gap", passed=False),
    ):
        show.heard(ONE, event)
    show.holding([Wait(3, "anthropic: 4 at once")])
    show.ended(ONE, "results/flask/1/trace.jsonl", result_of(ONE, "docs_gap"))
    show.dropped([TWO])
    show.note("a line")
    show.made(_suite([result_of(ONE)]))


@pytest.mark.parametrize("flags", [{}, {"verbose": True}, {"quiet": True}])
def test_every_line_is_as_the_schema_says(schema, flags):
    def tell(show):
        ShownCall(planned(4, 10), workers=8).play(show)
        show.made(_suite())

    for lines in (_told(tell, **flags), _told(_everything, **flags)):
        for line in lines:
            schema.validate(line)
            assert LINE_ADAPTER.validate_python(line).v == 1
        assert "summary" == lines[-1]["type"]


def test_all_kinds_of_lines_but_the_one_for_lost_ones_come_in_this_order():
    kinds = list(dict.fromkeys(line["type"] for line in _told(_everything)))

    assert kinds == [
        "planned", "begun", "phase", "event", "holding", "ended", "dropped", "note", "summary",
    ]  # fmt: skip
    assert {*kinds, "left_out"} == {model.model_fields["type"].default for model in LINES}


def test_events_are_told_without_what_was_printed_and_without_requests_that_went_through():
    events = [line["event"] for line in _told(_everything) if line["type"] == "event"]

    assert [event["type"] for event in events] == [
        "run_start", "agent_turn", "tool_call", "egress_blocked", "tool_result", "docs_fetch",
        "success_check", "run_end",
    ]  # fmt: skip
    assert not [event for event in events if {"output", "text"} & event.keys()]


def test_those_who_want_everything_get_every_event_as_the_trace_has_it():
    events = [line["event"] for line in _told(_everything, verbose=True) if line["type"] == "event"]

    assert fake.egress_allowed().model_dump(mode="json") in events
    assert {"output": "\x1b[2J\u202e\\ud83d"}.items() <= events[5].items()


def test_quiet_says_how_attempts_have_ended():
    assert ["ended", "summary"] == [line["type"] for line in _told(_everything, quiet=True)]


def test_an_ending_has_the_result_and_where_to_look():
    (line,) = [line for line in _told(_everything) if line["type"] == "ended"]

    assert line["attempt"] == NAME
    assert (line["try_number"], line["trace"]) == (1, "results/flask/1/trace.jsonl")
    assert line["result"] == result_of(ONE, "docs_gap").model_dump(mode="json")
    assert line["look_at"][-2:] == [
        "  the run:   quickstarted show results/flask/1",
        "  all of it: quickstarted show results/flask/1 --verbose",
    ]


def test_what_is_planned_says_what_is_made_already():
    planned_line, *_ = _told(_everything)

    assert planned_line["attempts"] == [NAME, NAME | {"attempt": 2}]
    assert planned_line["done"] == [NAME | {"attempt": 2}]


def test_the_summary_is_the_results_without_what_was_told_before():
    *_, line = _told(_everything)

    assert line["suite"] == _suite([result_of(ONE)]).model_dump(mode="json") | {"runs": []}


def test_tries_are_counted():
    def tell(show):
        show.planned([Planned(ONE, uses_model=True)], [])
        for ending in ("infra_error", "passed"):
            show.begun(ONE)
            show.ended(ONE, "trace.jsonl", result_of(ONE, ending))

    numbers = [line["try_number"] for line in _told(tell) if "try_number" in line]
    assert [1, 1, 2, 2] == numbers


def test_a_reader_that_is_slow_holds_up_nothing_and_is_told_what_was_left_out(schema):
    glass = Glass(10_000, 100)
    glass.paused.set()
    show = JsonShow(glass, most_waiting=5)
    show.planned([Planned(ONE, uses_model=True)], [])
    assert glass.reached.wait(30)
    for _ in range(20):
        show.heard(ONE, fake.docs_fetch())
    show.note("not left out")
    glass.resume()
    show.close()
    lines = [json.loads(line) for line in "".join(glass.written).splitlines()]

    assert ["planned", "left_out", *["event"] * 5, "note"] == [line["type"] for line in lines]
    assert 15 == lines[1]["lines"]
    for line in lines:
        schema.validate(line)


@pytest.mark.parametrize("error", [errno.EPIPE, errno.ENOSPC])
def test_a_reader_that_is_gone_ends_nothing(error):
    glass = Glass()
    glass.lost = OSError(error, "gone")
    call = ShownCall(planned(2, 5), workers=4)
    show = JsonShow(glass)
    call.play(show)
    show.close()

    assert 10 == len(call.ended)


def test_the_schema_is_a_schema_and_says_what_fields_mean():
    schema = progress_schema()
    Draft202012Validator.check_schema(schema)
    fields = schema["$defs"]["PhaseLine"]["properties"]

    assert "judging" in fields["phase"]["description"]
    assert schema["$defs"]["RunResult"]["properties"]["attempt"]["description"].startswith("Counts")
