"""The JSON Schema of task files, and of other files whose models are made of the same parts."""

from __future__ import annotations

import copy
from typing import Any

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from quickstarted.field_docs import field_docs
from quickstarted.task.limits import Part
from quickstarted.task.model import Task

DIALECT = "https://json-schema.org/draft/2020-12/schema"


class _Generate(GenerateJsonSchema):
    """Pydantic's generator, without titles made from names and with closed maps."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        del schema
        return False

    def dict_schema(self, schema: core_schema.DictSchema) -> JsonSchemaValue:
        """Where a map's keys have a pattern, keys without it are errors."""
        result = super().dict_schema(schema)
        if "patternProperties" in result:
            result["additionalProperties"] = False
        return result


def task_schema() -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a task file, descriptions and defaults included."""
    return schema_of(Task, "quickstarted task")


def schema_of(model: type[Part], title: str) -> dict[str, Any]:
    """JSON Schema (draft 2020-12) of a file that *model* reads."""
    schema = model.model_json_schema(by_alias=True, schema_generator=_Generate)
    schema = _with_descriptions(_without_titles(schema), model.__name__)
    schema = _with_nothing_allowed(schema)
    return {"$schema": DIALECT, "title": title, **schema}


def _without_titles(node: Any) -> Any:
    """Drop the titles that name Python classes; a property called `title` is not one of them."""
    if isinstance(node, list):
        return [_without_titles(item) for item in node]
    if not isinstance(node, dict):
        return copy.copy(node)
    return {
        key: _without_titles(value)
        for key, value in node.items()
        if not (key == "title" and isinstance(value, str))
    }


def _with_descriptions(schema: dict[str, Any], whole: str) -> dict[str, Any]:
    """Give every key the text that stands under its field; the model of the *whole* by name."""
    parts = {whole: schema, **schema.get("$defs", {})}
    for model in Part.__subclasses__():
        properties = parts.get(model.__name__, {}).get("properties", {})
        docs = field_docs(model)
        for name, field in model.model_fields.items():
            key = field.alias or name
            if name in docs and key in properties:
                # Beside a `$ref` it is allowed in this dialect, and stays beside it.
                properties[key]["description"] = docs[name]
    return schema


def _with_nothing_allowed(schema: dict[str, Any]) -> dict[str, Any]:
    """A key with nothing after it means its default, so every optional key may be null."""
    for part in [schema, *schema.get("$defs", {}).values()]:
        for name, prop in part.get("properties", {}).items():
            if name not in part.get("required", ()):
                part["properties"][name] = _or_null(prop)
    return schema


def _or_null(prop: dict[str, Any]) -> dict[str, Any]:
    if {"type": "null"} in prop.get("anyOf", ()):
        return prop
    about: dict[str, Any] = {key: prop[key] for key in ("description", "default") if key in prop}
    rest = {key: value for key, value in prop.items() if key not in about}
    return {"anyOf": [rest, {"type": "null"}], **about}
