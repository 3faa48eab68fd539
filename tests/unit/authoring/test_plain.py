import pytest

from quickstarted.authoring.plain import is_plain, one_line, printed_lines


@pytest.mark.parametrize(
    ("output", "lines"),
    [
        ("", []),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("no break", ["no break"]),
        ("\x1b[31mred\x1b[0m and \x1b]0;title\x07plain\n", ["red and plain"]),
        ("10%\r50%\r100%\r\ndone\n", ["100%", "done"]),
        ("\x1b[2K\x1b[1Aup\n", ["up"]),
        ("bell\x07 and null\x00\n", ["bell and null"]),
        ("a\n\nb\n", ["a", "", "b"]),
    ],
)
def test_printed_lines_are_what_a_screen_shows_in_the_end(output, lines):
    assert lines == printed_lines(output)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("a\n\tb é 漢", True),
        ("a\x1b", False),
        ("a\u202e", False),
        ("a\u2028", False),
        ("\x85", False),
    ],
)
def test_text_is_plain_where_every_character_shows(text, plain):
    assert plain is is_plain(text)


def test_one_line_is_cut_with_a_sign_of_it():
    assert "ab..." == one_line("ab\ncdef"[:2] + "cdef", 5)
