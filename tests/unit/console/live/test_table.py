"""The whole way, from what a show is told to what is on the terminal."""

import errno
import io

import pytest
from rich.console import Console

from fakes import attempts as fake
from fakes.glass import Glass, console_on
from fakes.shown_calls import ShownCall, key, planned, result_of
from quickstarted.console.live.names import attempt_name
from quickstarted.console.live.show import Planned
from quickstarted.console.live.sink import Sink
from quickstarted.console.live.table import TableShow


def _played(glass, columns=80, rows=24, *, verdicts=None, cells=4, repeat=10):
    call = ShownCall(planned(cells, repeat), workers=40)
    show = TableShow(console_on(glass, columns, rows), verdicts, call.clock)
    call.play(show)
    show.close()
    return call


@pytest.mark.parametrize(("columns", "rows"), [(80, 24), (160, 50), (40, 24), (80, 8)])
def test_every_ending_is_there_once_and_the_table_once_at_the_end(columns, rows):
    glass = Glass(columns, rows)
    call = _played(glass, columns, rows)
    lines = glass.all_lines
    text = "\n".join(lines)

    heads = [line for line in lines if line.startswith("[")]
    named = [attempt_name(one) for one in call.ended]
    assert 40 == len(heads) == len(named)
    if columns > 40:  # there, names go on on the next row
        assert all(1 == sum(f"] {name} (" in head for head in heads) for name in named)
    assert 1 == sum(line.startswith("cell ") for line in lines)
    assert "under way" not in text
    assert "waiting:" not in text
    assert lines[-1].startswith("40 of 40 done")
    assert glass.has_cursor


def test_failures_say_above_the_table_what_to_look_at():
    glass = Glass(120, 24)
    _played(glass, 120)
    lines = glass.all_lines
    failed = [place for place, line in enumerate(lines) if line.startswith("[FAIL docs_gap]")]

    assert failed
    for place in failed:
        block = lines[place + 1 : place + 7]
        assert block[0].startswith("  why:")
        assert any(line.startswith("  the run:   quickstarted show results/") for line in block)


def test_verdicts_are_on_standard_output_too_where_that_is_a_file():
    glass, stream = Glass(), io.StringIO()
    console = Console(file=stream, width=10_000, highlight=False, markup=False)
    call = _played(glass, verdicts=Sink(console))
    lines = stream.getvalue().splitlines()

    assert 40 == sum(" | [" in line for line in lines)
    assert all(
        line.startswith(tuple(f"{attempt_name(one)} | " for one in call.ended)) for line in lines
    )
    assert 40 == sum(line.startswith("[") for line in glass.all_lines)


def test_a_terminal_that_somebody_has_stopped_stops_nothing_but_the_showing():
    glass = Glass()
    glass.paused.set()
    call = ShownCall(planned(4, 10), workers=40)
    show = TableShow(console_on(glass), clock=call.clock)
    call.play(show)
    assert glass.reached.wait(30)

    assert 40 == len(call.ended)
    glass.resume()
    show.close()
    assert glass.all_lines[-1].startswith("40 of 40 done")
    assert 40 == sum(line.startswith("[") for line in glass.all_lines)


@pytest.mark.parametrize("error", [errno.EPIPE, errno.EIO, errno.ENOSPC])
def test_a_terminal_that_is_gone_ends_the_showing_and_nothing_else(error):
    glass = Glass()
    call = ShownCall(planned(4, 10), workers=40)
    show = TableShow(console_on(glass), clock=call.clock)
    call.play(show, until=100)
    show.flush()
    glass.lost = OSError(error, "gone")
    for step in list(call.steps())[100:]:
        step(show)
    show.close()

    assert 40 <= len(call.ended)


def test_a_note_stands_above_the_table():
    glass = Glass()
    show = TableShow(console_on(glass))
    show.planned([Planned(key(), uses_model=False)], [])
    show.begun(key())
    show.note("the image is pulled: 40%\nplease wait")
    show.ended(key(), "results/flask/trace.jsonl", result_of(key()))
    show.close()

    assert ["the image is pulled: 40%", "  please wait"] == glass.all_lines[:2]


def test_names_commands_and_addresses_never_drive_the_terminal():
    glass = Glass(120, 24)
    evil = "\x1b[2J\x1b]0;owned\x07\x9b31m\u202e\r\n[PASS] all"
    one = key("flask", f"exec:{evil}")
    show = TableShow(console_on(glass, 120))
    show.planned([Planned(one, uses_model=True)], [])
    show.begun(one)
    show.phase(one, "working")
    for event in (
        fake.tool_call(evil),
        fake.tool_result(1, output=evil),
        fake.docs_fetch(f"https://a.example/{evil}"),
        fake.tool_call(None, tool="read_docs", url=evil),
    ):
        show.heard(one, event)
        show.flush()
    show.note(evil)
    show.ended(one, f"results/{evil}/trace.jsonl", result_of(one, "docs_gap", agent=f"exec:{evil}"))
    show.close()
    written = "".join(glass.written)

    assert not [text for text in ("\x1b[2J", "\x1b]0", "\x07", "\x9b", "\u202e") if text in written]
    assert not [line for line in glass.all_lines if line.startswith("[PASS]")]
