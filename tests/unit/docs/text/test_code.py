"""Code blocks as highlighters write them."""

import pytest

from quickstarted.docs.text.html import convert

SHIKI = (
    '<div class="language-sh vp-adaptive-theme"><button title="Copy Code" class="copy"></button>'
    '<span class="lang">sh</span><pre class="shiki"><code>'
    '<span class="line"><span style="color:#A">$ npm</span><span> init</span></span>\n'
    '<span class="line"></span>\n<span class="line">  ok</span></code></pre></div>'
)
SHIKI_WITHOUT_BREAKS = (
    '<pre class="language-js"><code><span class="line">a {</span><span class="line"></span>'
    '<span class="line">  b</span><span class="line">}</span></code></pre>'
)
PRISM_DOCUSAURUS = (
    '<div class="language-bash codeBlockContainer_x theme-code-block"><div class="content">'
    '<pre tabindex="0" class="prism-code language-bash"><code><span class="token-line">'
    '<span class="token plain">cd x</span><br></span><span class="token-line">'
    '<span style="display:inline-block"></span><br></span><span class="token-line">'
    '<span class="token plain">  ls</span><br></span></code></pre>'
    '<div class="buttonGroup"><button aria-label="Copy code to clipboard">Copy</button></div>'
    "</div></div>"
)
PRISM_LINE_NUMBERS = (
    '<pre class="line-numbers language-go"><code class="language-go line-numbers">a\nb'
    '<span aria-hidden="true" class="line-numbers-rows"><span></span></span></code></pre>'
)
PYGMENTS_TABLE = (
    '<div class="highlight-python3 notranslate"><div class="highlight">'
    '<table class="highlighttable">'
    '<tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td>'
    '<td class="code"><div>'
    "<pre><span></span><span>def</span> f():\n    <span>return</span> 1\n</pre></div></td></tr>"
    "</table></div></div>"
)
PYGMENTS_INLINE = (
    '<div class="highlight-default notranslate"><div class="highlight"><pre><span></span>'
    '<span class="linenos">1</span><span>a</span>\n<span class="linenos">2</span>b\n</pre>'
    "</div></div>"
)
CHROMA = (
    '<div class="highlight"><pre tabindex="0" class="chroma"><code class="language-toml" '
    'data-lang="toml"><span class="line"><span class="cl"><span>a</span> = 1\n</span></span>'
    '<span class="line"><span class="cl">\n</span></span>'
    '<span class="line"><span class="cl">b = 2\n</span></span></code></pre></div>'
)
ROUGE_TABLE = (
    '<div class="language-ruby highlighter-rouge"><div class="highlight"><pre class="highlight">'
    '<code><table class="rouge-table"><tbody><tr><td class="rouge-gutter gl">'
    '<pre class="lineno">1\n2\n</pre></td><td class="rouge-code"><pre>a\n  b\n</pre></td></tr>'
    "</tbody></table></code></pre></div></div>"
)
EXPRESSIVE_CODE = (
    '<div class="expressive-code"><figure class="frame"><pre data-language="sh"><code>'
    '<div class="ec-line"><div class="gutter"><div class="ln">1</div></div>'
    '<div class="code">a</div>'
    '</div><div class="ec-line"><div class="code">\n</div></div>'
    '<div class="ec-line"><div class="code">  b</div></div></code></pre>'
    '<div class="copy"><button title="Copy to clipboard"><div></div></button></div></figure></div>'
)
GITHUB = (
    '<div class="highlight highlight-source-shell"><pre>pip install x</pre></div>'
    '<div class="zeroclipboard-container"><clipboard-copy value="x">y</clipboard-copy></div>'
)
STYLE_NUMBER = "white-space:pre;-webkit-user-select:none;user-select:none;color:#7f7f7f"
CHROMA_STYLES = (
    '<div class="highlight"><pre tabindex="0" style="color:#f8f8f2"><code class="language-sh" '
    f'data-lang="sh"><span style="display:flex;"><span style="{STYLE_NUMBER}">1</span><span>a\n'
    f'</span></span><span style="display:flex;"><span style="{STYLE_NUMBER}">2</span><span>  b\n'
    "</span></span></code></pre></div>"
)
CHROMA_TABLE = (
    '<div class="highlight"><div class="chroma"><table class="lntable"><tr><td class="lntd">'
    '<pre class="chroma"><code><span class="lnt">1\n</span><span class="lnt">2\n</span>'
    "</code></pre>"
    '</td><td class="lntd"><pre class="chroma"><code class="language-go" data-lang="go">'
    '<span class="line"><span class="cl">a\n</span></span><span class="line hl">'
    '<span class="cl">  b\n'
    "</span></span></code></pre></td></tr></table></div></div>"
)
DOXYGEN = (
    '<div class="fragment"><div class="line"><a class="code" href="c.html">A</a> a;</div>\n'
    '<div class="line">&#160;</div>\n<div class="line"><span class="lineno">   3'
    "</span>  f();</div>\n"
    '<div class="ttc" id="x"><div class="ttname">A</div></div>\n</div><!-- fragment -->'
)
PRETTIFY = (
    '<pre class="prettyprint linenums lang-py"><ol class="linenums"><li class="L0"><span>a'
    "</span></li>"
    '<li class="L1"></li><li class="L2"><span>  b</span></li></ol></pre>'
)
HLJS_NUMBERS = (
    '<pre><code class="hljs language-js"><table class="hljs-ln"><tbody><tr>'
    '<td class="hljs-ln-numbers">'
    '<div class="hljs-ln-n" data-line-number="1"></div></td><td class="hljs-ln-code">a</td>'
    "</tr><tr>"
    '<td class="hljs-ln-numbers"></td><td class="hljs-ln-code">  b</td></tr></tbody></table>'
    "</code></pre>"
)
GITHUB_LINES = (
    '<table class="highlight tab-size" data-tab-size="8"><tr><td id="L1" class="blob-num" '
    'data-line-number="1"></td><td id="LC1" class="blob-code">a</td></tr><tr>'
    '<td class="blob-num"></td>'
    '<td class="blob-code">  b</td></tr></table>'
)
MINTLIFY = (
    '<div class="code-block" language="bash"><div data-component-part="code-block-header">'
    '<button aria-label="Copy the contents from the code block"></button></div><pre class="shiki">'
    '<code language="bash"><span class="line"><span>a</span></span>\n<span class="line">  b'
    "</span>\n"
    "</code></pre></div>"
)
ASCIIDOCTOR = (
    '<div class="listingblock"><div class="content"><pre class="highlightjs highlight">'
    '<code class="language-toml hljs" data-lang="toml">a = 1 <i class="conum" data-value="1"></i>'
    "<b>(1)</b></code></pre></div></div>"
)
MDBOOK = (
    '<pre><pre class="playground"><code class="language-rust edition2021">'
    '<span class="boring">fn main() '
    '{\n</span>a();\n<span class="boring">}</span></code></pre></pre>'
)
CASES = [
    ("plain", "<pre>a\n\n\tb  \n</pre>", "", "a\n\n\tb  \n"),
    ("entities", "<pre><code>a &lt; b &amp;&amp; c</code></pre>", "", "a < b && c"),
    ("prompts", "<pre>$ pip install x\n&gt;&gt;&gt; 1</pre>", "", "$ pip install x\n>>> 1"),
    ("br", '<pre class="lang-py">a<br>  b<br><br>c</pre>', "py", "a\n  b\n\nc"),
    ("blocks", "<pre><div>a</div><div></div><div>b</div></pre>", "", "a\n\nb"),
    ("blocks and breaks", "<pre><div>a</div>\n<div>b</div></pre>", "", "a\nb"),
    ("leading blank line", "<pre>\n\na</pre>", "", "\na"),
    ("white space in no element", "<pre><code>a</code>\n\n<code>b</code></pre>", "", "a\n\nb"),
    ("a word of class line", '<pre>a <span class="line">b</span> c</pre>', "", "a b c"),
    ("hidden part", '<pre>a<span style="display:none">x</span>b</pre>', "", "ab"),
    ("no-break spaces stay", "<pre>a&nbsp;b</pre>", "", "a\xa0b"),
    ("Shiki", SHIKI, "sh", "$ npm init\n\n  ok"),
    ("Shiki without breaks", SHIKI_WITHOUT_BREAKS, "js", "a {\n\n  b\n}"),
    ("Prism, Docusaurus", PRISM_DOCUSAURUS, "bash", "cd x\n\n  ls\n"),
    ("Prism with line numbers", PRISM_LINE_NUMBERS, "go", "a\nb"),
    ("Pygments table", PYGMENTS_TABLE, "python3", "def f():\n    return 1\n"),
    ("Pygments inline numbers", PYGMENTS_INLINE, "", "a\nb\n"),
    ("Chroma", CHROMA, "toml", "a = 1\n\nb = 2\n"),
    ("Rouge table", ROUGE_TABLE, "ruby", "a\n  b\n"),
    ("Expressive Code", EXPRESSIVE_CODE, "sh", "a\n\n  b"),
    ("GitHub", GITHUB, "shell", "pip install x"),
    ("pandoc", '<pre class="sourceCode bash"><code>a</code></pre>', "bash", "a"),
    ("highlight.js", '<pre><code class="hljs python">a</code></pre>', "python", "a"),
    ("no language", '<pre><code class="language-text">a</code></pre>', "", "a"),
    ("code with breaks and no pre", "<p><code>a<br>b</code></p>", "", "a\nb"),
    ("text area", "<textarea readonly>a\n b</textarea>", "", "a\n b"),
    ("Chroma with styles", CHROMA_STYLES, "sh", "a\n  b\n"),
    ("Chroma table", CHROMA_TABLE, "go", "a\n  b\n"),
    ("Doxygen", DOXYGEN, "", "A a;\n\n  f();"),
    ("google-code-prettify", PRETTIFY, "py", "a\n\n  b"),
    ("highlight.js with line numbers", HLJS_NUMBERS, "js", "a\n  b"),
    ("lines of a file on GitHub", GITHUB_LINES, "", "a\n  b"),
    ("Mintlify", MINTLIFY, "bash", "a\n  b\n"),
    ("Asciidoctor with callouts", ASCIIDOCTOR, "toml", "a = 1 (1)"),
    ("mdBook with lines that only a script hides", MDBOOK, "rust", "fn main() {\na();\n}"),
    ("org-mode", '<pre class="src src-sh">a</pre>', "sh", "a"),
    ("SyntaxHighlighter", '<pre class="brush: bash; gutter: false">a</pre>', "bash", "a"),
    ("a class that is the language", '<pre class="console">a</pre>', "console", "a"),
    ("an empty language", '<pre class="lang-">a</pre>', "", "a"),
    ("an empty language beside a marker", '<pre class="prettyprint lang-">a</pre>', "", "a"),
    ("a marker without a language", '<pre class="prettyprint linenums">a</pre>', "", "a"),
    ("role code", "<div role=code>a<br> b</div>", "", "a\n b"),
    ("code with a style", '<p><code style="white-space: pre">a\n b</code></p>', "", "a\n b"),
    ("code with a language", '<code class="language-py">a\n b</code>', "py", "a\n b"),
    (
        "words inside of code",
        "<pre>a <var>b</var> <samp>c</samp> <kbd>d</kbd></pre>",
        "",
        "a b c d",
    ),
    ("trailing spaces and tabs", "<pre>a \t\n\t \nb</pre>", "", "a \t\n\t \nb"),
    ("line breaks of Windows", "<pre>a\r\n b\r\n</pre>", "", "a\n b\n"),
    ("a class of numbers that holds code", '<pre><span class="ln">a</span> b</pre>', "", "a b"),
    ("code in a link", '<a href="/x"><pre>a</pre></a>', "", "a"),
    ("code in a heading", "<h2><pre>a</pre></h2>", "", "a"),
    ("code in a term", "<dl><dt><pre>a</pre></dt><dd>b</dd></dl>", "", "a"),
]


@pytest.mark.parametrize(
    ("html", "language", "code"), [pytest.param(*case[1:], id=case[0]) for case in CASES]
)
def test_code_comes_out_as_it_shows(html, language, code):
    text = convert(html, "https://docs.example.org/").text

    end = "" if code.endswith("\n") else "\n"
    assert f"```{language}\n{code}{end}```" in text
    assert text.count("```") == 2


def test_adjacent_blocks_stay_apart():
    text = convert("<pre>a</pre><pre>b</pre>", "https://docs.example.org/").text

    assert text == "```\na\n```\n\n```\nb\n```"


def test_a_fence_is_longer_than_any_in_the_code():
    text = convert("<pre>```sh\nx\n```</pre>", "https://docs.example.org/").text

    assert text == "````\n```sh\nx\n```\n````"


@pytest.mark.parametrize(
    "around", ["<ul><li>a{}</ul>", "<blockquote>{}</blockquote>", "<dl><dt>a<dd>{}</dl>"]
)
def test_code_starts_in_the_first_column_wherever_it_stands(around):
    html = around.format("<pre>if x:\n    y</pre>")

    assert "\n```\nif x:\n    y\n```" in "\n" + convert(html, "https://docs.example.org/").text
