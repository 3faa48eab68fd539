import io

import pytest
from rich.console import Console
from rich.text import Text

from fakes.glass import Glass, console_on
from quickstarted.console.live.canvas import BEGIN, END, Canvas


def _lines(*texts):
    return [Text(text, end="") for text in texts]


@pytest.fixture(name="glass")
def _glass():
    return Glass(40, 12)


@pytest.fixture(name="canvas")
def _canvas(glass):
    return Canvas(console_on(glass, 40, 12))


def test_a_frame_takes_the_place_of_the_one_before(canvas, glass):
    canvas.draw(_lines("one", "two", "three"))
    canvas.draw(_lines("uno", "due"))

    assert ["uno", "due"] == glass.all_lines


def test_lines_above_stay_and_scroll(canvas, glass):
    for number in range(30):
        canvas.draw(_lines("a frame", f"of {number}"), _lines(f"line {number}"))

    assert [*(f"line {number}" for number in range(30)), "a frame", "of 29"] == glass.all_lines


def test_lines_above_may_be_longer_than_the_terminal_is_wide(canvas, glass):
    canvas.draw(_lines("frame"), _lines("x" * 100))
    canvas.draw(_lines("frame"), _lines("y"))

    assert ["x" * 40, "x" * 40, "x" * 20, "y", "frame"] == glass.all_lines


def test_a_frame_that_grows_and_shrinks_leaves_nothing(canvas, glass):
    for height in (1, 9, 2, 10, 1, 5):
        canvas.draw(_lines(*(f"row {number} of {height}" for number in range(height))))

    assert [f"row {number} of 5" for number in range(5)] == glass.all_lines


def test_the_end_leaves_only_what_is_to_stay_and_the_cursor(canvas, glass):
    canvas.draw(_lines("a", "b"), _lines("said"))
    assert not glass.has_cursor
    canvas.end(_lines("the end"))

    assert ["said", "the end"] == glass.all_lines
    assert glass.has_cursor


def test_an_end_without_a_frame_is_one_too(canvas, glass):
    canvas.end(_lines("the end"))

    assert ["the end"] == glass.all_lines
    assert glass.has_cursor


@pytest.mark.parametrize("columns", [39, 25, 20, 10])
def test_a_terminal_that_becomes_narrower_keeps_nothing_of_the_frame_before(columns):
    glass = Glass(40, 30)
    console = console_on(glass, 40, 30)
    canvas = Canvas(console)
    canvas.draw(_lines("x" * 38, "", "y" * 30, "z"), _lines("said"))
    glass.narrow(columns)
    console.size = (columns, 30)
    canvas.draw(_lines("new", "frame"), _lines("said more"))

    assert ["said", "said more", "new", "frame"] == glass.all_lines


def test_a_frame_drawn_before_the_new_width_is_known_takes_no_more_rows():
    glass = Glass(40, 30)
    console = console_on(glass, 40, 30)
    canvas = Canvas(console)
    canvas.draw(_lines("x" * 38, "y" * 38), _lines("said"))
    glass.narrow(20)
    canvas.draw(_lines("x" * 38, "y" * 38))
    console.size = (20, 30)
    canvas.draw(_lines("new", "frame"))

    assert ["said", "new", "frame"] == glass.all_lines


def test_each_frame_appears_whole(canvas, glass):
    for number in range(3):
        canvas.draw(_lines("a frame", f"of {number}"))
    text = "".join(glass.written)

    assert text.count(BEGIN) == text.count(END) == 3
    for number, part in enumerate(text.split(END)[:-1]):
        assert part.startswith(BEGIN)
        assert f"of {number}" in part


def test_a_terminal_without_colours_gets_none():
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=40,
        height=10,
        force_terminal=True,
        no_color=True,
        color_system="standard",
        _environ={"TERM": "xterm"},
    )
    canvas = Canvas(console)
    canvas.draw([Text("red", "bold red", end="")])
    canvas.end([])

    assert "\x1b[1m" in stream.getvalue()
    assert "31m" not in stream.getvalue()
