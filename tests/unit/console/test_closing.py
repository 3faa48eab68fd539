from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fakes.attempts import (
    T0,
    docs_fetch,
    egress_allowed,
    egress_blocked,
    egress_error,
    run_end,
    run_start,
    success_check,
    tool_call,
    tool_result,
)
from fakes.golden import TRACES
from quickstarted.console.closing import DEFAULT_WIDTH, MAX_LINES, closing_lines
from quickstarted.events import AgentFinal, Fault, FetchBlocked, FetchError
from quickstarted.results import summarise
from quickstarted.trace import read_trace

TRACE = Path("results/flask/trace.jsonl")
FAILED = (
    "  failed:    $ timeout 5 widget serve --port 8080  exit 1: TypeError: "
    "Config.__init__() missing 1...l argument: 'secret'"
)
ADVICE = "if the docs ask for it, add it to network.allow"


def _closed(*events, classification="docs_gap", passed=False, **end) -> list[str]:
    known = [run_start(), *events, run_end(classification=classification, passed=passed, **end)]
    return closing_lines(known, summarise(known), TRACE)


def _said(lines, label) -> list[str]:
    return [line.split(":", 1)[1].strip() for line in lines if line.strip().startswith(f"{label}:")]


def test_a_passed_attempt_is_one_line():
    assert _closed(classification="passed", passed=True) == [
        "[PASS] flask (10.0 s, 0 pages, 0 commands)"
    ]


def test_a_recorded_gap_says_what_to_look_at():
    events = list(read_trace(TRACES / "docs_gap.jsonl"))

    assert closing_lines(events, summarise(events), TRACE) == [
        (
            "[FAIL docs_gap] widget-server (27.9 s, 1 page, 3 commands, 6 turns, 43,304 tokens,"
            " no price for claude-opus-4-5-20251101)"
        ),
        "  why:       the documentation did not lead to the outcome that it promises",
        "  last page: https://docs.widget.example/quickstart/",
        FAILED,
        "  refused:   docs.widget.example; the shell may not read documentation",
        "  check:     exit 1: check failed: GET / did not answer within 40 s: connection refused",
        "  the run:   quickstarted show results/flask",
        "  all of it: quickstarted show results/flask --verbose",
    ]


GONE = FetchError(ts=T0, url="https://a.example/gone", error="HTTP 404 Not Found")
FORBIDDEN = FetchBlocked(
    ts=T0,
    url="https://b.example/",
    reason="not_allowlisted",
    detail="The host b.example is not one of this task's documentation hosts.",
)


def test_pages_that_could_not_be_read_are_named_with_the_reason():
    lines = _closed(GONE, GONE, FORBIDDEN, docs_fetch("https://a.example/"))

    assert ["https://a.example/gone: HTTP 404 Not Found (and 1 more)"] == _said(lines, "unread")
    assert ["https://a.example/"] == _said(lines, "last page")


def test_a_page_that_was_read_in_the_end_is_not_named():
    assert [] == _said(_closed(GONE, docs_fetch("https://a.example/gone")), "unread")


def test_where_no_page_was_read_the_reason_stands_in_its_place():
    lines = _closed(FORBIDDEN)

    assert ["none was read; https://b.example/: The host b.example is not one of this task's"] == [
        line[:79] for line in _said(lines, "last page")
    ]


def test_the_last_page_is_named_and_whether_it_was_cut():
    lines = _closed(
        docs_fetch("https://a.example/"), docs_fetch("https://b.example/#x", truncated=True)
    )

    assert _said(lines, "last page") == ["https://b.example/#x (too large to read at once)"]


def test_no_page_is_said_too():
    assert _said(_closed(), "last page") == ["none was read"]


def test_the_first_failing_command_is_named_with_its_last_words():
    lines = _closed(
        tool_call("true"),
        tool_result(0, output="fine"),
        tool_call("make"),
        tool_result(2, output="cc: no input\nmake: *** [all] Error 1\n\n"),
        tool_call("make again"),
        tool_result(3),
    )

    assert _said(lines, "failed") == ["$ make  exit 2: make: *** [all] Error 1"]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({}, "$ x  exit 1: it printed nothing"),
        ({"note": "killed: out of memory"}, "$ x  exit 1: killed: out of memory"),
        ({"timed_out": True}, "$ x  ran out of time: it printed nothing"),
    ],
)
def test_a_silent_command_says_what_else_is_known(fields, said):
    assert _said(_closed(tool_call("x"), tool_result(1, **fields)), "failed") == [said]


def test_refused_hosts_say_what_to_add():
    lines = _closed(
        *(egress_blocked(f"{name}.example") for name in "abbbcdef"), classification="harness_error"
    )

    assert _said(lines, "refused") == [
        f"b.example, a.example, c.example, d.example and 2 more; {ADVICE}"
    ]


def test_an_upstream_that_recovered_is_not_named():
    lines = _closed(
        egress_error("a.example"),
        egress_error("b.example", detail="dns_failure"),
        egress_allowed("a.example", ts=T0 + 4),
    )

    assert _said(lines, "upstream") == ["b.example (dns_failure)"]


def test_a_path_that_was_refused_is_named_with_the_key_that_opens_it():
    lines = _closed(egress_blocked("a.example", detail="path", path="/project/six/"))

    assert _said(lines, "refused") == [
        "a.example/project/six/; if the docs ask for it, add it to network.paths"
    ]


@pytest.mark.parametrize("detail", ["model_path", "hosted_tool:web_search_20250305"])
def test_what_a_program_asked_its_model_is_nothing_that_an_author_could_mend(detail):
    lines = _closed(egress_blocked("models.example", detail=detail))

    assert _said(lines, "refused") == []


def test_a_fault_comes_with_what_to_do():
    fault = Fault(ts=T0, component="engine", error="the engine is gone", hint="Start it again.")
    lines = _closed(fault, classification="infra_error", passed=None, stop_reason="fault")

    assert _said(lines, "why") == ["engine: the engine is gone"]
    assert _said(lines, "to do") == ["Start it again."]
    assert _said(lines, "check") == ["did not run"]


def test_a_command_to_paste_is_whole_however_long_it_is():
    hint = f"ssh -nNT -L /tmp/engine.sock:{'/deep' * 40}/docker.sock me@build.example"
    fault = Fault(ts=T0, component="engine", error="it is far away", hint=hint)

    lines = _closed(fault, classification="infra_error", passed=None, stop_reason="fault")

    assert _said(lines, "to do") == [hint]


def test_everything_at_once_stays_within_eight_lines_and_keeps_what_weighs_most():
    lines = _closed(
        docs_fetch(),
        tool_call("make"),
        egress_blocked("a.example"),
        egress_error(),
        tool_result(1, output="no"),
        Fault(ts=T0, component="check", error="could not start", hint="Look."),
        success_check(1, output="check failed: x"),
        classification="harness_error",
    )

    assert len(lines) == MAX_LINES
    assert [line.split(":")[0].strip() for line in lines[1:-2]] == [
        "why",
        "to do",
        "failed",
        "refused",
        "check",
    ]


def test_a_folder_with_blanks_can_be_pasted():
    known = [run_start(), run_end(classification="docs_gap", passed=False)]
    lines = closing_lines(known, summarise(known), Path("my results/x/trace.jsonl"))

    assert lines[-2] == "  the run:   quickstarted show 'my results/x'"


@given(st.text(st.characters(), max_size=300), st.text(st.characters(), max_size=300))
def test_whatever_was_printed_the_lines_are_short_and_few(command, output):
    lines = _closed(
        docs_fetch(command), tool_call(command), tool_result(1, output=output), success_check(1)
    )

    assert len(lines) <= MAX_LINES
    assert max(map(len, lines)) <= DEFAULT_WIDTH
    assert not any("\n" in line or "\x1b" in line for line in lines)


def test_the_last_words_of_a_model_are_quoted_where_there_is_room():
    words = "I tried it all.\n\nWhat was missing:\nthe name of the package.\n"
    lines = _closed(AgentFinal(ts=T0, text=words))

    assert ["What was missing: the name of the package."] == _said(lines, "agent")
