"""Which URLs a site stands in for."""

import httpx
import pytest

from quickstarted.docs.sites.prefixes import Prefix, moved
from quickstarted.errors import UsageError

PREVIEW = "https://p.example.app/base/"


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://docs.example.org/en/", "/"),
        ("https://docs.example.org/en", ""),
        ("https://docs.example.org/en/a/b?c=d", "/a/b"),
        ("http://docs.example.org/en/a", "/a"),
        ("https://DOCS.example.org:443/en/a", "/a"),
        ("https://docs.example.org:8443/en/a", None),
        ("https://docs.example.org/english", None),
        ("https://docs.example.org/", None),
        ("https://x.docs.example.org/en/", None),
    ],
)
def test_whole_segments_below_the_prefix_are_meant(url, expected):
    assert expected == Prefix("https://docs.example.org/en/").rest_of(httpx.URL(url))


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://p.example.app/base/a?b=c#d", "https://docs.example.org/en/a?b=c#d"),
        ("https://p.example.app/base", "https://docs.example.org/en"),
        ("https://p.example.app/other", None),
        ("https://q.example.app/base/a", None),
        ("mailto:a@example.org", None),
        ("not a url", None),
    ],
)
def test_a_url_is_moved_from_one_prefix_to_the_other(url, expected):
    source, target = Prefix(PREVIEW), Prefix("https://docs.example.org/en/")

    assert expected == moved(url, source, target)


@pytest.mark.parametrize("prefix", ["", "docs/", "ftp://a.example/", "https:///x"])
def test_what_is_no_url_is_no_prefix(prefix):
    with pytest.raises(UsageError, match="is not usable"):
        Prefix(prefix)
