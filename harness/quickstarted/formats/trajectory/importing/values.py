"""Values of strangers' JSON, taken apart so that what nobody takes is left over, never lost."""

from __future__ import annotations

from collections.abc import Container
from typing import Any, TypeGuard

from quickstarted.formats.strict_json import JsonProblem, parse

MAX_NUMBER = 2.0**53


class Fields:
    """
    The fields of one object; each is taken once, by a name and a kind, or stays in `left`.

    A field of another kind than the one asked for is not taken.
    """

    def __init__(self, value: Any) -> None:
        self._left: dict[str, Any] = dict(value) if isinstance(value, dict) else {}
        self._parts: dict[str, Fields] | None = None

    def __contains__(self, key: str) -> bool:
        return self._left.get(key) is not None

    def text(self, *keys: str) -> str | None:
        """The first of *keys* that is a string."""
        for key in keys:
            if isinstance(self._left.get(key), str):
                found: str = self._left.pop(key)
                return found
        return None

    def object(self, *keys: str) -> dict[str, Any] | None:
        """The first of *keys* that is an object."""
        found: dict[str, Any] | None = self._take(keys, dict)
        return found

    def list(self, *keys: str) -> list[Any] | None:
        """The first of *keys* that is a list."""
        found: list[Any] | None = self._take(keys, list)
        return found

    def flag(self, *keys: str) -> bool | None:
        """The first of *keys* that is true or false."""
        found: bool | None = self._take(keys, bool)
        return found

    def number(self, *keys: str) -> float | None:
        """The first of *keys* that is a number of a size that can be one."""
        for key in keys:
            if is_number(self._left.get(key)):
                found: float = self._left.pop(key)
                return found
        return None

    def any(self, *keys: str) -> Any:
        """The first of *keys* that is there and not null."""
        return self._take(keys, object)

    def part(self, key: str) -> Fields:
        """The fields of the object *key*; what is left of them is left here too."""
        made = Fields(self.object(key))
        self._parts = {**(self._parts or {}), key: made}
        return made

    def put(self, key: str, value: Any) -> None:
        """Give back what was taken and could not be used."""
        self._left[key] = value

    def drop(self, *keys: str) -> None:
        """Take what says nothing: a constant of the format, or what is told elsewhere."""
        for key in keys:
            self._left.pop(key, None)

    @property
    def left(self) -> dict[str, Any]:
        """What was not taken; nulls are nothing."""
        if not self._parts:
            return without_nulls(self._left)
        parts = {key: part.left for key, part in self._parts.items()}
        return without_nulls({**self._left, **{key: left for key, left in parts.items() if left}})

    def _take(self, keys: tuple[str, ...], kind: type) -> Any:
        for key in keys:
            value = self._left.get(key)
            if value is not None and isinstance(value, kind):
                return self._left.pop(key)
        return None


def without_nulls(value: dict[str, Any]) -> dict[str, Any]:
    """Those of its fields that say something."""
    return {key: item for key, item in value.items() if item is not None}


def is_number(value: Any) -> bool:
    """Whether *value* is a number, no truth value, that a double holds exactly enough."""
    return (
        isinstance(value, int | float)
        and not isinstance(value, bool)
        and -MAX_NUMBER <= value <= MAX_NUMBER
    )


def is_objects(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    """Whether *value* is a list of objects, of one at least."""
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def is_one_of(value: Any, names: Container[str]) -> TypeGuard[str]:
    """Whether *value* is a string among *names*: lists and objects cannot be looked for in sets."""
    return isinstance(value, str) and value in names


def from_text(value: Any) -> tuple[Any, bool]:
    """
    *value*, parsed where it is a string that holds a JSON object or list.

    Returns:
        The value, and False where it is a string that was to be JSON and is not.

    """
    if not isinstance(value, str):
        return value, True
    if not value.strip():
        return {}, True
    try:
        return parse(value.encode("utf-8")), True
    except JsonProblem:
        return value, False


def joined(texts: list[str]) -> Any:
    """One text as it is, several as a list, none as None."""
    return texts[0] if len(texts) == 1 else (texts or None)
