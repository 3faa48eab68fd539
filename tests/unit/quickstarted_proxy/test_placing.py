"""Where a value is put in, where its placeholder is refused, and what is scrubbed."""

import base64
import html
import json
from dataclasses import replace
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted_proxy.placing import SecretTable, scrub_json
from quickstarted_proxy.secrets_table import Secret, keeps_length, scrubbing, value_problem

HELD = "PLACEHOLDERplaceholder0123456789"
KEY = Secret(name="KEY", placeholder=HELD, value='k/+ "<&\\%=~end', hosts=("api.test",))
TABLE = SecretTable([KEY])


def basic(text):
    return b"Basic " + base64.b64encode(text.encode())


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ((b"X-Key", HELD.encode()), (b"X-Key", KEY.value.encode())),
        ((b"Cookie", f"a={HELD}; b={HELD}".encode()), None),
        ((b"Authorization", basic(f"u:{HELD}")), (b"Authorization", basic(f"u:{KEY.value}"))),
        ((b"Authorization", b"Basic !!!"), (b"Authorization", b"Basic !!!")),
        ((b"Authorization", b"Basic abc"), (b"Authorization", b"Basic abc")),
        ((b"Host", HELD.encode()), (b"Host", HELD.encode())),
        ((b"content-length", HELD.encode()), (b"content-length", HELD.encode())),
    ],
)
def test_headers_get_values(header, expected):
    (placed,) = TABLE.placed_headers("api.test", (header,))

    assert (expected or (header[0], header[1].replace(HELD.encode(), KEY.value.encode()))) == placed


@pytest.mark.parametrize("host", ["other.test", "sub.api.test", "test", ""])
def test_another_host_gets_nothing(host):
    headers = ((b"X-Key", HELD.encode()),)

    assert headers == TABLE.placed_headers(host, headers)
    assert HELD.encode() == TABLE.placed_path(host, HELD.encode())
    assert () == TABLE.body_pairs(host, "application/json", "")
    assert TABLE.misplaced(host, b"/", headers)


def test_what_is_in_its_place_is_not_misplaced():
    assert not TABLE.misplaced("api.test", HELD.encode(), ((b"X-Key", HELD.encode()),))
    assert not SecretTable().misplaced("api.test", HELD.encode(), ())


@pytest.mark.parametrize("offset", range(3))
def test_a_placeholder_inside_base64_is_seen(offset):
    value = base64.b64encode(f"{'x' * offset}{HELD}:more".encode())

    assert TABLE.misplaced("other.test", b"/", ((b"X", value),))


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("application/json", json.dumps(KEY.value)[1:-1]),
        ("Application/JSON; charset=utf-8", json.dumps(KEY.value)[1:-1]),
        ("application/ld+json", json.dumps(KEY.value)[1:-1]),
        ("application/x-ndjson", json.dumps(KEY.value)[1:-1]),
        ("application/x-www-form-urlencoded", quote(KEY.value, safe="")),
        ("application/xml", html.escape(KEY.value)),
        ("application/soap+xml", html.escape(KEY.value)),
        ("text/csv", KEY.value),
        ("multipart/form-data; boundary=a", KEY.value),
        ("application/graphql", KEY.value),
        ("application/octet-stream", None),
        ("application/protobuf", None),
        ("image/svg", None),
        ("", None),
    ],
)
def test_the_form_of_a_value_in_a_body_is_that_of_its_type(kind, expected):
    pairs = TABLE.body_pairs("api.test", kind, "")

    assert ([] if expected is None else [expected.encode()]) == [value for _, value in pairs]
    assert () == TABLE.body_pairs("api.test", kind, "gzip")


values = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=8, max_size=60)


@given(values, st.text(max_size=5), st.text(max_size=5))
def test_every_form_of_a_value_is_scrubbed(value, before, after):
    scrubber = SecretTable([replace(KEY, value=value)]).scrubber
    data = f"{before}{value}{after}".encode()
    forms = [
        data,
        base64.b64encode(data),
        base64.urlsafe_b64encode(data),
        quote(value, safe="").encode(),
        quote(value, safe="").lower().encode() if value.islower() else b"",
        quote_plus(value).encode(),
        json.dumps(value).encode(),
        html.escape(value).encode(),
    ]
    hidden = [form for form, _ in scrubbing([replace(KEY, value=value)])]

    for form in forms:
        done = scrubber.replaced(form)
        assert not [each for each in hidden if each in done and each not in HELD.encode()]


def test_records_are_scrubbed_whatever_their_shape():
    record = {f"a{KEY.value}": [1, None, True, {"b": f"\ud800{KEY.value}"}], "c": 1.5}

    assert {f"a{HELD}": [1, None, True, {"b": f"\ud800{HELD}"}], "c": 1.5} == scrub_json(
        record, TABLE.scrubber
    )
    assert record is SecretTable().scrubbed(record)


def test_lengths_stay_where_placeholder_and_value_are_alike():
    alike = replace(KEY, value="v" * len(HELD))

    assert (True, False) == (keeps_length(scrubbing([alike])), keeps_length(scrubbing([KEY])))


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("1234567", "fewer than 8"),
        ("x" * 4097, "more than 4096"),
        ("two\nlines here", "one line"),
        (" value here ", "one line"),
        ("kéy-of-sömebody", "one line"),
        ("x" * 8, ""),
    ],
)
def test_what_a_value_may_be(value, problem):
    assert problem in value_problem(value)
    assert value not in value_problem(value)


@pytest.mark.parametrize(
    "change",
    [{"value": "short"}, {"placeholder": "short"}, {"placeholder": "x" * 31 + "%"}, {"more": 1}],
)
def test_what_is_no_secret_is_refused_without_being_quoted(change):
    with pytest.raises(ValueError, match="secret") as caught:
        Secret.from_json(KEY.to_json() | change)

    assert KEY.value not in str(caught.value)
    assert "short" not in str(caught.value)


def test_no_value_shows():
    assert KEY == Secret.from_json(json.loads(json.dumps(KEY.to_json())))
    assert KEY.value not in repr(KEY)
    assert KEY.value not in repr(TABLE)
