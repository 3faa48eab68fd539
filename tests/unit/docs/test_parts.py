"""Long texts in parts."""

from hypothesis import given
from hypothesis import strategies as st

from quickstarted.docs.parts import split


def test_a_short_text_is_one_part():
    assert split("abc", 10) == ["abc"]
    assert split("", 10) == [""]


def test_parts_end_with_a_line():
    assert split("aaa\nbbb\nccc\n", 9) == ["aaa\nbbb\n", "ccc\n"]


def test_a_line_that_is_too_long_is_cut_within():
    assert split("a" * 25, 10) == ["a" * 10, "a" * 10, "a" * 5]


def test_a_code_block_is_not_cut_where_it_can_start_the_next_part():
    text = "a\n" * 20 + "```sh\n" + "x\n" * 10 + "```\n\nend\n"

    parts = split(text, 50)

    assert parts[0] == "a\n" * 20
    assert parts[1].startswith("```sh\nx\n")


def test_a_code_block_longer_than_a_part_is_cut_at_a_line():
    parts = split("```sh\n" + "xxxx\n" * 30 + "```\n", 50)

    assert all(part.endswith("\n") for part in parts)


@given(st.text("a`\n", max_size=300), st.integers(min_value=1, max_value=40))
def test_the_parts_together_are_the_text(text, max_chars):
    parts = split(text, max_chars)

    assert "".join(parts) == text
    assert all(len(part) <= max_chars for part in parts)
