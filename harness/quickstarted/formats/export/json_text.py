"""
JSON as all targets are written: ASCII, on one line, of a depth that every reader takes.

ASCII, because what goes to a terminal must not drive it: escapes are the text's own spelling there.
pydantic's encoder is four times as fast as the standard library's, which does what that one cannot.
"""

from __future__ import annotations

import json
from typing import Any

from pydantic_core import to_json

from quickstarted.formats.strict_json import MAX_DEPTH

_DELETE = 0x7F
_ROOM = 10
"""Levels that a format may put around a value of the trace."""
_KEPT_DEPTH = MAX_DEPTH - _ROOM

_ENCODER = json.JSONEncoder(
    ensure_ascii=True, allow_nan=False, check_circular=False, separators=(",", ":")
)


def encoded(value: Any) -> bytes:
    """*value* as JSON; what is nested too deeply in it is JSON in a string."""
    try:
        raw = to_json(value)
    except ValueError:
        return _with_care(value)
    openers = len(raw) - len(raw.translate(None, b"[{"))
    is_plain = openers <= _KEPT_DEPTH and raw.isascii() and _DELETE not in raw
    return raw if is_plain else _with_care(value)


def in_string(value: Any) -> str:
    """*value* as JSON, for formats that have it as text in a string."""
    return encoded(value).decode("ascii")


def said(**fields: Any) -> dict[str, Any]:
    """Those of *fields* that say something: neither None nor empty."""
    return {key: value for key, value in fields.items() if value is not None and value not in _MUTE}


_MUTE: tuple[Any, ...] = ("", {}, [])


def _with_care(value: Any) -> bytes:
    text = _ENCODER.encode(_shallow(value, _KEPT_DEPTH))
    return text.replace("\x7f", "\\u007f").encode("ascii")


def _shallow(value: Any, levels: int) -> Any:
    if not isinstance(value, dict | list):
        return value
    if levels <= 0:
        return _ENCODER.encode(value)
    if isinstance(value, dict):
        return {key: _shallow(item, levels - 1) for key, item in value.items()}
    return [_shallow(item, levels - 1) for item in value]
