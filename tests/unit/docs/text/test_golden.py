"""
One page of each documentation tool, and its text.

`python tests/unit/docs/text/test_golden.py` writes the texts anew; read the difference.
"""

from pathlib import Path

import pytest

from quickstarted.docs.text.html import convert

PAGES = sorted((Path(__file__).parents[3] / "golden" / "docs").glob("*.html"))


def text_of(page):
    return convert(page.read_text(encoding="utf-8"), "https://docs.example.org/guide/page").text


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_page_is_read_as_before(page):
    expected = page.with_suffix(".md").read_text(encoding="utf-8")

    assert expected == text_of(page) + "\n"


def test_there_are_pages():
    assert len(PAGES) >= 4


if __name__ == "__main__":
    for found in PAGES:
        found.with_suffix(".md").write_text(text_of(found) + "\n", encoding="utf-8")
