"""`quickstarted convert`, as somebody calls it."""

import json
import shutil

import pytest

from fakes import attempts
from fakes.golden import TRACES
from fakes.terminals import at_terminal
from fakes.traces import written
from quickstarted.cli import run_cli
from quickstarted.events import UnknownEvent
from quickstarted.formats.export import TARGETS

EVENTS = [
    attempts.run_start(agent="claude", model="model-a"),
    attempts.agent_turn(text="\u202e\U0001f600"),
    attempts.tool_call("true", call_id="c1"),
    attempts.tool_result(call_id="c1", output="\x1b[31mred\x9b1m"),
    attempts.success_check(),
    attempts.run_end(),
]


def call(capsysbinary, *args):
    code = run_cli(["convert", *(str(arg) for arg in args)])
    out, err = capsysbinary.readouterr()
    return code, out, err.decode()


def names(folder):
    return [path.name for path in folder.iterdir()]


@pytest.fixture(name="results")
def _results(tmp_path, monkeypatch):
    """Two attempts of one task."""
    monkeypatch.chdir(tmp_path)
    for number in (1, 2):
        folder = tmp_path / "results" / "flask" / "claude" / str(number)
        folder.mkdir(parents=True)
        written(folder, EVENTS)
    return tmp_path / "results"


@pytest.mark.parametrize("target", TARGETS)
def test_one_attempt_goes_to_standard_output(results, capsysbinary, target):
    code, out, err = call(capsysbinary, results / "flask/claude/1", "--to", target)

    assert (0, target == "har") == (code, "the trace has no request" in err)
    assert json.loads(out.splitlines()[0] if target == "agent-log" else out)


def test_a_trace_goes_to_a_file(results, capsysbinary):
    trace = results / "flask/claude/1/trace.jsonl"
    code, out, err = call(capsysbinary, trace, "--to", "atif", "--out", "new/run.json")

    assert (0, b"", "") == (code, out, err)
    assert (
        "ATIF-v1.7" == json.loads((results.parent / "new/run.json").read_text())["schema_version"]
    )


def test_several_attempts_get_a_file_each(results, capsysbinary):
    code, out, err = call(capsysbinary, "results", "--to", "trajectory", "--out", "made")
    folder = results.parent / "made"
    made = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.json"))

    assert (0, b"", "made: 2 files in the format trajectory\n") == (code, out, err)
    assert ["flask/claude/1.trajectory.json", "flask/claude/2.trajectory.json"] == made


def test_several_attempts_do_not_go_to_one_place(results, capsysbinary):
    (results.parent / "one").touch()
    to_stdout = call(capsysbinary, "results", "--to", "har")
    to_file = call(capsysbinary, "results", "--to", "har", "--out", "one")

    assert {3} == {to_stdout[0], to_file[0]}
    assert "Name a folder with --out" in to_stdout[2]
    assert "one is one file" in to_file[2]


def test_a_file_that_is_there_is_not_written_over_unless_it_is_asked_for(results, capsysbinary):
    (results.parent / "x.json").write_text("mine")
    arguments = ("results/flask/claude/1", "--to", "atif", "--out", "x.json")
    code, _, err = call(capsysbinary, *arguments)

    assert (3, "mine") == (code, (results.parent / "x.json").read_text())
    assert "x.json: is there already" in err
    assert 0 == call(capsysbinary, *arguments, "--force")[0]
    assert "mine" != (results.parent / "x.json").read_text()


def test_the_trace_itself_always_stays(results, capsysbinary):
    trace = results / "flask/claude/1/trace.jsonl"
    before = trace.read_bytes()
    code, _, _ = call(capsysbinary, trace, "--to", "atif", "--out", trace, "--force")

    assert (3, before) == (code, trace.read_bytes())


def test_what_cannot_be_converted_does_not_keep_back_the_others(results, capsysbinary):
    written(results / "flask/claude/1", [attempts.run_start(), attempts.run_end()])
    code, _, err = call(capsysbinary, "results", "--to", "agent-log", "--out", "made")

    assert 3 == code
    assert "claude/1/trace.jsonl: has no call of a model" in err
    assert "made: 1 file in the format agent-log" in err
    assert ["2.agent-log.jsonl"] == names(results.parent / "made/flask/claude")


def test_a_line_that_is_broken_leaves_nothing_behind(results, capsysbinary):
    trace = results / "flask/claude/1/trace.jsonl"
    trace.write_bytes(trace.read_bytes()[:-3] + b"x}\n")
    printed = call(capsysbinary, trace, "--to", "otlp")
    kept = call(capsysbinary, trace, "--to", "otlp", "--out", "x.json")

    assert [(3, b""), (3, b"")] == [one[:2] for one in (printed, kept)]
    assert "trace.jsonl:6: not JSON" in printed[2]
    assert ["results"] == names(results.parent)


def test_what_a_trace_says_does_not_drive_the_terminal(results, capsysbinary):
    evil = UnknownEvent(ts=-1, type="\x1b[31mred")
    trace = written(results / "flask/claude/1", [attempts.run_start(), evil])
    code, _, err = call(capsysbinary, trace, "--to", "atif")

    assert (3, True) == (code, err.isascii())
    assert "\x1b" not in err


def test_a_trace_that_was_cut_is_converted_with_a_note(tmp_path, capsysbinary):
    trace = tmp_path / "trace.jsonl"
    shutil.copy(TRACES / "torn.jsonl", trace)
    code, out, err = call(capsysbinary, trace, "--to", "trajectory")

    assert (0, "the last line is cut off") == (code, json.loads(out)["metadata"]["unfinished"])
    assert 2 == err.count("note: ")


@pytest.mark.parametrize("target", ["messages", "agent-log"])
def test_text_that_could_drive_a_terminal_is_shown_as_escapes(results, target):
    with at_terminal(
        ["convert", "results/flask/claude/1", "--to", target], results.parent
    ) as person:
        shown = person.sees("red.u009b1m")
        code = person.leaves()

    assert (0, True) == (code, "\\u202e\\ud83d\\ude00" in shown)
    assert (False, True) == ("\x1b" in shown, shown.isascii())


@pytest.mark.parametrize("args", [("nowhere", "--to", "atif"), (".", "--to", "pdf"), (".",)])
def test_a_call_that_is_not_valid_ends_with_3(results, capsysbinary, args):
    assert 3 == call(capsysbinary, *args)[0]
