"""What all events are: models that keep what they do not know and hold only what JSON can."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationInfo, model_validator


def plain(value: Any) -> Any:
    r"""
    Turn *value* into what JSON of every reader can hold.

    Lone surrogates (file names and output that were not UTF-8) become their `\udcff` spelling,
    numbers that are not finite become text, bytes are decoded, other objects become their `str`.
    """
    kind = type(value)
    if kind in _AS_THEY_ARE or (kind is str and value.isascii()):
        return value
    if kind is float and math.isfinite(value):
        return value
    if isinstance(value, dict):
        return {_text(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    return _text(value)


_AS_THEY_ARE = frozenset({int, bool, type(None)})

FROM_JSON = object()
"""Validation context of a reader that vouches for it: the value is JSON without lone surrogates."""


def _text(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    text = value if type(value) is str else str(value)
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode("utf-8")


class EventBase(BaseModel):
    """What all events have."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)

    ts: float
    """Epoch seconds on the harness's clock."""

    @model_validator(mode="before")
    @classmethod
    def _hold_only_json(cls, data: Any, info: ValidationInfo) -> Any:
        """An event that exists can be written, and is read back as it was."""
        if info.context is FROM_JSON or not isinstance(data, dict):
            return data
        return plain(data)


class UnknownEvent(EventBase):
    """An event of a newer version: its fields are kept as they are."""

    type: str
