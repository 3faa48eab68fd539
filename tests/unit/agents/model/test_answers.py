"""What an answer over HTTP means, whichever vendor's it is."""

from __future__ import annotations

import pytest

from quickstarted.agents.model.answers import (
    connection_words,
    is_redirect,
    may_pass,
    one_line,
    retry_after_s,
)


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"retry-after": ""}, None),
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:46:50 GMT"}, 10.0),
        ({"retry-after": "Sun, 09 Sep 2001 01:46:30 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after-ms": "soon", "retry-after": "2"}, 2.0),
    ],
)
def test_the_service_asks_for_a_wait_by_number_or_date(headers, expected):
    assert expected == retry_after_s(headers, now=1_000_000_000.0)


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        *((status, False) for status in (400, 401, 402, 403, 404, 413, 422)),
        *((status, True) for status in (408, 409, 425, 429, 500, 502, 503, 504, 520, 529)),
    ],
)
def test_a_status_says_whether_the_same_request_may_be_answered_later(status, expected):
    assert expected is may_pass(status)


@pytest.mark.parametrize(
    ("status", "expected"), [(301, True), (307, True), (200, False), (400, False)]
)
def test_redirects_are_known(status, expected):
    assert expected is is_redirect(status)


def test_words_are_cut_and_put_on_one_line():
    assert "a b c" == one_line("a\n b\t c ")
    assert 503 == len(one_line("x" * 5000))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (OSError("reset"), "the connection to the service failed (OSError: reset)"),
        (OSError(), "the connection to the service failed (OSError)"),
    ],
)
def test_a_connection_that_fails_is_told_by_what_failed(error, expected):
    assert expected == connection_words(error)
