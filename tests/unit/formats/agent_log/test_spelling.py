"""The quick way to spell a line takes nothing that the standard library's encoder does not."""

import datetime as dt
import itertools
import json
import math
from collections import OrderedDict, deque
from decimal import Decimal
from enum import Enum, IntEnum
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quickstarted.formats.agent_log.spelling import spelled
from quickstarted.formats.strict_json import MAX_DEPTH, MAX_DIGITS, JsonProblem, parse

HEAD = b'{"data":'
REFUSALS = (TypeError, ValueError, RecursionError, JsonProblem)


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    ONE = 1


class Word(str):
    __slots__ = ()


def nested(levels):
    return {"x": nested(levels - 1)} if levels > 1 else {}


def in_itself():
    made = {}
    made["x"] = [made]
    return made


def by_the_standard_library(data):
    """What `spelled` is to give, or None where it is to refuse."""
    try:
        text = json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
        return parse(HEAD + text.encode() + b"}\n")["data"]
    except REFUSALS:
        return None


def by_the_quick_way(data):
    try:
        line, read = spelled(HEAD, data)
    except REFUSALS:
        return None
    assert repr(parse(line)["data"]) == repr(read)
    return read


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()))
    | st.binary(max_size=3)
    | st.dates()
    | st.decimals()
    | st.sampled_from([*Colour, *Level, Word("word")])
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=2).map(tuple)
        | st.dictionaries(st.text(max_size=3) | st.integers(0, 3) | st.none(), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(VALUES)
def test_any_value_is_taken_or_refused_as_by_the_standard_library(data):
    assert repr(by_the_standard_library(data)) == repr(by_the_quick_way(data))


@pytest.mark.parametrize(
    "data",
    [
        {"x": math.nan},
        {"x": [[math.inf]]},
        {"x": "\ud800"},
        {"\udfff": 1},
        {"x": b"bytes"},
        {"x": {1, 2}},
        {"x": deque([1])},
        {"x": Decimal(1)},
        {"x": dt.date(2026, 1, 1)},
        {"x": Path("/tmp")},
        {"x": Colour.RED},
        {"x": itertools.count()},
        {"x": (number for number in itertools.count())},
        {"x": object()},
        {1: "a", "1": "b"},
        {(1, 2): "a"},
        {"x": 10**MAX_DIGITS},
        nested(MAX_DEPTH),
        nested(500),
        in_itself(),
    ],
)
def test_what_is_no_json_is_refused(data):
    with pytest.raises(REFUSALS):
        spelled(HEAD, data)


@pytest.mark.parametrize(
    ("data", "read"),
    [
        ({"x": (1, (2,))}, {"x": [1, [2]]}),
        ({1: "a"}, {"1": "a"}),
        ({"x": Level.ONE}, {"x": 1}),
        ({"x": Word("a")}, {"x": "a"}),
        (OrderedDict(x=1), {"x": 1}),
        (nested(MAX_DEPTH - 1), nested(MAX_DEPTH - 1)),
        ({"x": 10 ** (MAX_DIGITS - 1)}, {"x": 10 ** (MAX_DIGITS - 1)}),
    ],
)
def test_what_a_reader_gets_is_told(data, read):
    line, told = spelled(HEAD, data)

    assert (read, read) == (told, parse(line)["data"])


@pytest.mark.parametrize("number", [1e16, 1e22, 1e-5, 1.5e-7, 5e-324, -0.0, 0.1, 2.0])
def test_a_number_is_the_same_when_it_is_read(number):
    line, _ = spelled(HEAD, {"x": number})

    assert repr(number) == repr(parse(line)["data"]["x"])
