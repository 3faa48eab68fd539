"""
One page of each documentation tool, and its text.

`QS_UPDATE_GOLDEN=1` writes the texts anew; read the difference as a reader would.
"""

import os
from pathlib import Path

import pytest

from quickstarted.docs.text.html import convert

PAGES = sorted((Path(__file__).parents[3] / "golden" / "docs").glob("*.html"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_is_read_as_before(page):
    html = page.read_text(encoding="utf-8")
    golden = page.with_suffix(".md")

    text = convert(html, "https://docs.example.org/guide/page").text + "\n"

    if os.environ.get("QS_UPDATE_GOLDEN"):
        golden.write_text(text, encoding="utf-8")
    assert golden.read_text(encoding="utf-8") == text, "QS_UPDATE_GOLDEN=1 writes it again"


def test_there_is_a_page_of_every_tool():
    tools = {page.stem.partition("-")[0] for page in PAGES}

    assert tools >= {
        "asciidoctor", "docbook", "docusaurus", "doxygen", "github", "hugo", "javadoc", "jekyll",
        "mdbook", "mkdocs", "rustdoc", "sphinx", "starlight", "vitepress",
    }  # fmt: skip
