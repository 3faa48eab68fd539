"""A measure that is lenient is worth nothing: each way to spoil a code block has to be seen."""

import pytest

from bench.docs_fidelity.measuring import score
from bench.docs_fidelity.page import read_page

HTML = """
<body><nav>Home Guide</nav><main>
<h1>Install</h1><p>Run <code>a</code><code>b</code> first:</p>
<pre>$ pip install x\n\n    indented  twice\n\ttab\n</pre>
<pre>$ x run\n</pre>
<p>The last word.</p></main><footer>Imprint</footer></body>
"""
GOOD = """
# Install

Run `a` `b` first:

```console
$ pip install x

    indented  twice
\ttab
```

```
$ x run
```

The **last** [word](https://docs.example.org/page).
"""


def scored(output, html=HTML):
    return score(read_page(html), html, output)


def test_a_faithful_text_keeps_everything():
    found = scored(GOOD)

    assert (2, 2) == (found.blocks, found.blocks_kept)
    assert (found.words, 0) == (found.words_kept, found.around_words)


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        pytest.param("```\n\n```\n", "", 0, id="two blocks glued together"),
        pytest.param("x\n\n    ", "x\n    ", 1, id="a blank line lost"),
        pytest.param("    indented", "   indented", 1, id="a space of the indentation lost"),
        pytest.param("indented  twice", "indented twice", 1, id="white space collapsed"),
        pytest.param("twice\n\ttab", "twice \ttab", 1, id="two lines merged"),
        pytest.param("\ttab", "    tab", 1, id="a tab turned into spaces"),
        pytest.param("twice\n", "twice \n", 1, id="a space added to the end of a line"),
        pytest.param("$ x run", "x run", 1, id="a prompt lost"),
        pytest.param("$ x run", "1 $ x run", 1, id="a line number in the code"),
        pytest.param("$ x run", "$ x run\nCopy", 1, id="a button's text in the code"),
        pytest.param("```\n$ x run\n```", "$ x run", 1, id="a block that is not set off"),
        pytest.param("```\n$ x run\n```", "`$ x run`", 1, id="a block in a line of text"),
        pytest.param("```\n$ x run\n```\n", "", 1, id="a block lost"),
    ],
)
def test_a_spoilt_code_block_is_not_kept(before, after, kept):
    assert before in GOOD

    assert kept == scored(GOOD.replace(before, after)).blocks_kept


def test_an_indented_block_is_a_code_block_too():
    output = "$ Text\n\n    $ pip install x\n    \n        indented  twice\n    \ttab\n"

    assert 1 == scored(output).blocks_kept


def test_each_block_of_the_text_stands_for_one_block_of_the_page():
    html = "<pre>ls</pre><p>and again</p><pre>ls</pre>"

    assert 1 == scored("```\nls\n```\n\nand again", html).blocks_kept


@pytest.mark.parametrize(
    ("before", "after", "lost"),
    [
        pytest.param("first:", ":", 1, id="a word left out"),
        pytest.param("`a` `b`", "`a``b`", 2, id="inline code glued together"),
        pytest.param("last", "lst", 1, id="a word misspelt"),
        pytest.param("Run `a` `b` first:", "first: Run `a` `b`", 1, id="another order"),
        pytest.param("# Install\n", "", 1, id="a heading left out"),
    ],
)
def test_a_word_that_is_spoilt_or_moved_is_not_kept(before, after, lost):
    assert before in GOOD
    found = scored(GOOD.replace(before, after))

    assert lost == found.words - found.words_kept


@pytest.mark.parametrize(
    "output",
    [
        GOOD.replace("Run", "Run\\_").replace("**last**", "_last_"),
        GOOD.replace("[word](https://docs.example.org/page)", '[word](../w(1).html "Title here")'),
        GOOD.replace("`a` `b`", "a b"),
    ],
)
def test_the_signs_of_markdown_and_targets_of_links_are_no_words(output):
    found = scored(output)

    assert found.words == found.words_kept


def test_navigation_in_the_text_is_counted():
    found = scored("Home\n\n" + GOOD + "\n\nImprint\n")

    assert (2, scored(GOOD).output_words + 2) == (found.around_words, found.output_words)


def test_a_word_of_the_content_is_no_navigation():
    html = HTML.replace("Home Guide", "Install word")

    assert 0 == scored(GOOD, html).around_words


def test_what_is_nested_deeply_is_read():
    html = "<main>" + "<ul><li>a" * 30 + "<pre>code</pre></main>"
    output = "".join("  " * level + "- a\n" for level in range(30)) + "\n```\ncode\n```\n"

    found = scored(output, html)

    assert (1, found.words) == (found.blocks_kept, found.words_kept)
