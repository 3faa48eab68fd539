"""Every relative link of the documentation leads somewhere."""

from pathlib import PurePosixPath
from urllib.parse import urlsplit

import pytest

from fakes.pages import CHECKOUT, PAGES, anchors, links, name_of


def dead(page):
    text = page.read_text()
    return [link for link in links(text) if not urlsplit(link).scheme and not leads(page, link)]


def leads(page, link):
    path, _, anchor = link.partition("#")
    target = (page.parent / path).resolve() if path else page
    if not target.exists() or not target.is_relative_to(CHECKOUT):
        return False
    return not anchor or anchor in anchors(target.read_text())


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_and_anchor_of_a_page_leads_somewhere(page):
    assert [] == dead(page)


def test_every_page_of_the_guide_is_in_its_index():
    index = CHECKOUT / "docs" / "README.md"
    linked = {PurePosixPath(link.partition("#")[0]).name for link in links(index.read_text())}
    pages = {page.name for page in (CHECKOUT / "docs").glob("*.md")} - {"README.md"}

    assert set() == pages - linked


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("## Two words", "two-words"),
        (
            "### `docs.path` or `docs.entrypoint` (one of them required)",
            "docspath-or-docsentrypoint-one-of-them-required",
        ),
        ("# 3. Egress", "3-egress"),
        ("# a_b-c", "a_b-c"),
    ],
)
def test_anchors_are_named_as_github_names_them(heading, anchor):
    assert {anchor} == anchors(heading)


def test_headings_of_one_name_have_numbers():
    assert {"again", "again-1", "again-2"} == anchors("# Again\n\n## Again\n\n## Again\n")
