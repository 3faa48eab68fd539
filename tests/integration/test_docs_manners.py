"""How the documentation client treats its hosts: robots.txt, throttle, retries."""

import datetime as dt
from email.utils import format_datetime

import pytest

from fakes.docs_server import DocsServer, page, redirect
from quickstarted.docs import Blocked, DocsClient, DocsRules, Failed
from quickstarted.docs.transports.retry import retry_after_s

LOCAL = ("127.0.0.1", "localhost")


def rules(**changes):
    return DocsRules(**{"allow_hosts": LOCAL, "private_hosts": LOCAL, **changes})


def robots(text, status=200):
    return status, {"content-type": "text/plain"}, text.encode()


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [
        (robots("User-agent: *\nDisallow: /a"), False),
        (robots("User-agent: *\nDisallow: /b"), True),
        (robots("User-agent: quickstarted\nDisallow: /\n\nUser-agent: *\nAllow: /"), False),
        (robots("User-agent: *\nDisallow: /\n\nUser-agent: quickstarted\nAllow: /a"), True),
        (robots("User-agent: *\nDisallow: /", status=404), True),
        (robots("User-agent: *\nDisallow: /", status=403), True),
        (robots("", status=500), False),
        (robots("\ufeffUser-agent: *\nDisallow: /a"), False),
        ((200, {}, b"\xff\xfe\x00garbage"), True),
        (redirect("/real-robots"), False),
        (redirect("/robots.txt"), True),
        (redirect("http://elsewhere.example/robots.txt"), True),
        (lambda stream: stream.write(b""), False),
    ],
)
def test_robots_as_rfc_9309_says(answer, allowed):
    answers = {
        "/robots.txt": answer,
        "/real-robots": robots("User-agent: *\nDisallow: /a"),
        "/a": page("<p>a</p>"),
    }
    with DocsServer(answers) as server, DocsClient(rules()) as client:
        outcome = client.read(server.url("/a")).outcome

    if allowed:
        assert outcome.text == "a"
    else:
        assert isinstance(outcome, Blocked)
        assert outcome.reason == "robots_disallowed"
        assert "/a" not in server.paths()


def test_robots_are_asked_for_once_and_each_hop_is_judged():
    answers = {
        "/robots.txt": robots("User-agent: *\nDisallow: /secret"),
        "/a": redirect("/secret"),
        "/b": page("<p>b</p>"),
    }
    with DocsServer(answers) as server, DocsClient(rules()) as client:
        blocked = client.read(server.url("/a")).outcome
        client.read(server.url("/b"))

    assert blocked.url == server.url("/secret")
    assert server.paths() == ["/robots.txt", "/a", "/b"]


def test_robots_that_could_not_be_read_are_asked_for_again():
    answers = {"/robots.txt": [robots("", status=500), robots("")], "/a": page("<p>a</p>")}
    with DocsServer(answers) as server, DocsClient(rules()) as client:
        first = client.read(server.url("/a")).outcome
        second = client.read(server.url("/a")).outcome

    assert first.reason == "robots_disallowed"
    assert second.text == "a"


def test_robots_can_be_left_out():
    answers = {"/robots.txt": robots("User-agent: *\nDisallow: /"), "/a": page("<p>a</p>")}
    with DocsServer(answers) as server, DocsClient(rules(respect_robots=False)) as client:
        assert client.read(server.url("/a")).outcome.text == "a"


@pytest.mark.parametrize("status", [429, 503])
def test_a_server_that_says_not_now_is_asked_again(status):
    busy = page("<p>busy</p>", status, retry_after="0")
    answers = {"/a": [busy, busy, page("<p>a</p>")]}
    with DocsServer(answers) as server, DocsClient(rules(respect_robots=False)) as client:
        assert client.read(server.url("/a")).outcome.text == "a"


def test_tries_are_counted():
    answers = {"/a": page("<p>busy</p>", 503, retry_after="0")}
    with DocsServer(answers) as server, DocsClient(rules(respect_robots=False)) as client:
        outcome = client.read(server.url("/a")).outcome

    assert isinstance(outcome, Failed)
    assert outcome.status == 503
    assert server.paths() == ["/a"] * 3


def test_a_wait_that_is_too_long_is_an_answer():
    answers = {"/a": page("<p>busy</p>", 429, retry_after="3600")}
    with DocsServer(answers) as server, DocsClient(rules(respect_robots=False)) as client:
        reading = client.read(server.url("/a"))

    assert reading.outcome.error == "HTTP 429 Too Many Requests (Retry-After: 3600)"
    assert reading.waited_s == 0
    assert server.paths() == ["/a"]


def test_what_failed_for_now_is_not_kept():
    answers = {"/a": [page("x", 500), page("<p>a</p>")]}
    with DocsServer(answers) as server, DocsClient(rules(respect_robots=False)) as client:
        assert client.read(server.url("/a")).outcome.status == 500
        assert client.read(server.url("/a")).outcome.text == "a"


def test_a_throttle_holds_its_own_host_only_and_says_how_long():
    answers = {"/a": page("<p>a</p>"), "/b": page("<p>b</p>")}
    limits = rules(respect_robots=False, min_interval_s=0.05)
    with DocsServer(answers) as server, DocsClient(limits) as client:
        first = client.read(server.url("/a"))
        other = client.read(server.url("/a", host="localhost"))
        second = client.read(server.url("/b"))
        cached = client.read(server.url("/b"))

    assert first.waited_s == other.waited_s == cached.waited_s == 0
    assert 0 <= second.waited_s <= 0.05


def test_waiting_does_not_use_up_the_time_of_a_read():
    busy = page("<p>busy</p>", 503, retry_after="1")
    limits = rules(respect_robots=False, total_timeout_s=0.9)
    with DocsServer({"/a": [busy, page("<p>a</p>")]}) as server, DocsClient(limits) as client:
        reading = client.read(server.url("/a"))

    assert reading.outcome.text == "a"
    assert reading.waited_s == 1


@pytest.mark.parametrize(
    ("value", "expected"),
    [("0", 0), ("120", 120), (" 7 ", 7), ("", None), ("soon", None), ("-1", None), ("1.5", None),
     ("Wed, 21 Oct 2015 07:28:00 GMT", 0)],
)  # fmt: skip
def test_retry_after_is_seconds_or_a_date(value, expected):
    assert expected == retry_after_s(value)


def test_a_date_to_come_is_as_far_as_it_is():
    in_an_hour = dt.datetime.now(dt.UTC) + dt.timedelta(hours=1)

    assert 3_500 < retry_after_s(format_datetime(in_an_hour, usegmt=True)) <= 3_600
