"""Which hosts the documentation client asks at all."""

import httpx
import pytest

from quickstarted.docs import Blocked, DocsClient, DocsRules, Page


def answer(_):
    return httpx.Response(200, headers={"content-type": "text/plain"}, text="a")


@pytest.fixture(name="client")
def _client():
    rules = DocsRules(
        allow_hosts=("docs.example.org", "xn--bcher-kva.example", "203.0.113.7"),
        respect_robots=False,
    )
    with DocsClient(rules, transport=httpx.MockTransport(answer)) as client:
        yield client


@pytest.mark.parametrize(
    "url",
    ["https://docs.example.org/", "http://DOCS.EXAMPLE.ORG:8080/", "https://v2.docs.example.org/",
     "https://docs.example.org./", "https://bücher.example/", "http://203.0.113.7/"],
)  # fmt: skip
def test_a_host_on_the_list_means_itself_and_its_subdomains(client, url):
    assert isinstance(client.read(url).outcome, Page)


@pytest.mark.parametrize(
    "url",
    ["https://example.org/", "https://evildocs.example.org/", "https://docs.example.org.evil.org/",
     "https://x.203.0.113.7/", "http://203.0.113.8/", "http://0xcb007107/", "http://3405803783/",
     "http://[::1]/"],
)  # fmt: skip
def test_every_other_host_is_blocked(client, url):
    outcome = client.read(url).outcome

    assert isinstance(outcome, Blocked)
    assert (outcome.url, outcome.reason) == (url, "not_allowlisted")


def test_the_refusal_names_what_may_be_read(client):
    detail = client.read("https://example.org/").outcome.detail

    assert "example.org is not one of" in detail
    assert "docs.example.org, " in detail
