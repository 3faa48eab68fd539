"""The host's proxies, read from its variables, and who goes without."""

from __future__ import annotations

import base64

import pytest

from quickstarted_proxy.upstream import UpstreamProxies, UpstreamProxy

PROXY = UpstreamProxy(scheme="http", host="proxy.test", port=3128)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://proxy.test:3128", PROXY),
        ("http://proxy.test:3128/", PROXY),
        ("proxy.test:3128", PROXY),
        ("http://PROXY.test:3128", PROXY),
        ("http://proxy.test", UpstreamProxy(scheme="http", host="proxy.test", port=80)),
        ("https://proxy.test", UpstreamProxy(scheme="https", host="proxy.test", port=443)),
        ("http://[fd00::1]:8080", UpstreamProxy(scheme="http", host="fd00::1", port=8080)),
    ],
)
def test_urls_of_proxies(url, expected):
    assert expected == UpstreamProxy.parse(url)


def test_credentials_are_decoded():
    proxy = UpstreamProxy.parse("http://us%40er:p%3Aa@proxy.test:3128")

    assert "Basic " + base64.b64encode(b"us@er:p:a").decode() == proxy.authorization


@pytest.mark.parametrize(
    "url", ["socks5://u:hidden@proxy.test:1", "http://u:hidden@:80", "http://u:hidden@h:port"]
)
def test_other_urls_are_refused_without_repeating_credentials(url):
    with pytest.raises(ValueError, match="upstream proxy") as caught:
        UpstreamProxy.parse(url)

    assert "hidden" not in str(caught.value)


EXCEPTIONS = [
    # NO_PROXY, host, port, direct
    ("", "a.test", 443, False),
    ("*", "a.test", 443, True),
    ("a.test", "a.test", 443, True),
    ("a.test", "b.a.test", 443, True),
    (".a.test", "b.a.test", 443, True),
    (".a.test", "a.test", 443, True),
    ("*.a.test", "b.a.test", 443, True),
    ("a.test", "nota.test", 443, False),
    ("A.TEST", "a.test", 443, True),
    ("a.test:8443", "a.test", 8443, True),
    ("a.test:8443", "a.test", 443, False),
    ("x.test, a.test", "a.test", 443, True),
    ("x.test a.test", "a.test", 443, True),
    (",,", "a.test", 443, False),
    (".", "a.test", 443, False),
    ("10.0.0.0/8", "a.test", 443, False),
]


@pytest.mark.parametrize(("no_proxy", "host", "port", "direct"), EXCEPTIONS)
def test_exceptions(no_proxy, host, port, direct):
    proxies = UpstreamProxies.from_json(
        {"http": "", "https": "http://proxy.test:3128", "no": no_proxy}
    )

    assert (None if direct else PROXY) == proxies.choose("https", host, port)


def test_each_scheme_has_its_own_proxy():
    proxies = UpstreamProxies.from_json({"http": "http://one.test:1", "https": "http://two.test:2"})
    chosen = [proxies.choose(scheme, "a.test", 1) for scheme in ("http", "https")]

    assert ["one.test", "two.test"] == [proxy.host for proxy in chosen if proxy]


def test_no_proxies_is_direct():
    assert UpstreamProxies.from_json({}).choose("http", "a.test", 80) is None


def test_unknown_parts_are_refused():
    with pytest.raises(ValueError, match="unknown parts"):
        UpstreamProxies.from_json({"ftp": "http://one.test"})
