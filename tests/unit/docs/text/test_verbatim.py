"""
Whatever is round it, a code block stands in the text once, verbatim, in its place.

The text is read again by a CommonMark parser, as those who take code blocks out of it do.
"""

from html import escape

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from quickstarted.docs.text.html import convert

CODE = st.one_of(
    st.text(
        st.characters(exclude_categories=("Cs", "Cc"), include_characters="\n\t$`|<&~#> -"),
        min_size=1,
        max_size=60,
    ),
    st.lists(
        st.sampled_from(
            ["```", "~~~", "````sh", "    x", "\t", "  ", "", "# a", "- b", "> c", "</pre>", "<!--",
             "$ pip install x", "|a|b|", "---", "a  ", "`", "\\", "[a]: b", "<script>"]
        ),
        min_size=1,
        max_size=6,
    ).map("\n".join),
).filter(str.strip)  # fmt: skip
WORDS = st.lists(
    st.sampled_from(
        ["a", "<script>", "<!--", "<pre>", "</pre>", "```", "~~~", "~~~~ x", "- b", "1. c", "> d",
         "# e", "<?php", "<![CDATA[", "<div>", "`", "``` sh", "    f", "---", "===", "|", "\\", "*",
         "[g]: h", "<textarea>", "    ", "&lt;", "<https://i.org>", "]", "<style>", ":", "**"]
    ),
    max_size=4,
).map(" ".join)  # fmt: skip
SINGLE = [
    "<p>{words}</p>{blocks}",
    "<div>{words}{blocks}{words}</div>",
    "<ul><li>{words}{blocks}<li>{words}</ul>",
    "<ol><li><p>{words}</p>{blocks}<p>{words}</p></ol>",
    "<blockquote>{words}{blocks}{words}</blockquote>",
    "<dl><dt>{words}<dd>{blocks}{words}<dd>{words}</dl>",
    "<dl><dt>{words}{blocks}<dd>{words}</dl>",
    "<table><tr><th>{words}<th>{words}<tr><td>{words}<td>{blocks}{words}</table>",
    "<table><tr><td>{blocks}</table>",
    "<div class='admonition'><p class='admonition-title'>{words}</p>{blocks}</div>",
    "<div class='warning'>{blocks}{words}</div>",
    "<details><summary>{words}</summary>{blocks}</details>",
    "<details><summary>{blocks}</summary>{words}</details>",
    "<a href='/y'>{words}{blocks}</a>",
    "<b>{words}{blocks}{words}</b>",
    "<h2>{words}{blocks}</h2>",
    "<main><p>{words}</p>{blocks}</main>",
    "<nav>{blocks}</nav>",
    "<footer class='footer'>{blocks}</footer>",
    "<noscript>{words}{blocks}</noscript>",
    "<section class='sidebar'>{blocks}</section>",
    "<x-tabs><template shadowrootmode='open'>{blocks}</template>{words}</x-tabs>",
    "<ul role='tablist'><li role='tab'>{words}</ul><div role='tabpanel' hidden>{blocks}</div>",
    "<div class='tabbed-set'><label>{words}</label><div class='tabbed-content'>{blocks}</div>",
    "<p>{words}<del>~{words}</del></p>{blocks}",
    "<p>{words}<br>{words}</p>{blocks}",
    "<p><code>{words}</code></p>{blocks}",
]
LEAF = CODE.map(lambda code: ([code], f"<pre>\n{escape(code)}</pre>"))


def wrapped(inner):
    """A shape of page round *inner*, a list of codes with their HTML."""

    def fill(shape, words, parts):
        codes = [code for part in parts for code in part[0]]
        blocks = "".join(part[1] for part in parts)
        return codes, shape.replace("{words}", escape(words)).replace("{blocks}", blocks)

    return st.builds(fill, st.sampled_from(SINGLE), WORDS, st.lists(inner, min_size=1, max_size=3))


PAGES = st.recursive(LEAF, wrapped, max_leaves=6)


@settings(max_examples=400, deadline=None)
@given(PAGES)
def test_every_code_block_is_a_fence_with_exactly_its_text_in_the_order_of_the_page(page):
    codes, html = page

    text = convert(html, "https://docs.example.org/").text

    tokens = MarkdownIt("commonmark").parse(text)
    fences = [(token.level, token.content) for token in tokens if token.type == "fence"]
    assert [(0, code if code.endswith("\n") else code + "\n") for code in codes] == fences
    assert [] == [token.content for token in tokens if token.type == "code_block"]


@settings(max_examples=200, deadline=None)
@given(PAGES)
def test_sections_start_within_the_text_and_never_in_code(page):
    _, html = page
    marked = html.replace("<pre>", "<h3 id=here>Here</h3><pre>", 1)

    found = convert(marked, "https://docs.example.org/")

    assert "Here" in found.text[found.place_of("here") :].split("\n", 1)[0]
