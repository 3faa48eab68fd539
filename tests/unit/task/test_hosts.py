import pytest

from quickstarted.task.hosts import (
    HostPort,
    domain_name,
    host_and_port,
    host_name,
    page_url,
    url_prefix,
)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Docs.Example", "docs.example"),
        ("docs.example.", "docs.example"),
        ("München.example", "xn--mnchen-3ya.example"),
        ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        ("straße.example", "xn--strae-oqa.example"),
        ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
        ("a_b.example", "a_b.example"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
    ],
)
def test_hosts_become_lower_case_a_labels(written, expected):
    assert expected == host_name(written)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("https://docs.example/a", 'a host has no scheme: write "docs.example"'),
        ("docs.example/a", 'a host has no path: write "docs.example"'),
        ("*.docs.example", 'a host means its subdomains too: write "docs.example"'),
        ("docs.example:80", "a port can only be given under network.allow"),
        ("::1", "a port can only be given under network.allow, and IPv6 addresses nowhere"),
        ("me@docs.example", "a host has no user name"),
        ("docs example", '"docs example" is not a host name'),
        ("-a.example", "is not a host name"),
        ("a..b", "is not a host name"),
        ("a" * 64 + ".example", "is not a host name"),
        ("", "is not a host name"),
        ("☃☃☃..example", "is not an internationalised host name"),
        ("\u2028", "is not an internationalised host name"),
    ],
)
def test_what_is_no_host_says_what_to_write(written, message):
    with pytest.raises(ValueError, match=r"host|port") as caught:
        host_name(written)

    assert message in str(caught.value)


@pytest.mark.parametrize("written", ["127.0.0.1", "2130706433", "0x7f.1", "10.0.0.1"])
def test_addresses_cannot_be_allowed(written):
    with pytest.raises(ValueError, match="requests to those are always refused"):
        domain_name(written)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("Api.Example", HostPort("api.example", None)),
        ("api.example:8443", HostPort("api.example", 8443)),
        ("münchen.example:1", HostPort("xn--mnchen-3ya.example", 1)),
    ],
)
def test_a_port_may_follow_an_allowed_host(written, expected):
    assert expected == host_and_port(written)


@pytest.mark.parametrize(
    "written",
    ["a.example:0", "a.example:65536", "a.example:http", "a.example:", "1.2.3.4:80", "::1"],
)
def test_what_is_no_port_is_refused(written):
    with pytest.raises(ValueError, match=r"is not a port|address"):
        host_and_port(written)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("HTTPS://Docs.Example", "https://docs.example/"),
        ("https://docs.example:443/a?b=c#d", "https://docs.example/a?b=c#d"),
        ("http://docs.example:8000/A", "http://docs.example:8000/A"),
        ("https://münchen.example/ü", "https://xn--mnchen-3ya.example/ü"),
        ("http://127.0.0.1:8000/", "http://127.0.0.1:8000/"),
    ],
)
def test_urls_are_normalised(written, expected):
    assert expected == page_url(written)


@pytest.mark.parametrize(
    "written",
    [
        "docs.example/a",
        "file:///etc/passwd",
        "data:text/html,x",
        "https:docs.example",
        "https://",
        "https:///a",
        "https://me:secret@docs.example/",
        "https://me@docs.example/",
        "https://[::1]/",
        "https://[::1/",
        "https://docs.example:99999/",
        "https://docs.example:x/",
        "https://docs example/",
        "https://docs.example/\n",
        "https://docs.example/a b",
        "",
    ],
)
def test_what_is_no_page_is_refused(written):
    with pytest.raises(ValueError, match=r"URL|host|port|address"):
        page_url(written)


@pytest.mark.parametrize("written", ["https://docs.example/?a", "https://docs.example/#a"])
def test_a_prefix_is_a_place_and_not_a_page(written):
    with pytest.raises(ValueError, match="neither a query nor a fragment"):
        url_prefix(written)
