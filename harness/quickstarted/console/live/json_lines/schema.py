"""The JSON Schema of the lines of `run --json`, and the tables of their docs page."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any, get_args

from pydantic import BaseModel

from quickstarted.console.live.json_lines.lines import LINE_ADAPTER, AnyLine, Line
from quickstarted.field_docs import field_docs

DIALECT = "https://json-schema.org/draft/2020-12/schema"
LINES: tuple[type[Line], ...] = get_args(get_args(AnyLine)[0])
"""Every kind of line, in the order in which they are worth reading."""


def progress_schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of one line, with the texts under the fields."""
    schema = LINE_ADAPTER.json_schema(mode="serialization")
    for model in _models(*LINES):
        properties = schema["$defs"].get(model.__name__, {}).get("properties", {})
        for name, text in field_docs(model).items():
            if name in properties:
                properties[name]["description"] = text
    return {"$schema": DIALECT, "title": "One line of `quickstarted run --json`", **schema}


def line_tables() -> str:
    """Every kind of line with its own fields, as Markdown."""
    return "\n\n".join(_table(model) for model in LINES)


def _table(model: type[Line]) -> str:
    name = model.model_fields["type"].default
    docs = field_docs(model)
    lines = [f"### `{name}`", "", inspect.cleandoc(model.__doc__ or "")]
    own = [field for field in model.model_fields if field not in {*Line.model_fields, "type"}]
    lines += ["", "| field | meaning |", "| --- | --- |"]
    lines += [f"| `{field}` | {docs[field]} |" for field in own]
    return "\n".join(lines)


def _models(*models: type[BaseModel]) -> Iterator[type[BaseModel]]:
    """*models* and those that their fields are made of."""
    for model in models:
        yield model
        for field in model.model_fields.values():
            yield from _models(*_models_in(field.annotation))


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models_in(part)
