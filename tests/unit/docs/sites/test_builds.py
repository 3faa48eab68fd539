"""Builds of real documentation tools, read page by page as an agent follows their links."""

import re
from pathlib import Path

import httpx
import pytest

from quickstarted.docs import DocsClient, DocsRules, Page, Site

BUILDS = Path(__file__).parents[3] / "golden" / "sites"
PREFIX = "https://docs.example.org/lantern/"
LINK = re.compile(r"\]\(([^)\s#]+)")
PATHS = {
    "docusaurus": ("", "guide/configure", "guide/quickstart"),
    "hugo": ("", "guide/configure/", "guide/quickstart/"),
    "hugo-root": ("", "guide/configure/", "guide/quickstart/"),
    "jekyll": ("", "guide/configure.html", "guide/quickstart.html"),
    "material": ("", "guide/configure/", "guide/quickstart/"),
    "mkdocs": ("", "guide/configure/", "guide/quickstart/"),
    "sphinx": ("", "guide/configure.html", "guide/quickstart.html", "index.html"),
    "sphinx-dir": ("", "guide/configure/", "guide/quickstart/"),
    "vitepress": ("", "guide/configure", "guide/quickstart"),
}


def no_network(request):
    raise AssertionError(f"the network was asked for {request.url}")


def client(folder):
    rules = DocsRules(
        allow_hosts=("docs.example.org",), sites=(Site(prefix=PREFIX, folder=folder),)
    )
    return DocsClient(rules, transport=httpx.MockTransport(no_network))


def read_all(name) -> dict[str, Page]:
    """Every page that links lead to from the first one, by its path below the prefix."""
    pages: dict[str, Page] = {}
    pending = [PREFIX]
    with client(BUILDS / name) as docs:
        while pending:
            url = pending.pop()
            path = url.removeprefix(PREFIX)
            if path in pages or not url.startswith(PREFIX):
                continue
            page = docs.read(url).outcome
            assert isinstance(page, Page), page
            pages[path] = page
            pending += LINK.findall(page.text)
    return pages


def test_there_is_a_build_of_every_tool():
    assert sorted(PATHS) == sorted(path.name for path in BUILDS.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", sorted(PATHS))
def test_every_link_of_a_build_leads_to_a_page_below_the_prefix(name):
    pages = read_all(name)

    assert sorted(PATHS[name]) == sorted(pages)
    assert all(page.resolved_to in {page.url, f"{page.url}/"} for page in pages.values())


@pytest.mark.parametrize("name", sorted(PATHS))
def test_the_text_of_a_build_is_what_stands_on_its_pages(name):
    pages = read_all(name)
    _, configure, quickstart, *_ = [pages[path].text for path in PATHS[name]]

    assert "# Quickstart" in quickstart
    assert "```sh\npip install lantern\n\nlantern init notes/\n```" in quickstart
    assert "```yaml\nstorage:\n  path: ./index\n\n  limit: 10\n```" in configure


@pytest.mark.parametrize("name", sorted(PATHS))
def test_a_link_into_a_section_finds_it(name):
    with client(BUILDS / name) as docs:
        text = docs.read(f"{PREFIX}{PATHS[name][1]}#storage").outcome.text

    assert text.startswith('[The section "#storage" starts at line ')


@pytest.mark.parametrize("name", ["docusaurus", "hugo", "material", "mkdocs"])
def test_the_tools_own_page_for_missing_ones_is_what_a_reader_gets(name):
    with client(BUILDS / name) as docs:
        outcome = docs.read(f"{PREFIX}guide/nope").outcome

    assert 404 == outcome.status
    assert re.search("not found", outcome.text, re.IGNORECASE)
