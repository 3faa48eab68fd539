import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from quickstarted.console.live.fit import fit
from quickstarted.console.text import HIDDEN_CATEGORIES


@pytest.mark.parametrize(
    ("text", "columns", "shown"),
    [
        ("short", 10, "short"),
        ("exactly-10", 10, "exactly-10"),
        ("https://docs.example/en/latest/installation.html", 24, "https://docs.e...on.html"),
        ("文書の入門", 10, "文書の入門"),
        ("文書の入門を読む", 10, "文書...む"),
        ("abcdef", 4, "abcd"),
        ("abcdef", 0, ""),
        ("a\x1b[31mb\x07c", 20, "ab\\x07c"),
        ("two\nlines", 20, "two\\nlines"),
    ],
)
def test_text_is_cut_so_that_its_end_stays_in_view(text, columns, shown):
    assert fit(text, columns) == shown


def test_what_the_terminal_cannot_show_is_spelled_out_before_it_is_measured():
    assert fit("né文", 11, "ascii") == "n\\xe9\\u6587"
    assert fit("né文", 8, "ascii") == "n\\xe...7"


@given(st.text(max_size=60), st.integers(0, 40), st.sampled_from(["utf-8", "ascii", "latin-1"]))
def test_nothing_is_wider_than_asked_for_or_drives_the_terminal(text, columns, encoding):
    shown = fit(text, columns, encoding)

    assert cell_len(shown) <= columns
    assert not {unicodedata.category(char) for char in shown} & HIDDEN_CATEGORIES
    shown.encode(encoding)
