"""RFC 9110, sections 13 and 14, on a file of ten bytes."""

import pytest

from quickstarted_proxy.package_answers import answer_to

DATE = "Wed, 21 Oct 2015 07:28:00 GMT"
LATER = "Thu, 22 Oct 2015 07:28:00 GMT"
EARLIER = "Tue, 20 Oct 2015 07:28:00 GMT"
OUT_OF_RANGE = "Wed, 21 Oct 99999999999999999999 07:28:00 GMT"
KEPT = {"etag": '"v1"', "last-modified": DATE}
WHOLE = (200, 0, 10)


def answered(asked, kept=KEPT, method="GET"):
    answer = answer_to(method, asked, kept, 10)
    return (answer.status, answer.offset, answer.body_bytes)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("bytes=0-0", (206, 0, 1)),
        ("bytes=2-5", (206, 2, 4)),
        ("bytes=9-", (206, 9, 1)),
        ("bytes=0-99", (206, 0, 10)),
        ("bytes=-3", (206, 7, 3)),
        ("bytes=-99", (206, 0, 10)),
        ("bytes=-0", (416, 0, 0)),
        ("bytes=10-", (416, 0, 0)),
        ("bytes=10-20", (416, 0, 0)),
        ("bytes=5-2", WHOLE),
        (f"bytes=0-{'9' * 5000}", WHOLE),
        (f"bytes=-{'9' * 5000}", WHOLE),
        ("bytes=-", WHOLE),
        ("bytes=a-b", WHOLE),
        ("bytes=0-1,3-4", WHOLE),
        ("lines=0-1", WHOLE),
        ("", WHOLE),
    ],
)
def test_a_range_is_one_part_or_the_whole(value, expected):
    assert expected == answered({"range": value})


def test_a_part_says_where_it_is():
    answer = answer_to("GET", {"range": "bytes=2-5"}, KEPT, 10)

    assert {
        **KEPT,
        "accept-ranges": "bytes",
        "content-range": "bytes 2-5/10",
        "content-length": "4",
    } == answer.headers


def test_a_range_beyond_the_end_is_told_the_size():
    assert (
        "bytes */10" == answer_to("GET", {"range": "bytes=10-"}, KEPT, 10).headers["content-range"]
    )


@pytest.mark.parametrize(
    ("validator", "kept", "expected"),
    [
        ('"v1"', KEPT, (206, 0, 1)),
        ('"v2"', KEPT, WHOLE),
        ('W/"v1"', KEPT, WHOLE),
        ('W/"v1"', {"etag": 'W/"v1"'}, WHOLE),
        (DATE, KEPT, (206, 0, 1)),
        (LATER, KEPT, WHOLE),
        ('"v1"', {}, WHOLE),
    ],
)
def test_a_part_is_sent_only_of_the_file_that_is_meant(validator, kept, expected):
    assert expected == answered({"range": "bytes=0-0", "if-range": validator}, kept)


@pytest.mark.parametrize(
    ("asked", "kept", "status"),
    [
        ({"if-none-match": '"v1"'}, KEPT, 304),
        ({"if-none-match": 'W/"v1"'}, KEPT, 304),
        ({"if-none-match": '"v0", "v1"'}, KEPT, 304),
        ({"if-none-match": "*"}, KEPT, 304),
        ({"if-none-match": '"v0"'}, KEPT, 200),
        ({"if-none-match": '"v0"', "if-modified-since": LATER}, KEPT, 200),
        ({"if-none-match": '"v1"'}, {}, 200),
        ({"if-modified-since": DATE}, KEPT, 304),
        ({"if-modified-since": LATER}, KEPT, 304),
        ({"if-modified-since": EARLIER}, KEPT, 200),
        ({"if-modified-since": "yesterday"}, KEPT, 200),
        ({"if-modified-since": LATER}, {}, 200),
        ({"if-match": '"v1"'}, KEPT, 200),
        ({"if-match": "*"}, KEPT, 200),
        ({"if-match": '"v2"'}, KEPT, 412),
        ({"if-match": 'W/"v1"'}, {"etag": 'W/"v1"'}, 412),
        ({"if-unmodified-since": DATE}, KEPT, 200),
        ({"if-unmodified-since": EARLIER}, KEPT, 412),
        ({"if-unmodified-since": LATER}, {}, 200),
        ({"if-unmodified-since": "yesterday"}, KEPT, 200),
        ({"if-unmodified-since": OUT_OF_RANGE}, KEPT, 200),
        ({"if-modified-since": OUT_OF_RANGE}, KEPT, 200),
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_conditions_are_judged_by_what_is_known_of_the_file(asked, kept, status, method):
    assert status == answered(asked, kept, method)[0]


def test_an_answer_without_a_body_announces_none():
    unchanged = answer_to("GET", {"if-none-match": '"v1"'}, KEPT, 10)

    assert ("content-length" in unchanged.headers, unchanged.body_bytes) == (False, 0)


def test_a_head_request_is_told_the_size_whatever_range_it_names():
    answer = answer_to("HEAD", {"range": "bytes=0-1"}, KEPT, 10)

    assert (200, "10", 0) == (answer.status, answer.headers["content-length"], answer.body_bytes)
