"""
JSON as RFC 8259 has it and nothing more, out of bytes of strangers.

jiter parses: it takes UTF-8 only, refuses NaN, duplicate keys, half surrogates and control
characters, and is the fastest of those that find a key that occurs twice. Two things it lets pass
are looked for here: numbers too large for a double, and depths between our limit and its own. What
is wrong is said by the standard library's parser, once something is.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Never

import jiter

from quickstarted.formats.encoding import BOM

MAX_DEPTH = 100
"""Lists and objects inside one another; parsers of other programs end between 128 and 1,000."""

MAX_DIGITS = 4300
"""Digits of a whole number: more take quadratic time (CPython's own limit)."""

MAX_VALUES = 1_000_000
"""Values in one document: each takes up to 100 bytes of memory."""

_TOO_LONG = 10**MAX_DIGITS
_COUNTED_FROM_BYTES = 1_000_000
_SPELLED = bytes.maketrans(b"123456789+E[", b"0000000000e{")
"""What is alike to those who look for long numbers and depth."""
_LONG_NUMBER = b"0" * 309
"""The largest double has 309 digits, or an exponent of three digits."""
_HALF = re.compile(r"[\ud800-\udfff]")
_QUOTED_CHARS = 80
_QUOTED_VALUES = 5


@dataclass(frozen=True, slots=True)
class JsonProblem(Exception):
    """
    Why a text is not JSON: a stable code, and a sentence without its subject.

    The code `cut` is of the beginning of a text, as a writer leaves it that was killed.
    """

    code: str
    message: str


def parse(raw: bytes) -> Any:
    """
    The value of *raw*, one whole JSON text.

    Raises:
        JsonProblem: It is none, or is more than this program takes.

    """
    if len(raw) >= _COUNTED_FROM_BYTES:
        _refuse_many(raw)
    try:
        value = jiter.from_json(
            raw, allow_inf_nan=False, cache_mode="keys", catch_duplicate_keys=True
        )
    except ValueError as exc:
        raise _problem(raw, str(exc)) from None
    spelled = raw.translate(_SPELLED)
    if spelled.count(b"{") > MAX_DEPTH and _depth(value) > MAX_DEPTH:
        raise _too_deep()
    if b"0e000" in spelled or _LONG_NUMBER in spelled:
        _refuse_long(value)
    return value


def quote(value: Any) -> str:
    """*value* as JSON on one line of ASCII, cut where it is long; for messages."""
    if isinstance(value, str):
        value = value[: _QUOTED_CHARS + 1]
    text = json.dumps(value, separators=(",", ":")).replace("\x7f", "\\u007f")
    return text if len(text) <= _QUOTED_CHARS else f"{text[: _QUOTED_CHARS - 3]}..."


def quote_all(values: Iterable[Any]) -> str:
    """The first five of *values*, each as `quote` has it, and how many more there are."""
    listed = list(values)
    shown = ", ".join(map(quote, listed[:_QUOTED_VALUES]))
    left = len(listed) - _QUOTED_VALUES
    return f"{shown} and {left:,} more" if left > 0 else shown


def walk(value: Any) -> Iterator[Any]:
    """All values in *value*, itself first; without recursion."""
    rest = [value]
    while rest:
        one = rest.pop()
        yield one
        if isinstance(one, dict):
            rest.extend(one.values())
        elif isinstance(one, list):
            rest.extend(one)


def equal(one: Any, other: Any) -> bool:
    """Whether two JSON values are the same: 1 is 1.0, and is not true; keys in any order."""
    return one == other and _same_kinds(one, other)


def _same_kinds(one: Any, other: Any) -> bool:
    """Of two values that are equal to Python, whether neither has a number for a truth value."""
    if isinstance(one, str):
        return True
    if isinstance(one, dict):
        return all(_same_kinds(item, other[key]) for key, item in one.items())
    if isinstance(one, list):
        return all(map(_same_kinds, one, other))
    return isinstance(one, bool) == isinstance(other, bool)


def _refuse_many(raw: bytes) -> None:
    if raw.count(b",") + raw.count(b"[") + raw.count(b"{") > MAX_VALUES:
        raise JsonProblem("too-many-values", f"may hold more than {MAX_VALUES:,} values")


def _refuse_long(value: Any) -> None:
    for one in walk(value):
        if type(one) is float and math.isinf(one):
            raise JsonProblem("number-not-finite", "has a number that is too large for a double")
        if type(one) is int and abs(one) >= _TOO_LONG:
            # jiter lets one digit more pass than CPython, which could not print it.
            raise JsonProblem("number-too-long", f"has a number of more than {MAX_DIGITS:,} digits")


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level := [one for one in level if isinstance(one, dict | list)]:
        level = [item for one in level for item in (one.values() if isinstance(one, dict) else one)]
        depth += 1
    return depth


def _too_deep() -> JsonProblem:
    return JsonProblem("too-deep", f"has more than {MAX_DEPTH} lists or objects in one another")


def _problem(raw: bytes, said: str) -> JsonProblem:
    """What is wrong with *raw*, which jiter has refused with the words *said*."""
    if said.startswith("EOF while parsing") and raw.strip():
        return JsonProblem("cut", "is not JSON: it ends in the middle of a value")
    if raw.startswith(BOM):
        return JsonProblem("bom", "starts with a byte order mark, which UTF-8 does not need")
    try:
        value = _WORDY.decode(raw.decode("utf-8").rstrip("\r\n"))
    except UnicodeDecodeError as exc:
        at = f"byte {exc.start + 1} is 0x{raw[exc.start]:02x}"
        return JsonProblem("not-utf8", f"is not UTF-8: {at}")
    except json.JSONDecodeError as exc:
        return JsonProblem("not-json", f"is not JSON: {_lower(exc.msg)} at {_place(exc)}")
    except (JsonProblem, RecursionError) as exc:
        return exc if isinstance(exc, JsonProblem) else _too_deep()
    return _problem_of_value(value, said)


def _problem_of_value(value: Any, said: str) -> JsonProblem:
    """What jiter refuses in *value* and the standard library does not."""
    if any(isinstance(one, str) and _HALF.search(one) for one in _texts(value)):
        return JsonProblem(
            "half-surrogate", "has half of a surrogate pair (\\ud800 to \\udfff), no character"
        )
    return (
        _too_deep() if _depth(value) > MAX_DEPTH else JsonProblem("not-json", f"is no JSON: {said}")
    )


def _texts(value: Any) -> Iterator[Any]:
    for one in walk(value):
        if isinstance(one, dict):
            yield from one
        yield one


def _place(exc: json.JSONDecodeError) -> str:
    column = f"column {exc.colno}"
    return column if exc.lineno == 1 else f"line {exc.lineno}, {column}"


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise JsonProblem("duplicate-key", f"has the key {quote(twice)} twice in one object")
    return made


def _constant(name: str) -> Never:
    raise JsonProblem("number-not-finite", f"has {name}, which is no JSON")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise JsonProblem("number-too-long", f"has a number of more than {MAX_DIGITS:,} digits")
    return int(digits)


_WORDY = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_constant, parse_int=_integer)
