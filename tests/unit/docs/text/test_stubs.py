"""Redirect pages as the tools write them: each is known for what it is, with where it leads."""

import pytest

from fakes.stubs import SCRIPT_ONLY, STUBS
from quickstarted.docs.text.html import convert

PAGE = "https://docs.example/old/start"
NEW = "https://docs.example/new/start/"


@pytest.mark.parametrize("tool", STUBS)
def test_the_stub_of_a_tool_leads_to_its_page(tool):
    document = convert(STUBS[tool].replace("{url}", NEW), PAGE)

    assert document.stub is not None, document.text
    assert NEW == document.stub.target
    assert document.script_target is None


@pytest.mark.parametrize("tool", STUBS)
def test_a_stub_may_name_its_page_by_a_path(tool):
    document = convert(STUBS[tool].replace("{url}", "/new/start/"), PAGE)

    assert document.stub is not None, document.text
    assert NEW == document.stub.target


def test_the_stub_of_duckdb_s_kind_says_only_that_it_redirects():
    html = STUBS["duckdb"].replace("{url}", NEW)
    document = convert(html, PAGE)

    assert (938, 73) == (len(html.encode()), len(document.text))
    assert document.text.startswith("# Redirecting...")


@pytest.mark.parametrize("kind", SCRIPT_ONLY)
def test_a_page_that_leads_elsewhere_by_a_script_alone_is_not_followed_and_says_where(kind):
    document = convert(SCRIPT_ONLY[kind].replace("{url}", "../new/start/"), PAGE)

    assert document.stub is None
    assert NEW == document.script_target


@pytest.mark.parametrize(
    "html",
    [
        "<h1>Start</h1><p>Text.</p><script>location.replace('/x')</script>",
        "<p>Redirecting</p><script>if (location == '/x') {}</script>",
        "<p>Redirecting</p><script>location.hash = '#a'</script>",
        "<p>Redirecting</p><script>var dislocation = '/x'</script>",
        "<p>Redirecting</p><script>location.href = target</script>",
        "<p>Redirecting</p><script>location.href = '#here'</script>",
        "<p>Redirecting</p><script src=x.js>location.href = '/x'</script>",
        "<p>Redirecting</p><script>location.href = 'mailto:a@b'</script>",
        f"<p>Redirecting</p><script>location.href='/x';{'x();' * 1000}</script>",
    ],
)
def test_a_page_with_content_or_a_script_that_names_nothing_is_none(html):
    document = convert(f"<head></head><body>{html}", PAGE)

    assert (None, None) == (document.stub, document.script_target)
