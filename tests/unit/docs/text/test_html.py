"""The text of a page: a table of the shapes that documentation has."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickstarted.docs.text.html import convert

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
    ("Sphinx signatures are code",
     '<dl><dt class="sig" id="f.g"><span>f.</span>g(<em>a</em>)<a href="#f.g">¶</a></dt><dd>d</dl>',
     "`f.g(a)`\n: d"),
]  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [pytest.param(*s[1:], id=s[0]) for s in SHAPES])
def test_shapes_of_pages(html, expected):
    assert expected == text_of(html)


def test_tabs_of_every_kind_are_all_there_under_their_names():
    aria = """<ul role="tablist"><li role="tab">npm</li><li role="tab">Yarn</li></ul>
      <div role="tabpanel"><pre>npm i</pre></div>
      <div role="tabpanel" hidden><pre>yarn</pre></div>"""
    material = """<div class="tabbed-set"><input type="radio"><input type="radio">
      <div class="tabbed-labels"><label>npm</label><label>Yarn</label></div>
      <div class="tabbed-content"><div class="tabbed-block"><pre>npm i</pre></div>
      <div class="tabbed-block"><pre>yarn</pre></div></div></div>"""
    vitepress = """<div class="vp-code-group"><div class="tabs">
      <input type="radio"><label>npm</label>
      <input type="radio"><label>Yarn</label></div><div class="blocks">
      <div class="language-sh active"><pre>npm i</pre></div>
      <div class="language-sh"><pre>yarn</pre></div></div></div>"""
    plain = "**Tab: npm**\n\n```\nnpm i\n```\n\n**Tab: Yarn**\n\n```\nyarn\n```"

    assert plain == text_of(aria)
    assert plain == text_of(material)
    assert plain == text_of(vitepress).replace("```sh", "```")


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
