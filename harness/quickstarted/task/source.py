"""Where a task came from: its file, its digest, and the line and column of every key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

KeyPath = tuple[str | int, ...]
"""Keys and list indexes from the top of the document to a value."""


class Position(NamedTuple):
    """A place in a file; both count from 1, columns in characters."""

    line: int
    column: int


START = Position(1, 1)

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_$-]+")


@dataclass(frozen=True, slots=True)
class TaskSource:
    """The file that a task was read from."""

    path: Path
    """As the caller named it; it stands in messages."""
    sha256: str = ""
    """Hex digest of the file's bytes."""
    text: str = ""
    positions: Mapping[KeyPath, Position] = field(default_factory=dict)
    """Key (in a map) or item (in a list) to where it begins."""

    @property
    def folder(self) -> Path:
        """Absolute folder of the file; the folders that a task names are relative to it."""
        return self.path.absolute().parent

    def position(self, key: KeyPath) -> Position:
        """Where *key* stands, or the nearest of its parents that the file has."""
        return nearest(self.positions, key)

    def where(self, key: KeyPath = ()) -> str:
        """`FILE:LINE:COLUMN KEY` of *key*."""
        line, column = self.position(key)
        place = f"{self.path}:{line}:{column}"
        return f"{place} {dotted(key)}" if key else place


def nearest(positions: Mapping[KeyPath, Position], key: KeyPath) -> Position:
    """Position of *key* or of the nearest parent that has one."""
    while key and key not in positions:
        key = key[:-1]
    return positions.get(key, START)


def dotted(key: Sequence[str | int]) -> str:
    """`docs.path[1]`; keys with unusual characters are quoted, and never reach a terminal raw."""
    parts: list[str] = []
    for part in key:
        if isinstance(part, int):
            parts.append(f"[{part}]")
        else:
            name = part if _PLAIN_KEY.fullmatch(part) else quoted(part)
            parts.append(f".{name}" if parts else name)
    return "".join(parts)


def quoted(text: str, limit: int = 60) -> str:
    """*text* in double quotes on one line, shortened, control characters as escapes."""
    shown = text if len(text) <= limit else text[: limit - 1] + "…"
    return f'"{printable(shown)}"'


def printable(text: str) -> str:
    """*text* with what a terminal would act on as escapes."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )
