"""Tabs in the mark-up of each tool: every panel is there under its name."""

import pytest

from quickstarted.docs.text.html import convert

ARIA = """<ul role="tablist"><li role="tab">npm</li><li role="tab">Yarn</li></ul>
  <div role="tabpanel"><pre>npm i</pre></div><div role="tabpanel" hidden><pre>yarn</pre></div>"""
STARLIGHT = """<starlight-tabs><ul role="tablist">
  <li class="tab"><a role="tab" href="#p-1" id="t-1" aria-selected="true">npm</a></li>
  <li class="tab"><a role="tab" href="#p-2" id="t-2">Yarn</a></li></ul>
  <div id="p-1" aria-labelledby="t-1" role="tabpanel"><pre>npm i</pre></div>
  <div id="p-2" aria-labelledby="t-2" role="tabpanel" hidden><pre>yarn</pre></div>
  </starlight-tabs>"""
MATERIAL = """<div class="tabbed-set"><input type="radio"><input type="radio">
  <div class="tabbed-labels"><label>npm</label><label>Yarn</label></div>
  <div class="tabbed-content"><div class="tabbed-block"><pre>npm i</pre></div>
  <div class="tabbed-block"><pre>yarn</pre></div></div></div>"""
OLD_MATERIAL = """<div class="tabbed-set"><input type="radio"><label>npm</label>
  <div class="tabbed-content"><pre>npm i</pre></div><input type="radio"><label>Yarn</label>
  <div class="tabbed-content"><pre>yarn</pre></div></div>"""
VITEPRESS = """<div class="vp-code-group"><div class="tabs"><input type="radio"><label>npm</label>
  <input type="radio"><label>Yarn</label></div><div class="blocks">
  <div class="language-sh active"><pre>npm i</pre></div>
  <div class="language-sh"><pre>yarn</pre></div></div></div>"""
SPHINX_DESIGN = """<div class="sd-tab-set"><input id="i0" type="radio"><label class="sd-tab-label"
  for="i0">npm</label><div class="sd-tab-content"><pre>npm i</pre></div><input id="i1" type="radio">
  <label class="sd-tab-label" for="i1">Yarn</label><div class="sd-tab-content"><pre>yarn</pre></div>
  </div>"""
BOOTSTRAP_3 = """<ul class="nav nav-tabs"><li><a href="#a" data-toggle="tab">npm</a></li>
  <li><a href="#b" data-toggle="tab">Yarn</a></li></ul><div class="tab-content">
  <div class="tab-pane active" id="a"><pre>npm i</pre></div>
  <div class="tab-pane" id="b"><pre>yarn</pre></div></div>"""
DOCSY = """<ul class="nav nav-tabs" role="tablist"><li><button data-bs-toggle="tab"
  data-bs-target="#a" role="tab" aria-controls="a">npm</button></li><li><button data-bs-toggle="tab"
  data-bs-target="#b" role="tab" aria-controls="b">Yarn</button></li></ul><div class="tab-content">
  <div class="tab-pane" role="tabpanel" id="a"><pre>npm i</pre></div>
  <div class="tab-pane" role="tabpanel" id="b"><pre>yarn</pre></div></div>"""
DJANGO = """<div class="console-block"><input type="radio" checked>
  <label title="npm">&#xf17c/&#xf179</label><input type="radio"><label title="Yarn">&#xf17a</label>
  <section><div class="highlight"><pre>npm i</pre></div></section>
  <section><div class="highlight"><pre>yarn</pre></div></section></div>"""
ASCIIDOCTOR_TABS = """<div class="tabs openblock is-loading"><div class="content">
  <div class="ulist tablist"><ul><li id="x1" class="tab"><p>npm</p></li>
  <li id="x2" class="tab"><p>Yarn</p></li></ul></div>
  <div id="x1--panel" class="tabpanel" aria-labelledby="x1"><pre>npm i</pre></div>
  <div id="x2--panel" class="tabpanel" aria-labelledby="x2"><pre>yarn</pre></div></div></div>"""
README = """<div class="CodeTabs"><div class="CodeTabs-toolbar"><button>npm</button>
  <button>Yarn</button></div><div class="CodeTabs-inner"><pre>npm i</pre><pre>yarn</pre></div>
  </div>"""
CASES = {
    "WAI-ARIA, Docusaurus, sphinx-tabs": ARIA,
    "Starlight": STARLIGHT,
    "MkDocs Material": MATERIAL,
    "MkDocs Material of old": OLD_MATERIAL,
    "VitePress": VITEPRESS,
    "sphinx-design, sphinx-inline-tabs": SPHINX_DESIGN,
    "Bootstrap 3": BOOTSTRAP_3,
    "Bootstrap 5, Docsy": DOCSY,
    "asciidoctor-tabs, Antora": ASCIIDOCTOR_TABS,
    "ReadMe": README,
    "Django, whose labels are icons": DJANGO,
}


def text_of(html):
    return convert(html, "https://docs.example.org/").text


@pytest.mark.parametrize("html", [pytest.param(html, id=name) for name, html in CASES.items()])
def test_tabs_of_every_kind_are_all_there_under_their_names(html):
    expected = "**Tab: npm**\n\n```\nnpm i\n```\n\n**Tab: Yarn**\n\n```\nyarn\n```"

    assert expected == text_of(html).replace("```sh", "```")


def test_filters_of_one_table_are_no_tabs():
    html = """<div role="tablist"><button role="tab" id="t0" aria-controls="p">All</button>
      <button role="tab" id="t1" aria-controls="p">Static</button></div>
      <div id="p" role="tabpanel" aria-labelledby="t0"><p>a</p></div>"""

    assert "a" == text_of(html)


def test_tabs_in_tabs_keep_their_own_names():
    inner = MATERIAL.replace("npm", "pip").replace("Yarn", "uv")
    html = MATERIAL.replace("<pre>npm i</pre>", inner)

    names = [line for line in text_of(html).splitlines() if line.startswith("**Tab")]
    assert ["**Tab: npm**", "**Tab: pip**", "**Tab: uv**", "**Tab: Yarn**"] == names
