"""Notes and warnings in the mark-up of each tool."""

import pytest

from quickstarted.docs.text.html import convert

DOCBOOK = '<div class="note"><h3 class="title">Note</h3><p>a</p></div>'
DOCBOOK_STYLE = (
    '<div class="warning" style="margin-left: 0.5in"><h3 class="title">Warning</h3><p>a</p></div>'
)
DOCBOOK_GRAPHICS = (
    '<div class="tip"><table summary="Tip"><tr><td rowspan="2"><img alt="[Tip]" src="t.png"></td>'
    "<th>Tip</th></tr><tr><td><p>a</p></td></tr></table></div>"
)
ASCIIDOCTOR = (
    '<div class="admonitionblock note"><table><tr><td class="icon"><i class="fa icon-note" '
    'title="Note"></i></td><td class="content">a</td></tr></table></div>'
)
ASCIIDOCTOR_TITLE = (
    '<div class="admonitionblock note"><table><tr><td class="icon"><div class="title">Note</div>'
    '</td><td class="content"><div class="title">T</div><p>a</p></td></tr></table></div>'
)
ASCIIDOC_PYTHON = (
    '<div class="admonitionblock"><table><tr><td class="icon"><div class="title">Note</div></td>'
    '<td class="content">a</td></tr></table></div>'
)
SPHINX = '<div class="admonition note"><p class="admonition-title">Note</p><p>a</p></div>'
MATERIAL_DETAILS = '<details class="admonition note"><summary>Note</summary><p>a</p></details>'
DOCUSAURUS = (
    '<div class="theme-admonition theme-admonition-note admonition_x alert alert--secondary">'
    '<div class="admonitionHeading_x"><span class="admonitionIcon_x"><svg></svg></span>Note</div>'
    '<div class="admonitionContent_x"><p>a</p></div></div>'
)
VITEPRESS = '<div class="tip custom-block"><p class="custom-block-title">Tip</p><p>a</p></div>'
STARLIGHT = (
    '<aside aria-label="Note" class="starlight-aside starlight-aside--note">'
    '<p class="starlight-aside__title" aria-hidden="true"><svg></svg>Note</p>'
    '<div class="starlight-aside__content"><p>a</p></div></aside>'
)
GITHUB = (
    '<div class="markdown-alert markdown-alert-note"><p class="markdown-alert-title"><svg></svg>'
    "Note</p><p>a</p></div>"
)
RUSTDOC = '<div class="warning">a</div>'
JUST_THE_DOCS = '<p class="note">a</p>'
DOCSY = '<div class="alert alert-info" role="alert"><h4 class="alert-heading">Note</h4>a</div>'
CASES = [
    ("Sphinx", SPHINX, "Note"),
    ("Material, collapsible", MATERIAL_DETAILS, "Note"),
    ("Docusaurus", DOCUSAURUS, "Note"),
    ("VitePress", VITEPRESS, "Tip"),
    ("Starlight", STARLIGHT, "Note"),
    ("GitHub", GITHUB, "Note"),
    ("DocBook", DOCBOOK, "Note"),
    ("DocBook with a style", DOCBOOK_STYLE, "Warning"),
    ("DocBook with graphics", DOCBOOK_GRAPHICS, "Tip"),
    ("Asciidoctor with icons", ASCIIDOCTOR, "Note"),
    ("AsciiDoc", ASCIIDOC_PYTHON, "Note"),
    ("rustdoc and mdBook", RUSTDOC, "Warning"),
    ("a class of the style sheet alone", JUST_THE_DOCS, "Note"),
    ("Bootstrap, Docsy", DOCSY, "Note"),
]


def text_of(html):
    return convert(html, "https://docs.example.org/").text


@pytest.mark.parametrize(("html", "title"), [pytest.param(*case[1:], id=case[0]) for case in CASES])
def test_an_admonition_is_a_quote_with_its_title_in_bold(html, title):
    assert f"> **{title}**\n>\n> a" == text_of(html)


def test_an_admonition_may_have_a_title_besides_its_kind():
    assert "> **Note**\n>\n> **T**\n>\n> a" == text_of(ASCIIDOCTOR_TITLE)


@pytest.mark.parametrize("start", ["Note: b", "NOTE b", "note that b"])
def test_a_kind_that_the_text_says_itself_is_not_said_twice(start):
    assert f"> {start}" == text_of(f'<div class="note">{start}</div>')


def test_code_in_an_admonition_starts_in_the_first_column():
    html = '<div class="note"><p>a</p><pre>b</pre><p>c</p></div>'

    assert "> **Note**\n>\n> a\n\n```\nb\n```\n\n> c" == text_of(html)


def test_details_are_no_admonition_because_of_how_they_look():
    html = '<details class="details_x alert alert--info"><summary>s</summary><p>a</p></details>'

    assert "**s**\n\na" == text_of(html)
