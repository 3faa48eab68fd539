import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.console.text import (
    HIDDEN_CATEGORIES,
    last_line,
    lines_of,
    shorten,
    visible,
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("é 漢 🎉", "é 漢 🎉"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x1b[2J\x1b[H", ""),
        ("a\rb", "a\\rb"),
        ("a\nb", "a\\nb"),
        ("a\tb", "a    b"),
        ("a\x08\x7f", "a\\x08\\x7f"),
        ("\x9b31m", "\\x9b31m"),
        ("admin\u202e", "admin\\u202e"),
        ("\u2066\u2069\u200b\ufeff", "\\u2066\\u2069\\u200b\\ufeff"),
        ("\u2028\u2029", "\\u2028\\u2029"),
        ("\udcff", "\\udcff"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_nothing_that_drives_a_terminal_is_left(text, expected):
    assert expected == visible(text)


@given(st.text(st.characters()))
def test_visible_text_has_no_hidden_character(text):
    assert not {unicodedata.category(char) for char in visible(text)} & HIDDEN_CATEGORIES


@given(st.text(st.characters()))
def test_lines_have_no_hidden_character_either(text):
    for line in lines_of(text):
        assert not {unicodedata.category(char) for char in line} & HIDDEN_CATEGORIES


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("one", ["one"]),
        ("one\n", ["one"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("\n\n", ["", ""]),
        ("10%\r50%\r100%\ndone", ["100%", "done"]),
        ("\r", [""]),
    ],
)
def test_lines_are_what_stood_there_in_the_end(text, expected):
    assert expected == lines_of(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", ""), ("\n \n", ""), ("a\nb \n\n", "b"), ("\x1b[31mE: x\x1b[0m\n", "E: x")],
)
def test_the_last_line_is_the_last_that_says_something(text, expected):
    assert expected == last_line(text)


def test_what_is_too_long_keeps_its_beginning_and_its_end():
    assert shorten("x" * 50 + "the end", 30) == "xxxxxxxxxxxxxxxxx...xxxthe end"


@given(st.text(st.characters()), st.integers(10, 40))
def test_shortened_text_fits(text, width):
    assert len(shorten(text, width)) <= width
