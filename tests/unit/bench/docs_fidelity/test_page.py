"""What the independent reader of the bench takes for code, content and navigation."""

import pytest

from bench.docs_fidelity.page import read_page


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        pytest.param("<pre>\na\n\n  b</pre>", ["a\n\n  b"], id="the first line break is markup"),
        pytest.param("<pre>a<br>b<br/>c</pre>", ["a\nb\nc"], id="br is a line break"),
        pytest.param("<pre>&lt;a&gt; &amp;&nbsp;b</pre>", ["<a> &\xa0b"], id="entities"),
        pytest.param("<pre>a <!-- no -->b</pre>", ["a b"], id="comments are not shown"),
        pytest.param(
            "<pre><code><div>a</div><div>\n</div><div>b</div></code></pre>",
            ["a\n\nb"],
            id="blocks are lines",
        ),
        pytest.param(
            "<pre><span class=token-line>a<br></span><span class=token-line>b<br></span></pre>",
            ["a\nb\n"],
            id="spans that end in br",
        ),
        pytest.param(
            "<pre><div class=l>a<br></div><div class=l><br></div><div class=l>b<br></div></pre>",
            ["a\n\nb\n"],
            id="blocks that end in br",
        ),
        pytest.param(
            "<table><td class=linenos><pre>1\n2</pre><td class=code><pre>a\nb</pre></table>",
            ["a\nb"],
            id="a column of line numbers",
        ),
        pytest.param(
            "<pre><span class=linenos>1</span>a\n<span class=linenos>2</span>b</pre>",
            ["a\nb"],
            id="line numbers in the lines",
        ),
        pytest.param("<pre class=linenos>a = 1\n</pre>", ["a = 1\n"], id="numbered code is code"),
        pytest.param("<pre>a<button>Copy</button></pre>", ["a"], id="buttons"),
        pytest.param("<pre> \n</pre><template><pre>a</pre></template>", [], id="nothing to see"),
        pytest.param("<div hidden><pre>a</pre></div>", [], id="hidden"),
        pytest.param("<div style='display: none'><pre>a</pre></div>", [], id="not displayed"),
        pytest.param("<div role=tabpanel hidden><pre>a</pre></div>", ["a"], id="behind a tab"),
        pytest.param("<noscript><pre>a</pre></noscript>", ["a"], id="without JavaScript"),
        pytest.param("<ul><li><pre>a</pre><li><pre>b</pre></ul>", ["a", "b"], id="in a list"),
    ],
)
def test_a_code_block_is_what_shows(html, expected):
    assert expected == read_page(html).code_blocks


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>a<b>b</b>c <i>d</i><p>e", ["abc", "d", "e"]),
        ("<ul><li>a<li>b</ul>", ["a", "b"]),
        ("<table><tr><td>a<td>b</table>", ["a", "b"]),
        ("a<br>b", ["a", "b"]),
        ("<code>a</code><code>b</code>", ["a", "b"]),
        ("<code>list</code>s", ["lists"]),
        ("10<sup>6</sup> 1<sup>st</sup>", ["10", "6", "1st"]),
        ("<svg><title>no</title><text>a</text><text>b</text></svg>", ["a", "b"]),
        ("a<script>no()</script><style>no</style><span hidden>no</span>", ["a"]),
        ("snake_case", ["snakecase"]),
    ],
)
def test_words_are_what_shows(html, expected):
    assert expected == read_page(html).main_words


def test_what_stands_outside_of_the_marked_content_is_around_it():
    page = read_page("<header>A</header><main>b<nav>c</nav><aside>d</aside></main><div>e</div>")

    assert (["b", "d"], ["A", "c", "e"], True) == (
        page.main_words,
        page.around_words,
        page.is_marked,
    )


def test_without_a_mark_only_navigation_is_around():
    page = read_page("<nav>a</nav><div>b</div><div class=sphinxsidebar>c</div>")

    assert (["b"], ["a", "c"], False) == (page.main_words, page.around_words, page.is_marked)


def test_links_to_sources_and_boxes_of_contents_are_neither():
    page = read_page(
        "<main>a<a class=headerlink>¶</a><a class=viewcode-link>source</a>"
        "<div class=toc>b</div><button>Copy</button></main>"
    )

    assert (["a"], []) == (page.main_words, page.around_words)
