"""The text of a page: a table of the shapes that documentation has."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickstarted.docs.text.html import convert
from quickstarted.docs.text.parsing import BeyondReason

URL = "https://docs.example.org/guide/start.html"


def text_of(html):
    return convert(html, URL).text


SHAPES = [
    ("headings keep their level", "<h1>A</h1><h3>B</h3>", "# A\n\n### B"),
    ("a title stands in for a heading", "<title>T</title><p>x</p>", "# T\n\nx"),
    ("a heading beats the title", "<title>T</title><h1>A</h1><p>x</p>", "# A\n\nx"),
    ("paragraphs are apart", "<p>a</p><p>b</p>", "a\n\nb"),
    ("white space is collapsed", "<p>a\n   b&nbsp;c</p>", "a b c"),
    ("br breaks a line", "<p>a<br>b</p>", "a\nb"),
    ("unordered lists", "<ul><li>a<li>b</ul>", "- a\n- b"),
    ("ordered lists start where they say", "<ol start=3><li>a<li>b</ol>", "3. a\n4. b"),
    ("an item's own number", "<ol><li value=7>a<li>b</ol>", "7. a\n8. b"),
    ("nested lists", "<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c"),
    ("loose lists", "<ol><li><p>a</p><p>b</p><li><p>c</p></ol>", "1. a\n\n   b\n\n2. c"),
    ("definition lists", "<dl><dt>a<dd>b<dd>c<dt>d<dd>e</dl>", "a\n: b\n: c\n\nd\n: e"),
    ("quotes", "<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b"),
    ("rules", "<p>a</p><hr><p>b</p>", "a\n\n---\n\nb"),
    ("links are absolute", '<a href="../x#y">a</a>', "[a](https://docs.example.org/x#y)"),
    ("links of the page itself are short", '<p><a href="#y">a</a></p>', "[a](#y)"),
    ("base moves links", '<base href="/b/"><a href="x">a</a>', "[a](https://docs.example.org/b/x)"),
    ("a bare URL stays bare", '<a href="https://a.org/">https://a.org/</a>', "<https://a.org/>"),
    ("spaces and brackets of a target", '<a href="/a (b)">x</a>',
     "[x](https://docs.example.org/a%20%28b%29)"),
    ("a script is no link", '<a href="javascript:x()">a</a>', "a"),
    ("a card is a link of its own", '<a href="/x"><h3>A</h3><p>b</p></a>',
     "### A\n\nb\n\n<https://docs.example.org/x>"),
    ("emphasis", "<p>a <b>b</b> <em>c</em> <del>d</del></p>", "a **b** *c* ~~d~~"),
    ("emphasis keeps space outside", "<p>a<b> b </b>c</p>", "a **b** c"),
    ("inline code", "<p>run<code>pip</code>now</p>", "run`pip`now"),
    ("inline code next to inline code", "<p><code>a</code><code>b</code></p>", "`a` `b`"),
    ("inline code with a backtick", "<p><code>a`b</code></p>", "``a`b``"),
    ("inline code in a link", '<p><a href="/x"><code>a</code></a></p>',
     "[`a`](https://docs.example.org/x)"),
    ("a link in inline code", '<p><code><a href="/x">a</a></code></p>',
     "[`a`](https://docs.example.org/x)"),
    ("keys and samples", "<p><kbd>Ctrl</kbd>+<samp>x</samp></p>", "`Ctrl`+`x`"),
    ("powers", "<p>10<sup>6</sup>, 1<sup>st</sup></p>", "10^6, 1st"),
    ("images by what they say", '<p><img src=a alt="a chart"><img src=b alt=""></p>',
     "[image: a chart]"),
    ("tables", "<table><tr><th>a<th>b<tr><td>1<td>2|3</table>",
     "| a | b |\n| --- | --- |\n| 1 | 2\\|3 |"),
    ("tables without a header", "<table><tr><td>a<td>b</table>", "| a | b |"),
    ("a cell is one line", "<table><tr><td><p>a<p>b<td><ul><li>c</ul></table>",
     "| a<br>b | - c |"),
    ("a table with code is written as blocks",
     "<table><tr><td>a<td><pre>x\n y</pre></table>", "a\n\n```\nx\n y\n```"),
    ("details are open", "<details><summary>s</summary><p>d</p></details>", "**s**\n\nd"),
    ("noscript shows", "<p>a</p><noscript><p>b</p></noscript>", "a\n\nb"),
    ("template, script and style do not",
     "<p>a</p><template><p>b</p></template><script>c</script><style>d</style>", "a"),
    ("hidden elements do not", '<p>a</p><p hidden>b</p><p style="display: none">c</p>', "a"),
    ("a closed dialog does not", "<p>a</p><dialog>b</dialog><dialog open>c</dialog>", "a\n\nc"),
    ("headings lose their own link", '<h2>A<a class="headerlink" href="#a">¶</a></h2>', "## A"),
    ("a heading that links to itself", '<h2><a href="#a">A</a></h2>', "## A"),
    ("copy buttons do not", '<p>a</p><button class="x">Copy</button><button>Save</button>',
     "a\n\nSave"),
    ("task lists", '<ul><li><input type="checkbox" checked> a<li><input type=checkbox> b</ul>',
     "- [x] a\n- [ ] b"),
    ("admonitions are quotes",
     '<div class="admonition note"><p class="admonition-title">Note</p><p>a</p></div><p>b</p>',
     "> **Note**\n>\n> a\n\nb"),
    ("comments do not", "<p>a<!-- b --></p>", "a"),
    ("formulas are written once",
     '<p><span class="katex-mathml">x</span><span class="katex-html">x</span></p>', "x"),
    ("formulas in TeX where they have it",
     r"<math><mi>x</mi><annotation encoding='application/x-tex'>\frac x</annotation></math>",
     r"`\frac x`"),
    ("words of a drawing", ("<p>a <svg><title>t</title><path d='M0'/><text>CREATE</text>"
     "<text>TABLE</text></svg></p>"), "a [diagram: CREATE TABLE]"),
    ("a sign without words is none", "<p>a <svg><path d='M0'/></svg>b</p>", "a b"),
    ("a heading is one line", "<h3>impl <a href='#x'>A</a><div>where<br>T: B</div></h3>",
     "### impl A where T: B"),
    ("a link to this page itself is short", '<p><a href="start.html#y">a</a></p>', "[a](#y)"),
    ("a link of a part of code is none", '<p><code>i: <a href="/i">i32</a></code></p>', "`i: i32`"),
    ("a link of what is called in code",
     '<p><code><a href="#f">f</a>(x)</code></p>', "[`f(x)`](#f)"),
    ("loose items of one paragraph are tight", "<ul><li><p>a</p><li><p>b</p></ul>", "- a\n- b"),
    ("a list in an item of one paragraph", "<ul><li><p>a</p><ul><li><p>b</p></ul><li>c</ul>",
     "- a\n  - b\n- c"),
    ("terms with one definition", "<dl><dt>a</dt> <dt>b</dt><dd>c</dd></dl>", "a\nb\n: c"),
    ("a list in a definition", "<dl><dt>a<dd><ul><li>b<li>c</ul></dl>", "a\n  - b\n  - c"),
    ("definitions in definitions are not indented twice",
     "<dl><dt>a<dd><p>b</p><dl><dt>c<dd><p>d</p><p>e</p></dl></dl>", "a\n: b\n\n  c\n  : d\n\n  e"),
    ("literal tags and fences are escaped", "<p>&lt;script&gt; a</p><p>```</p><p>- ~~~</p>",
     "\\<script> a\n\n\\```\n\n- \\~~~"),
    ("a field with something to copy", '<input readonly value="npm i x"><input value="y">',
     "`npm i x`"),
    ("footnotes keep their number", ('<p>a<a href="#f">1</a></p><aside class="footnote" id="f">'
     '<span class="label">[<a role="doc-backlink" href="#r">1</a>]</span><p>b</p></aside>'),
     "a[1](#f)\n\n[1] b"),
    ("the way back from a footnote", '<p>b <a href="#r" role="doc-backlink">↩</a></p>', "b"),
    ("a slot of a shadow root that a browser shows",
     '<x-a><template shadowrootmode="open"><p>a</p><template><p>b</p></template></template>c</x-a>',
     "a\n\nc"),
    ("what scripts may find is shown", '<p hidden="until-found">a</p>', "a"),
    ("aria-hidden is not hidden to eyes", '<p aria-hidden="true">a</p>', "a"),
    ("words for screen readers are", '<p>a <span class="sr-only">b</span></p>', "a"),
    ("a table that is hidden is no tab", '<div class="table-x" hidden>a</div>b', "b"),
    ("a cookie banner that says so", '<div class="cookie-banner">a</div>b', "b"),
    ("lines of code in a cell", "<table><tr><td>a<td><code>b<br>c</code></table>",
     "| a | `b`<br>`c` |"),
    ("a table of javadoc", ('<div class="summary-table"><div class="table-header '
     'col-first">A</div><div class="table-header col-last">B</div><div class="col-first">1</div>'
     '<div class="col-last">2</div></div>'), "| A | B |\n| --- | --- |\n| 1 | 2 |"),
    ("rows with code are named after their columns",
     "<table><tr><th>a<th>b<tr><td>1<td><p>c</p><pre>x</pre><tr><td>2<td>d</table>",
     "- a: 1\n  b: c\n\n```\nx\n```\n\n- a: 2\n  b: d"),
    ("Doxygen signatures are code", ('<table class="memname"><tr><td class="memname">int f</td>'
     "<td>(</td><td>int </td><td><em>a</em></td><td>)</td></tr></table>"), "`int f(int a)`"),
    ("Sphinx signatures are code",
     '<dl><dt class="sig" id="f.g"><span>f.</span>g(<em>a</em>)<a href="#f.g">¶</a></dt><dd>d</dl>',
     "`f.g(a)`\n: d"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [pytest.param(*s[1:], id=s[0]) for s in SHAPES])
def test_shapes_of_pages(html, expected):
    assert expected == text_of(html)


NAVIGATION = "<nav><a href=/>Home</a></nav><header>Site</header>"
LONG = "<p>" + "content " * 40 + "</p>"


@pytest.mark.parametrize(
    "main",
    [
        "<main>{}</main>",
        "<div role=main>{}</div>",
        "<article>{}</article>",
        "<div class=document><div class=documentwrapper><div class=body>{}</div></div></div>",
        "<main><nav>On this page</nav><article>{}</article><footer>Edit</footer></main>",
        '<main>{}<div class="breadcrumbs">a / b</div><div class="toc">c</div></main>',
    ],
)
def test_navigation_is_left_out_where_the_page_marks_its_content(main):
    html = f"<body>{NAVIGATION}{main.format('<h1>A</h1>' + LONG)}<footer>Imprint</footer>"

    assert text_of(html) == "# A\n\n" + "content " * 39 + "content"


@pytest.mark.parametrize(
    ("generator", "around"),
    [
        (
            "DocBook XSL Stylesheets V1.79.2",
            '<div class="navheader"><p>N</p></div>',
        ),
        ("DocBook XSL Stylesheets Vsnapshot", '<div class="navfooter"><hr>N</div>'),
        ("Doxygen 1.9.4", '<div id="top"><div id="titlearea">N</div></div>'),
        ("Asciidoctor 2.0.23", '<div id="toc" class="toc"><a href="#a">N</a></div>'),
    ],
)
def test_what_a_tool_puts_round_its_content_is_left_out_where_the_page_names_the_tool(
    generator, around
):
    page = f"<h1>A</h1><p>a</p>{around}"

    assert text_of(f'<meta name="generator" content="{generator}">{page}') == "# A\n\na"
    assert "N" in text_of(page)


def test_a_table_of_contents_is_left_out_only_where_it_repeats_the_headings():
    html = '<main><h1>A</h1><div class="toc"><ul><li><a href="{}">c</a></ul></div><p>b</p></main>'

    assert text_of(html.format("#c")) == "# A\n\nb"
    assert text_of(html.format("c.html")) == (
        "# A\n\n- [c](https://docs.example.org/guide/c.html)\n\nb"
    )


def test_a_sidebar_of_the_text_is_text():
    html = (
        '<main><p>a</p><aside class="sidebar"><p class="sidebar-title">T</p><p>b</p></aside></main>'
    )

    assert text_of(html) == "a\n\nT\n\nb"


def test_the_file_of_a_repository_is_its_main_content():
    html = f"""<main><table><tr><td>LICENSE</table><article class="markdown-body entry-content">
      <h1>A</h1>{LONG}</article></main>"""

    assert "LICENSE" not in text_of(html)


def test_nothing_is_left_out_where_the_page_marks_nothing():
    html = f"<body>{NAVIGATION}<div><h1>A</h1>{LONG}</div><footer>Imprint</footer>"

    text = text_of(html)

    assert all(part in text for part in ("Home", "Site", "# A", "content", "Imprint"))


@pytest.mark.parametrize("tag", ["section", "nav", "header", "footer", "aside"])
def test_code_outside_of_the_marked_content_is_kept(tag):
    html = f"<main>{LONG}</main><{tag}><pre>pip install x</pre></{tag}><nav>Home</nav>"

    text = text_of(html)

    assert "```\npip install x\n```" in text
    assert "Home" not in text


def test_navigation_that_holds_code_is_kept():
    html = f"<main>{LONG}<nav><pre>pip install x</pre></nav></main>"

    assert "```\npip install x\n```" in text_of(html)


@pytest.mark.parametrize(
    ("html", "needs_javascript"),
    [
        ('<div id="root"></div><script src="/app.js"></script>', True),
        ('<div id="app">Loading...</div><script src="/app.js"></script>', True),
        (
            "<noscript>You need to enable JavaScript to run this app.</noscript><script></script>",
            True,
        ),
        ('<div id="root"></div>', False),
        ('<p>Loading the dishwasher</p><script src="/app.js"></script>', False),
        (
            "<noscript><h1>Guide</h1><p>Install it with pip.</p></noscript><script>1</script>",
            False,
        ),
    ],
)
def test_pages_that_only_scripts_would_fill_are_told_apart(html, needs_javascript):
    assert needs_javascript == convert(html, URL).needs_javascript


def test_sections_are_found_at_their_place():
    html = (
        "<title>T</title><h2 id=one>One</h2><p>a</p><pre>x\ny\n</pre><section id=two><h2>Two</h2>"
        '<p>see <a name="three"></a>here</p><table><tr><td id=four>z</table>'
    )
    page = convert(html, URL)

    assert page.text[page.place_of("one") :].startswith("## One")
    assert page.text[page.place_of("two") :].startswith("## Two")
    assert page.text[page.place_of("three") :].startswith("see here")
    assert page.text[page.place_of("four") :].startswith("| z |")
    assert page.place_of("five") is None


def test_an_encoded_fragment_finds_its_section():
    page = convert("<p>a</p><h2 id='größe'>G</h2>", URL)

    assert page.place_of("gr%C3%B6%C3%9Fe") == page.place_of("größe") == 3


def test_deep_nesting_is_walked_without_recursion():
    depth = 3_000

    assert text_of("<div>" * depth + "<pre>x</pre>" + "</div>" * depth) == "```\nx\n```"


def test_drawings_do_not_count_as_depth():
    shapes = "<path d='M0'/>" * 6_000

    assert text_of(f"<p>a</p><svg>{shapes}<text>b</text></svg>") == "a\n\n[diagram: b]"


@pytest.mark.parametrize(
    "html",
    ["<div/>" * 6_000, "<path/>" * 6_000, "<svg><p>" + "<div/>" * 6_000,
     "<svg><foreignObject>" + "<path/>" * 6_000],
)  # fmt: skip
def test_nesting_beyond_reason_is_refused_however_it_is_written(html):
    with pytest.raises(BeyondReason):
        convert(html, URL)


CODE = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), include_characters="\n\t$`|<&"),
    min_size=1,
    max_size=80,
).filter(str.strip)
AROUND = st.sampled_from(
    [
        "{}",
        "<ul><li>a {}</ul>",
        "<ol><li><p>b</p>{}</ol>",
        "<blockquote>{}</blockquote>",
        "<table><tr><td>1</td><td>{}</td></tr></table>",
        "<div class=admonition>{}</div>",
        "<dl><dd>{}</dd></dl>",
        "<details>{}</details>",
        "<main><p>x</p>{}</main>",
        "<nav>{}</nav>",
        "<h2>t {}</h2>",
        "<a href=/y>{}</a>",
        "<b>c{}</b>",
    ]
)


def escaped(code):
    return code.replace("&", "&amp;").replace("<", "&lt;")


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(AROUND, CODE), min_size=1, max_size=4))
def test_every_code_block_is_in_the_text_verbatim_and_fenced(blocks):
    html = "".join(around.replace("{}", f"<pre>\n{escaped(code)}</pre>") for around, code in blocks)

    text = text_of(html)

    for _, code in blocks:
        assert code in text
    fences = re.findall(r"^`{3,}$", text, re.MULTILINE)
    assert len(fences) >= 2 * len(blocks)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=300))
def test_no_bytes_make_the_converter_raise(body):
    page = convert(body.decode("utf-8", errors="replace"), URL)

    assert isinstance(page.text, str)


TAGS = "p div pre code table tr td th ul ol li dl dt dd a b em main nav section h1 h3 br noscript"
FRAGMENT = st.one_of(
    st.sampled_from([f"<{tag}>" for tag in TAGS.split()]),
    st.sampled_from([f"</{tag}>" for tag in TAGS.split()]),
    st.sampled_from(
        ["<a href=x>", "<li value=2>", "<ol start=99999999>", "<p hidden>", "<td id=q>"]
    ),
    st.text("ab <&`|\n", max_size=5),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENT, max_size=40))
def test_no_tag_soup_makes_the_converter_raise(parts):
    page = convert("".join(parts), URL)

    assert all(0 <= place <= len(page.text) for place in page.anchors.values())
