import io
import sys

import pytest

from quickstarted.console.output import UNWRAPPED_COLUMNS, open_console


@pytest.fixture
def pipe(monkeypatch):
    """A standard output that is a pipe of ASCII."""
    monkeypatch.delenv("COLUMNS", raising=False)
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")

    def attach(name: str) -> io.TextIOWrapper:
        monkeypatch.setattr(sys, name, stream)
        return stream

    return attach


@pytest.mark.parametrize("name", ["stdout", "stderr"])
def test_characters_that_the_terminal_lacks_are_spelled_out(pipe, name):
    stream = pipe(name)
    open_console(stderr=name == "stderr").print("é[b]")
    stream.flush()

    assert stream.buffer.getvalue() == b"\\xe9[b]\n"


def test_lines_in_a_pipe_are_not_wrapped(pipe):
    pipe("stdout")

    assert open_console().width == UNWRAPPED_COLUMNS


@pytest.mark.parametrize(("columns", "width"), [("90", 90), ("", UNWRAPPED_COLUMNS)])
def test_a_width_that_was_asked_for_is_kept(pipe, monkeypatch, columns, width):
    pipe("stdout")
    monkeypatch.setenv("COLUMNS", columns)

    assert width == open_console().width


def test_a_reader_that_went_away_does_not_end_the_program(pipe, monkeypatch):
    class Closed(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Closed())

    with pytest.raises(BrokenPipeError):
        open_console().print("x")
