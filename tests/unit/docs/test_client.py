"""The documentation client: nothing that an agent, a page or a server says makes it raise."""

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quickstarted.docs import Blocked, DocsClient, DocsRules, Failed, Page, Site
from quickstarted.errors import UsageError

HOST = "docs.example.org"
START = f"https://{HOST}/start"
URL_PARTS = st.sampled_from(
    ["http:", "https:", "file:", "//", "/", "\\", ":", "@", "#", "?", "%", "%00", "%2e", "..", "[",
     "]", "::1", "127.0.0.1", HOST, "xn--", "xn--zz", "ü", "\u3002", "\0", "\n", " ", "a", "*",
     "99999", "-"]
)  # fmt: skip
URLS = st.lists(URL_PARTS, max_size=8).map("".join) | st.text(max_size=30)


def reading_of(url, answer):
    rules = DocsRules(allow_hosts=(HOST,), respect_robots=False, max_retries=0)
    with DocsClient(rules, transport=httpx.MockTransport(answer)) as client:
        return client.read(url)


@settings(max_examples=300, deadline=None)
@given(URLS)
def test_no_url_makes_it_raise(url):
    reading = reading_of(url, lambda _: httpx.Response(200, text="a"))

    assert isinstance(reading.outcome, Page | Blocked | Failed)
    assert reading.requested == url


@settings(max_examples=300, deadline=None)
@given(URLS, st.sampled_from([301, 302, 303, 307, 308]))
def test_no_redirect_makes_it_raise_or_leaves_the_list(location, status):
    asked = []

    def answer(request):
        asked.append(request.url.host.removesuffix("."))
        if request.url.path == "/start":
            return httpx.Response(status, headers={"location": location.encode("utf-8")})
        return httpx.Response(200, text="a")

    reading = reading_of(START, answer)

    assert isinstance(reading.outcome, Page | Blocked | Failed)
    assert all(host == HOST or host.endswith("." + HOST) for host in asked)


HEADER = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=30)


@settings(max_examples=300, deadline=None)
@given(
    st.integers(min_value=200, max_value=599),
    st.dictionaries(
        st.sampled_from(["content-type", "content-encoding", "location", "set-cookie",
                         "content-length", "retry-after"]), HEADER,
    ),
    st.binary(max_size=60),
)  # fmt: skip
def test_no_answer_makes_it_raise(status, headers, body):
    def answer(_):
        return httpx.Response(status, headers=headers, stream=httpx.ByteStream(body))

    assert isinstance(reading_of(START, answer).outcome, Page | Blocked | Failed)


def test_a_site_that_is_no_url_is_said_at_once(tmp_path):
    rules = DocsRules(allow_hosts=(), sites=(Site(prefix="docs/", folder=tmp_path),))

    with pytest.raises(UsageError, match='"docs/"'):
        DocsClient(rules)
