"""Headers of a host: sent there and nowhere else, and taken out of what comes back."""

import base64

import httpx
import pytest

from quickstarted.docs import DocsClient, DocsRules, HostHeaders

HOST = "docs.example.org"
VALUE = "Bearer canary-token-0001"
OWN = HostHeaders(host=HOST, headers=(("Authorization", VALUE), ("X-Key", "canary-key-2")))


def page(text="x", **headers):
    return httpx.Response(200, headers={"content-type": "text/plain", **headers}, text=text)


class Origin:
    """Answers by path, and remembers what each host was sent."""

    def __init__(self, answers):
        self.answers = answers
        self.sent = []

    def __call__(self, request):
        own = request.headers.get("authorization"), request.headers.get("x-key")
        self.sent.append((f"{request.url.scheme}://{request.url.host}{request.url.path}", own))
        answer = self.answers.get(request.url.path, httpx.Response(404))
        return answer(request) if callable(answer) else answer


def reading(origin, url=f"https://{HOST}/a", **more):
    more = {"respect_robots": False, "allow_hosts": ("example.org",), **more}
    rules = DocsRules(headers=(OWN,), **more)
    with DocsClient(rules, transport=httpx.MockTransport(origin)) as docs:
        return docs.read(url)


SENT = (VALUE, "canary-key-2")
NOTHING = (None, None)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        (f"https://{HOST}/a", SENT),
        (f"https://{HOST}:8443/a", SENT),
        (f"https://{HOST.upper()}./a", SENT),
        (f"https://api.{HOST}/a", NOTHING),
        ("https://example.org/a", NOTHING),
        (f"http://{HOST}/a", NOTHING),
    ],
)
def test_the_very_host_gets_them_over_https(url, expected):
    origin = Origin({"/a": page()})
    reading(origin, url)

    assert [expected] == [own for _, own in origin.sent]


@pytest.mark.parametrize(
    ("private", "expected"), [((HOST,), SENT), (("example.org",), SENT), (("a.example",), NOTHING)]
)
def test_a_private_host_gets_them_over_plain_http(private, expected):
    origin = Origin({"/a": page()})
    reading(origin, f"http://{HOST}/a", private_hosts=private)

    assert [expected] == [own for _, own in origin.sent]


def test_a_redirect_takes_them_nowhere_and_back_they_are_sent_again():
    origin = Origin(
        {
            "/a": httpx.Response(302, headers={"location": "https://cdn.example.org/b"}),
            "/b": httpx.Response(302, headers={"location": f"http://{HOST}/c"}),
            "/c": httpx.Response(302, headers={"location": f"https://{HOST}/d"}),
            "/d": page(),
        }
    )
    reading(origin)

    assert [SENT, NOTHING, NOTHING, SENT] == [own for _, own in origin.sent]


def test_robots_txt_is_asked_for_with_them_too():
    origin = Origin({"/a": page()})
    reading(origin, respect_robots=True)

    assert [(f"https://{HOST}/robots.txt", SENT), (f"https://{HOST}/a", SENT)] == origin.sent


@pytest.mark.parametrize("status", [401, 403])
def test_a_login_over_plain_http_says_why_none_were_sent(status):
    outcome = reading(Origin({"/a": httpx.Response(status)}), f"http://{HOST}/a").outcome

    assert f"the headers for {HOST} are sent over https only" in outcome.error


def test_a_login_over_https_is_the_sites_answer():
    assert reading(Origin({"/a": httpx.Response(401)})).outcome.error == "HTTP 401 Unauthorized"


@pytest.mark.parametrize(
    "text",
    [
        f"you sent {VALUE}",
        "token canary-token-0001 is fine",
        "key=canary-key-2&x=y",
        "at ?a=Bearer%20canary-token-0001",
        base64.b64encode(b"user " + VALUE.encode()).decode(),
    ],
)
def test_a_value_that_a_page_repeats_is_taken_out_of_it(text):
    page_text = reading(Origin({"/a": page(text)})).outcome.text

    assert page_text != text
    assert "canary" not in page_text
    assert base64.b64encode(b"canary-token").decode()[:12] not in page_text


def test_a_value_in_a_redirect_is_taken_out_of_the_record():
    moved = httpx.Response(302, headers={"location": "/b?t=canary-key-2"})
    result = reading(Origin({"/a": moved, "/b": page()}))

    assert "canary" not in repr(result)


@pytest.mark.parametrize("shown", [repr(OWN), repr(DocsRules(allow_hosts=(), headers=(OWN,)))])
def test_values_do_not_show(shown):
    assert "canary" not in shown
