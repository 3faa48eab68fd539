"""What the models say about a document, as lines that name file, position, key and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from quickstarted.task.source import KeyPath, dotted, nearest, quoted
from quickstarted.task.yaml_nodes import Flaw
from quickstarted.task.yaml_reader import Document

MAX_PROBLEMS = 50
"""Of one file in one message."""

_QUOTE = "'"
_EXPECTED = {
    "int_type": "an integer",
    "float_type": "a number",
    "string_type": "text",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a map",
    "model_type": "a map",
    "model_attributes_type": "a map",
}
_BOUNDS = {
    "greater_than": ("more than", "gt"),
    "greater_than_equal": ("at least", "ge"),
    "less_than": ("less than", "lt"),
    "less_than_equal": ("at most", "le"),
}


def model_flaws(exc: ValidationError, document: Document, model: type[BaseModel]) -> Iterator[Flaw]:
    """
    Translate pydantic's errors about a *model* in *document*, in the order of the file.

    Each stands where the key or item of the document stands. Those past `MAX_PROBLEMS` are only
    counted: they have no message.
    """
    placed = []
    for error in exc.errors(include_url=False):
        key = _document_path(error, document.value)
        placed.append((nearest(document.positions, key), key, error))
    placed.sort(key=lambda one: one[0])
    for index, (position, key, error) in enumerate(placed):
        yield Flaw(position, key, _message(error, key, model) if index < MAX_PROBLEMS else "")


def _document_path(error: ErrorDetails, value: Any) -> KeyPath:
    """Of an error's location, what the document has: not the tags of unions and of map keys."""
    path: list[str | int] = []
    for part in error["loc"]:
        if _has(value, part):
            value = value[part]
        elif part is not error["loc"][-1] or error["type"] != "missing":
            continue
        path.append(part)
    return tuple(path)


def _has(value: Any, part: str | int) -> bool:
    if isinstance(value, dict):
        return part in value
    return isinstance(value, list) and isinstance(part, int) and part < len(value)


def _message(error: ErrorDetails, key: KeyPath, model: type[BaseModel]) -> str:
    match error["type"]:
        case "missing":
            return "is required"
        case "extra_forbidden":
            return _unknown_key(key, model)
        case "value_error":
            return str(error["ctx"]["error"])
        case "too_short":
            return f"needs at least {error['ctx']['min_length']} item"
        case kind:
            expected = _expectation(error)
            return f"{expected}, got {shown(error['input'])}{_advice(kind, error['input'])}"


def _expectation(error: ErrorDetails) -> str:
    kind = error["type"]
    if kind in _EXPECTED:
        return f"expected {_EXPECTED[kind]}"
    if kind in _BOUNDS:
        words, name = _BOUNDS[kind]
        return f"must be {words} {error['ctx'][name]}"
    if kind == "literal_error":
        return f"expected {error['ctx']['expected'].replace(_QUOTE, '`')}"
    return f"{error['msg'][:1].lower()}{error['msg'][1:]}"


def _advice(kind: str, value: Any) -> str:
    if kind == "string_type" and isinstance(value, bool | int | float):
        return ": quote it"
    if kind == "string_type" and isinstance(value, dict):
        return ': ": " makes a map, so quote the text or write it as a block after "|"'
    if kind in {"tuple_type", "list_type"} and isinstance(value, str):
        return ': write it as an item, "- " before it'
    return ""


def shown(value: Any) -> str:
    """A value as it stands in the file, short, on one line, safe for a terminal."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int | float):
        return str(getattr(value, "text", value))[:60]
    if isinstance(value, list | tuple):
        return "a list"
    return "a map" if isinstance(value, dict) else type(value).__name__


def _unknown_key(key: KeyPath, root: type[BaseModel]) -> str:
    name = str(key[-1]) if key else ""
    known = _known_keys(key[:-1], root)
    if close := difflib.get_close_matches(name, known, n=1, cutoff=0.6):
        return f"unknown key: did you mean `{close[0]}`?"
    if homes := [path for path in _all_keys(root, ()) if path[-1] == name]:
        return f"unknown key here: did you mean `{dotted(homes[0])}`?"
    return f"unknown key: known here are {', '.join(known)}"


def _known_keys(parent: KeyPath, root: type[BaseModel]) -> list[str]:
    model: type[BaseModel] | None = root
    for part in parent:
        if model is None:
            return []
        fields = _fields(model)
        if part in fields:
            model = _model_in(fields[str(part)])
    return list(_fields(model)) if model else []


def _all_keys(model: type[BaseModel], prefix: KeyPath) -> Iterator[KeyPath]:
    for name, annotation in _fields(model).items():
        yield (*prefix, name)
        if inner := _model_in(annotation):
            yield from _all_keys(inner, (*prefix, name))


def _fields(model: type[BaseModel]) -> dict[str, Any]:
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def _model_in(annotation: Any) -> type[BaseModel] | None:
    """The model that a field holds, itself, optional, or as the values of a map."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for part in get_args(annotation):
        if found := _model_in(part):
            return found
    return None
