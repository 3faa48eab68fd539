import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.agents.programs.json_lines import LineSplitter, json_object


def cut(data, sizes, max_bytes=1000):
    splitter, lines, at = LineSplitter(max_bytes), [], 0
    for size in [*sizes, len(data)]:
        lines += splitter.feed(data[at : at + size])
        at += size
    return lines, splitter


@given(data=st.binary(max_size=200), sizes=st.lists(st.integers(0, 50), max_size=8))
def test_lines_are_the_same_however_they_come(data, sizes):
    lines, splitter = cut(data, sizes)

    assert data.split(b"\n") == [*lines, splitter.rest()]


@pytest.mark.parametrize("sizes", [[], [1] * 100, [30, 30]])
def test_a_line_that_is_too_long_is_left_out_and_the_next_is_read(sizes):
    lines, splitter = cut(b"a\n" + b"x" * 50 + b"\nb\nc", sizes, max_bytes=20)

    assert (lines, splitter.rest(), splitter.is_within_line) == ([b"a", b"b"], b"c", True)


@pytest.mark.parametrize("sizes", [[], [1] * 100])
def test_an_endless_line_takes_no_room(sizes):
    lines, splitter = cut(b"x" * 100, sizes, max_bytes=20)

    assert (lines, splitter.rest(), splitter.is_within_line) == ([], b"", True)


def test_a_log_that_ends_with_a_line_is_whole():
    assert not cut(b"a\n", [])[1].is_within_line


@pytest.mark.parametrize("line", [b"", b"x", b"[]", b"1", b"null", b'{"a"', b"\xff", b"{}"])
def test_what_is_no_object_is_an_empty_one(line):
    assert json_object(line) == {}
