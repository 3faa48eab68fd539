"""Which URLs are affordances for agents, and which only look like them."""

import httpx
import pytest

from quickstarted.docs.affordances import is_affordance, is_index, is_markdown_variant

INDEXES = [
    "https://docs.example/llms.txt",
    "https://docs.example/llms-full.txt",
    "https://docs.example/LLMS.txt",
    "https://docs.example/%6Clms.txt",
    "https://docs.example/en/stable/llms.txt",
    "https://docs.example/docs/llms-full.txt",
    "https://docs.example/llms.txt/",
    "https://docs.example/llms.txt?v=2",
    "https://docs.example/llms-small.txt",
    "https://docs.example/llms-ctx-full.txt",
    "https://docs.example/llms_full.txt",
    "https://docs.example/llms.en.txt",
    "https://docs.example/llm.txt",
    "https://docs.example/.well-known/llms.txt",
    "https://docs.example/_llms-txt/reference.txt",
    "https://docs.example/llms/guides.txt",
    "https://docs.example/llms.txt;v=2",
    "https://docs.example/llms.txt%20",
    "https://docs.example//llms.txt.",
]

MARKDOWN = [
    "https://docs.example/start.md",
    "https://docs.example/start.MD",
    "https://docs.example/start.mdx",
    "https://docs.example/start.markdown",
    "https://docs.example/start.html.md",
    "https://docs.example/start/index.md",
    "https://docs.example/start/index.html.md",
    "https://docs.example/start.llms.md",
    "https://docs.example/start.md.txt",
    "https://docs.example/start.md/",
    "https://docs.example/start.md?version=2",
    "https://docs.example/start%2Emd",
    "https://docs.example/_sources/start.md",
    "https://docs.example/start?format=md",
    "https://docs.example/start?version=2&format=Markdown",
    "https://docs.example/start?output=text/markdown",
    "https://docs.example/start?markdown",
    "https://docs.example/start?md=",
    "https://docs.example/start?version=2;format=md",
    "https://docs.example/start.md;version=2",
    "https://docs.example/start.md%20",
    "https://docs.example/start.md%09",
    "https://docs.example/start.md.",
    "https://docs.example/start.md%00.html",
    "https://docs.example/start.md%3Fraw",
    "https://docs.example/start.md%23install",
    "https://docs.example/start%252emd",
    "https://docs.example/start%25252emd",
    "https://docs.example/start.md%2f",
    "https://docs.example/start.md/.",
    "https://docs.example/x/..//start.md//",
    "https://docs.example./START.MD",
    "https://raw.githubusercontent.com/org/repo/main/README.md",
    "https://github.com/org/repo/raw/main/README.md",
    "https://git.example/org/repo/-/raw/main/README.md",
]

PAGES = [
    "https://docs.example/",
    "https://docs.example",
    "https://docs.example/start",
    "https://docs.example/start.html",
    "https://docs.example/llms",
    "https://docs.example/docs/llms.html",
    "https://docs.example/using-llms.txt.html",
    "https://docs.example/robots.txt",
    "https://docs.example/notes.txt",
    "https://docs.example/_sources/start.rst.txt",
    "https://docs.example/start.rst",
    "https://docs.example/cmd",
    "https://docs.example/markdown/",
    "https://docs.example/README.md/install",
    "https://docs.example/search?q=md",
    "https://docs.example/search?q=llms.txt",
    "https://docs.example/start?lang=en&format=html",
    "https://github.com/org/repo/blob/main/README.md",
    "https://gitlab.com/org/repo/-/blob/main/docs/start.md",
    "https://git.example/org/repo/-/blob/main/README.md",
    "https://forge.example/org/repo/src/branch/main/README.md",
    "https://chromium.googlesource.com/chromium/src/+/main/README.md",
]


@pytest.mark.parametrize("url", INDEXES)
def test_an_index_for_agents_is_known_at_any_depth(url):
    assert is_index(httpx.URL(url))
    assert is_affordance(httpx.URL(url))


@pytest.mark.parametrize("url", MARKDOWN)
def test_the_markdown_variant_of_a_page_is_known_by_its_url(url):
    assert is_markdown_variant(httpx.URL(url))
    assert is_affordance(httpx.URL(url))


@pytest.mark.parametrize("url", PAGES)
def test_a_page_for_people_is_no_affordance(url):
    assert not is_affordance(httpx.URL(url))
