"""HAR documents, held to the JSON Schema of HAR 1.2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft6Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT6

_FOLDER = Path(__file__).parents[1] / "data" / "har-schema"


def _schemas() -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(_FOLDER.glob("*.json"))]


_REGISTRY: Registry[Any] = Registry().with_resources(
    (schema["$id"].rstrip("#"), Resource(schema, DRAFT6)) for schema in _schemas()
)
_HAR = json.loads((_FOLDER / "har.json").read_text())
_VALIDATOR = Draft6Validator(
    _HAR, registry=_REGISTRY, format_checker=Draft6Validator.FORMAT_CHECKER
)


def har_problems(value: Any) -> list[str]:
    """What is wrong with *value*, each with its place."""
    return [f"{error.json_path}: {error.message}" for error in _VALIDATOR.iter_errors(value)]
