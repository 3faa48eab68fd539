import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quickstarted.console.markdown import code, details, fenced, table
from quickstarted.console.text import lines_of, visible

PARSER = MarkdownIt("commonmark").enable("table")
NASTY = st.text(st.sampled_from("`~|\\<>[]()!*_#-\n\r\t &;:/@abc \u202e\x1b"), max_size=40)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "`plain`"),
        ("a`b", "``a`b``"),
        ("`", "`` ` ``"),
        ("", "` `"),
        (" a ", "`  a  `"),
        ("a\nb", "`a\\nb`"),
    ],
)
def test_inline_code(text, expected):
    assert expected == code(text)


@given(NASTY)
def test_inline_code_is_one_piece_of_code_whatever_is_in_it(text):
    (paragraph,) = [token for token in PARSER.parse(f"x {code(text)} y") if token.type == "inline"]

    kinds = [child.type for child in paragraph.children or []]
    assert kinds == ["text", "code_inline", "text"]
    assert (visible(text) or " ").strip() == (paragraph.children or [])[1].content.strip()


@given(NASTY)
def test_a_fenced_block_is_never_ended_by_what_is_in_it(text):
    lines = lines_of(text)
    tokens = PARSER.parse(f"before\n\n{fenced(lines)}\n\nafter")

    blocks = [token for token in tokens if token.type == "fence"]
    assert ["\n".join(lines)] == [block.content.removesuffix("\n") for block in blocks]
    assert [token.content for token in tokens if token.type == "inline"] == ["before", "after"]


@given(NASTY)
def test_a_folded_block_stays_folded(text):
    tokens = PARSER.parse(details("3 lines", fenced(lines_of(text))) + "\n\nafter")

    assert [token.type for token in tokens if token.type not in ("inline", "paragraph_close")] == [
        "html_block",
        "fence",
        "html_block",
        "paragraph_open",
    ]


@given(st.lists(NASTY, min_size=2, max_size=4))
def test_a_cell_never_becomes_two(cells):
    text = table(["head"] * len(cells), [[code(cell) for cell in cells]])
    tokens = PARSER.parse(text)

    assert len(cells) == sum(token.type == "td_open" for token in tokens)
    assert sum(token.type == "table_open" for token in tokens) == 1


def test_a_table_is_gfm():
    assert table(["a", "b"], [["1", "`x|y`"]]) == "| a | b |\n| --- | --- |\n| 1 | `x\\|y` |"


def test_the_language_of_a_block_is_ours():
    assert re.match(r"```sh\n", fenced(["ls"], "sh"))
