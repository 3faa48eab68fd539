"""What a documentation URL is."""

import pytest

from quickstarted.docs import urls
from quickstarted.docs.faults import FetchFailed, FetchRefused


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://docs.example.org/a?b#c", "https://docs.example.org/a?b#c"),
        (" \n https://docs.example.org/a\t ", "https://docs.example.org/a"),
        ("HTTPS://DOCS.example.org/A", "https://docs.example.org/A"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
    ],
)
def test_absolute_urls_are_read(url, expected):
    parsed = urls.parse(url)

    assert expected == str(parsed).replace(parsed.host, urls.host_of(parsed))


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "data:text/html,x", "ftp://a.org/", "javascript:x", "about:blank",
     "FILE:/etc/passwd", "https://user:secret@docs.example.org/", "https://user@docs.example.org/"],
)  # fmt: skip
def test_other_schemes_and_credentials_are_refused(url):
    with pytest.raises(FetchRefused) as caught:
        urls.parse(url)

    assert caught.value.reason == "scheme"
    assert "secret" not in caught.value.detail


@pytest.mark.parametrize(
    "url",
    ["", "docs.example.org/a", "/a", "localhost:8000/a", "https://", "https:///a", "https://[::1/",
     "https://a b.org/", "https://docs.example.org:99999999/", "https://a.org/" + "x" * 9_000,
     "https://\ud800.org/", "https://xn--zz/"],
)  # fmt: skip
def test_what_is_no_absolute_url_fails(url):
    with pytest.raises(FetchFailed):
        urls.parse(url)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("b", "https://a.org/x/b"),
        ("../b#c", "https://a.org/b#c"),
        ("//b.org/c", "https://b.org/c"),
        ("?q", "https://a.org/x/y?q"),
        (" b\n", "https://a.org/x/b"),
        ("mailto:x@a.org", "mailto:x@a.org"),
        ("http://[bad", "http://[bad"),
        ("", "https://a.org/x/y"),
    ],
)
def test_references_become_absolute(reference, expected):
    assert expected == urls.absolute("https://a.org/x/y", reference)


@pytest.mark.parametrize(
    ("second", "expected"),
    [
        ("http://DOCS.a.org:8080/z", True),
        ("https://docs.a.org./", True),
        ("https://a.org/", False),
        ("https://x.docs.a.org/", False),
        ("no url", False),
    ],
)
def test_a_subdomain_is_another_host(second, expected):
    assert expected == urls.same_host("https://docs.a.org/", second)
