"""Attributes of OTLP/JSON as plain values, and those with an index in their name as lists."""

from __future__ import annotations

import re
from typing import Any

_DIGITS = re.compile(r"-?\d{1,19}", re.ASCII)
_INDEXED = re.compile(r"(?P<list>[^\s]+?)\.(?P<index>\d{1,4})\.(?P<rest>[^\s]+)", re.ASCII)
_MOST = 10_000


def attributes(given: Any) -> dict[str, Any]:
    """The attributes *given* by name; what is no attribute has the name `attributes.N`."""
    made: dict[str, Any] = {}
    for number, one in enumerate(given if isinstance(given, list) else ()):
        key = one.get("key") if isinstance(one, dict) else None
        if isinstance(key, str):
            made[key] = value_of(one.get("value"))
        else:
            made[f"attributes.{number}"] = one
    return made


def value_of(value: Any) -> Any:
    """What an `AnyValue` holds; itself where it is none."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((kind, held),) = value.items()
    match kind:
        case "stringValue" | "boolValue" | "doubleValue" | "bytesValue":
            return held
        case "intValue":
            is_text = isinstance(held, str) and _DIGITS.fullmatch(held)
            return int(held) if is_text else held
        case "arrayValue":
            held = held.get("values", []) if isinstance(held, dict) else held
            return [value_of(one) for one in held] if isinstance(held, list) else held
        case "kvlistValue":
            return attributes(held.get("values")) if isinstance(held, dict) else held
    return value


def indexed(values: dict[str, Any], prefix: str) -> list[dict[str, Any]]:
    """
    Take attributes `PREFIX.N.rest` out of *values*, as a list of objects of their rests.

    OpenInference spells its messages so: `llm.input_messages.0.message.role`.
    """
    found: dict[int, dict[str, Any]] = {}
    for key in [key for key in values if key.startswith(f"{prefix}.")]:
        shape = _INDEXED.fullmatch(key)
        if shape is None or shape["list"] != prefix or len(found) > _MOST:
            continue
        found.setdefault(int(shape["index"]), {})[shape["rest"]] = values.pop(key)
    return [found[number] for number in sorted(found)]
