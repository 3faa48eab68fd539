"""The published document of the format, as it is answered with: byte for byte."""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def schema_document() -> bytes:
    """What uploads take, the fields, an example, the JSON Schema, the limits."""
    return files("quickstarted.serve").joinpath("schema.json").read_bytes()
