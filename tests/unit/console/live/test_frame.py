"""Golden screens: how the table looks in the middle of a call."""

import pytest
from rich.cells import cell_len

from fakes import attempts as fake
from fakes.golden import golden
from fakes.shown_calls import BoardShow, ShownCall, key, planned, result_of
from quickstarted.console.live.frame import frame, last_frame
from quickstarted.console.live.grid import Look
from quickstarted.console.live.show import Planned, Wait

BIG = {"cells": 8, "repeat": 5, "workers": 40}
SMALL = {"cells": 3, "repeat": 6, "workers": 6}
REPLAY = {"cells": 2, "repeat": 10, "workers": 4, "agent": "replay", "steps": 150}
STEPS = 420


def _board(cells=8, repeat=5, workers=40, steps=STEPS, agent="claude"):
    call = ShownCall(planned(cells, repeat, agent=agent), workers)
    board = BoardShow(call.clock)
    call.play(board, until=steps)
    return board


def _text(lines):
    return "".join(f"{line.plain}\n" for line in lines)


@pytest.mark.parametrize(
    ("name", "columns", "rows", "how"),
    [
        ("40-attempts-80x20", 79, 20, BIG),
        ("40-attempts-160x42", 159, 42, BIG),
        ("40-attempts-40x20", 39, 20, BIG),
        ("40-attempts-80x6", 79, 6, BIG),
        ("6-attempts-80x20", 79, 20, SMALL),
        ("replay-80x20", 79, 20, REPLAY),
    ],
)
def test_the_table_looks_as_it_was_found_right(name, columns, rows, how):
    text = _text(frame(_board(**how), Look(columns), rows))

    assert text == golden(f"screens/{name}.txt", text)


def test_what_stays_at_the_end_is_every_cell_and_the_sum():
    text = _text(last_frame(_board(steps=None), Look(79)))

    assert text == golden("screens/end-80.txt", text)


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 6, 7, 8, 10, 15, 24, 42, 100])
@pytest.mark.parametrize("columns", [10, 20, 39, 59, 60, 79, 159])
def test_the_table_fits_every_terminal(rows, columns):
    board = _board()
    board.holding([Wait(number, f"reason {number}") for number in range(1, 6)])
    lines = frame(board, Look(columns), rows)

    assert 1 <= len(lines) <= rows
    assert all(cell_len(line.plain) <= columns for line in lines)
    assert lines[-1].plain.startswith("0 ")


@pytest.mark.parametrize("rows", [6, 10, 20])
def test_all_that_has_no_line_is_counted(rows):
    board = _board()
    lines = [line.plain for line in frame(board, Look(120), rows)]
    shown = sum("#" in line for line in lines)
    (more,) = [line for line in lines if line.startswith("and ") and "cells" not in line]

    assert f"and {len(board.under_way) - shown} more: " in more


def test_attempts_in_trouble_are_shown_first_and_waiting_ones_last():
    board = BoardShow(lambda: 0.0)
    keys = [key(attempt=number) for number in range(1, 9)]
    board.planned([Planned(one, uses_model=True) for one in keys], [])
    for one in keys:
        board.begun(one)
        board.phase(one, "waiting" if one.attempt < 6 else "working")
    board.heard(keys[7], fake.agent_turn(1))
    board.heard(keys[0], _retry())
    lines = [line.plain for line in frame(board, Look(100), 9)]
    shown = [line.split()[2] for line in lines if "#" in line]

    assert ["#1", "#6", "#7", "#8"] == shown


def test_failing_cells_are_shown_first():
    board = BoardShow(lambda: 0.0)
    names = [f"task-{number}" for number in range(20)]
    board.planned([Planned(key(name), uses_model=False) for name in names], [])
    for name, ending in (("task-3", "passed"), ("task-17", "docs_gap")):
        board.begun(key(name))
        board.ended(key(name), result_of(key(name), ending))
    lines = [line.plain for line in frame(board, Look(80), 6)]

    assert lines[1].startswith("task-0 ")
    assert any(line.startswith("task-17 ") for line in lines)
    assert "and 17 more cells: 1 done, 16 not begun" in lines


@pytest.mark.parametrize("encoding", ["ascii", "iso-8859-1", "utf-8"])
def test_the_table_has_only_what_the_terminals_encoding_has(encoding):
    board = BoardShow(lambda: 0.0)
    one = key("flask", "exec:文書\x1b[31m\u202e")
    board.planned([Planned(one, uses_model=True)], [])
    board.begun(one)
    board.heard(one, fake.tool_call("echo é\x1b]0;title\x07\u202e"))
    for line in frame(board, Look(80, encoding), 20):
        line.plain.encode(encoding)
        assert line.plain.isprintable()
        assert cell_len(line.plain) <= 80


def _retry():
    from quickstarted.events import ApiRetry

    return ApiRetry(ts=fake.T0, turn=2, attempt=1, sleep=30.0, error="overloaded")
