"""Requests of a trace, opened by a reader of HAR."""

import json

import pytest
from haralyzer import HarParser

from fakes import attempts
from fakes.conversions import converted, value

START, END = attempts.run_start(), attempts.run_end()


def entries(*events):
    return value([START, *events, END], "har")["log"]["entries"]


def test_a_reader_of_har_opens_it():
    events = [
        attempts.tool_call("pip install x", scope=4),
        attempts.egress_allowed("pypi.org", path="/simple/x/", scope=4, bytes_in=90, duration=0.5),
        attempts.egress_allowed("pypi.org", path="/other?a=1&b", status=404),
    ]
    har = HarParser(json.loads(converted([START, *events, END], "har")[0]))
    (page,) = [page for page in har.pages if page.page_id == "command_1"]

    assert ("quickstarted", 2) == (
        har.har_data["creator"]["name"],
        len(har.har_data["entries"]),
    )
    assert ("pip install x", ["https://pypi.org/simple/x/"]) == (
        page.title,
        [entry.request.url for entry in page.entries],
    )
    assert (200, 90, 500.0) == (
        page.entries[0].response.status,
        page.entries[0].response.bodySize,
        page.entries[0].time,
    )


@pytest.mark.parametrize(
    ("fields", "url"),
    [
        ({"port": 443}, "https://pypi.org/"),
        ({"port": 80}, "http://pypi.org/"),
        ({"port": 8443, "via": "https"}, "https://pypi.org:8443/"),
        ({"port": 8080, "path": "/a b?c=d e"}, "http://pypi.org:8080/a%20b?c=d%20e"),
        ({"host": "2001:db8::1", "path": "x"}, "https://[2001:db8::1]/x"),
    ],
)
def test_an_address_is_put_together_from_what_the_proxy_records(fields, url):
    (entry,) = entries(attempts.egress_allowed(**({"host": "pypi.org"} | fields)))

    assert url == entry["request"]["url"]


def test_what_is_not_known_is_minus_one_or_unknown():
    (entry,) = entries(attempts.egress_allowed(status=None))
    request, response = entry["request"], entry["response"]

    assert (-1, -1, "unknown") == (
        request["headersSize"],
        request["bodySize"],
        request["httpVersion"],
    )
    assert (0, -1, -1) == (response["status"], response["bodySize"], response["content"]["size"])
    assert "no duration is known" == entry["timings"]["comment"]


@pytest.mark.parametrize(
    ("event", "comment"),
    [
        (attempts.egress_blocked("x"), "refused by the policy: not_allowlisted"),
        (attempts.egress_error(), "failed: no answer"),
    ],
)
def test_requests_that_came_to_nothing_say_why(event, comment):
    (entry,) = entries(event)

    assert (0, comment) == (entry["response"]["status"], entry["comment"])


def test_lookups_are_no_requests():
    content, notes = converted([START, attempts.egress_blocked("x", method="DNS"), END], "har")

    assert [] == json.loads(content)["log"]["entries"]
    assert [
        "name lookups are no requests, and are left out: 1",
        "the trace has no request; the document has no entry",
    ] == notes
