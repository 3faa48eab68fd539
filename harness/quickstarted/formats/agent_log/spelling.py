"""
A line of an agent log as JSON, and what a reader makes of it.

pydantic's encoder is four times as fast as the standard library's, and takes more than JSON has:
sets, times, generators. It is asked only for Python's own values, of which it is known beforehand
that every reader gets them as they are; anything else is spelled with care and read again.
"""

from __future__ import annotations

import json
import math
from typing import Any

from pydantic_core import to_json

from quickstarted.formats.strict_json import MAX_DIGITS, JsonProblem, parse

_ENCODER = json.JSONEncoder(allow_nan=False, ensure_ascii=False, separators=(",", ":"))
_PLAIN_LEVELS = 16
_PLAIN = frozenset({str, int, bool, type(None)})
_KEYS = frozenset({str})


def spelled(head: bytes, data: Any) -> tuple[bytes, Any]:
    """
    The line that has *data* after *head*, and what a reader has for *data*.

    Args:
        head: The line up to its last value.
        data: That value.

    Raises:
        TypeError: *data* has what JSON does not.
        ValueError: The same, or half a surrogate pair.
        RecursionError: It is nested too deeply.
        JsonProblem: No reader takes the line.

    """
    if _is_plain(data, _PLAIN_LEVELS):
        try:
            line = b"%b%b}\n" % (head, to_json(data))
            if len(line) > MAX_DIGITS:
                parse(line)
        except (ValueError, JsonProblem):
            pass  # The standard library says what it is.
        else:
            return line, data
    line = b"%b%b}\n" % (head, _ENCODER.encode(data).encode("utf-8"))
    return line, parse(line)["data"]


def _is_plain(value: Any, levels: int) -> bool:
    """Whether a reader gets *value* as it is; but for halves of surrogates and endless numbers."""
    kind = type(value)
    if kind is dict:
        if not _KEYS.issuperset(map(type, value)):
            return False
        value = value.values()
    elif kind is float:
        return math.isfinite(value)
    elif kind is not list:
        return kind in _PLAIN
    for one in value:
        if type(one) not in _PLAIN and not _is_plain(one, levels - 1):
            return False
    return levels > 0
