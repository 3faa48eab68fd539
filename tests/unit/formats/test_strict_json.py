"""JSON of strangers: what is taken, what is refused and by which name."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.formats.strict_json import (
    MAX_DEPTH,
    MAX_VALUES,
    JsonProblem,
    equal,
    parse,
    quote,
)

REFUSED = object()
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)


def parsed(raw):
    try:
        return parse(raw)
    except JsonProblem:
        return REFUSED


def code_of(raw):
    with pytest.raises(JsonProblem) as told:
        parse(raw)
    return told.value.code


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (b"", "not-json"),
        (b"{", "cut"),
        (b'{"a":tr', "cut"),
        (b'{"a":"x\xe2\x80', "cut"),
        (b"[1 2", "not-json"),
        (b"}", "not-json"),
        (b" \n", "not-json"),
        (b"[1,]", "not-json"),
        (b"{}{}", "not-json"),
        (b"[01]", "not-json"),
        (b"['a']", "not-json"),
        (b'["\x01"]', "not-json"),
        (b'["\x00"]', "not-json"),
        (b'["\\x41"]', "not-json"),
        (b"\x0c{}", "not-json"),
        (b"\xc2\xa0{}", "not-json"),
        (b"\xef\xbb\xbf{}", "bom"),
        (b'["\xff"]', "not-utf8"),
        (b"\xff", "not-utf8"),
        (b'["\xed\xa0\x80"]', "not-utf8"),
        (b'["\xc0\x80"]', "not-utf8"),
        (b'{"\xff":1}', "not-utf8"),
        ('{"a": 1}'.encode("utf-16"), "not-utf8"),
        (b'{"a":1,"a":2}', "duplicate-key"),
        (b'{"a":1,"\\u0061":2}', "duplicate-key"),
        (b'[{"a":{"b":1,"b":1}}]', "duplicate-key"),
        (b"NaN", "number-not-finite"),
        (b"[Infinity]", "number-not-finite"),
        (b'{"a":-Infinity}', "number-not-finite"),
        (b"1e400", "number-not-finite"),
        (b"[-1E+0400]", "number-not-finite"),
        (b"9" * 400 + b".0", "number-not-finite"),
        (b"1" + b"0" * 308 + b".5", None),
        (b"1e-400", None),
        (b"9" * 400, None),
        (b'"1e400"', None),
        (b"9" * 4300, None),
        (b"9" * 4301, "number-too-long"),
        (b"0." + b"9" * 4400, None),
        (b'"\\ud800"', "half-surrogate"),
        (b'{"\\udc00":1}', "half-surrogate"),
        (b'["\\udc00\\ud800"]', "half-surrogate"),
        (b'"\\ud83d\\ude00"', None),
        (b'"\\u0000"', None),
        (b"[" * MAX_DEPTH + b"]" * MAX_DEPTH, None),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "too-deep"),
        (b'{"a":' * 150 + b"1" + b"}" * 150, "too-deep"),
        (b"[" * 5_000 + b"]" * 5_000, "too-deep"),
        (b"[" * 1_000_000, "too-deep"),
        (b"[" * 50, "cut"),
        (b"[" + b"[]," * 200 + b"1]", None),
        (b"[" + b"1," * MAX_VALUES + b"1]", "too-many-values"),
    ],
)
def test_a_text_is_taken_or_refused_by_name(raw, code):
    if code is None:
        assert json.loads(raw) == parse(raw)
    else:
        assert code == code_of(raw)


@given(JSON, st.booleans())
def test_what_the_standard_library_writes_is_read_as_it_was(value, ascii_only):
    raw = json.dumps(value, ensure_ascii=ascii_only).encode("utf-8")

    assert equal(value, parse(raw))


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(raw):
    value = parsed(raw)

    assert value is REFUSED or json.loads(raw) == value


@given(st.text(alphabet='{}[]",:\\ud8dc0123456789eE+-.\n\r truefalsn\u2028\x00', max_size=60))
def test_no_text_that_looks_like_json_raises_anything_else(text):
    value = parsed(text.encode("utf-8"))

    assert value is REFUSED or json.loads(text) == value


@given(JSON.filter(lambda value: isinstance(value, dict | list)), st.data())
def test_the_beginning_of_a_text_is_known_as_cut(value, data):
    raw = json.dumps(value, ensure_ascii=False).encode()
    end = data.draw(st.integers(1, len(raw) - 1))

    assert "cut" == code_of(raw[:end])


@given(JSON)
def test_quotes_are_short_and_on_one_line_of_ascii(value):
    text = quote(value)

    assert len(text) <= 80
    assert text.isascii()
    assert text.isprintable()


@pytest.mark.parametrize("value", ["\x7f\x9b\x1b\u202e\ud800", "x" * 10**6, 10**4000, [[]] * 10**5])
def test_quotes_of_odd_values_are_short_and_plain(value):
    assert quote(value).isprintable()
    assert len(quote(value)) <= 80


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (1, 1.0, True),
        (1, True, False),
        (0, False, False),
        ([1, [0]], [1.0, [0.0]], True),
        ([1, [0]], [1, [False]], False),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True),
        ({"a": {"b": True}}, {"a": {"b": 1}}, False),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        (None, None, True),
        ("1", 1, False),
        (2**53 + 1, float(2**53), False),
    ],
)
def test_values_are_the_same_as_json_has_it(one, other, expected):
    assert expected == equal(one, other)
