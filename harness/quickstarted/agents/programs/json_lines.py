"""Lines of JSON as programs write them, which may be cut, endless, or no JSON at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

MAX_LINE_BYTES = 32 * 1024 * 1024
"""What is longer is not looked into; a program's whole log is kept as it is."""


class LineSplitter:
    """Cuts a stream into lines; holds no more than one of them."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._pending = bytearray()
        self._skipping = False

    @property
    def is_within_line(self) -> bool:
        """Whether what came last is no whole line."""
        return bool(self._pending) or self._skipping

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Take the next bytes, give the lines that they end, without line breaks."""
        *lines, rest = data.split(b"\n")
        for line in lines:
            whole, skipped = bytes(self._pending) + line, self._skipping
            self._pending.clear()
            self._skipping = False
            if not skipped and len(whole) <= self._max_bytes:
                yield whole
        if self._skipping or len(self._pending) + len(rest) > self._max_bytes:
            self._pending.clear()
            self._skipping = True
        else:
            self._pending += rest

    def rest(self) -> bytes:
        """What came after the last line break."""
        return bytes(self._pending)


def json_object(line: bytes) -> dict[str, Any]:
    """The object in a line; empty where there is none."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def member(value: Any, name: str) -> dict[str, Any]:
    """An object within an object; empty where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def members(value: Any, name: str) -> list[dict[str, Any]]:
    """The objects of a list within an object."""
    found = value.get(name) if isinstance(value, dict) else None
    return [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []


def text_of(value: Any, name: str) -> str:
    """A text within an object; empty where there is none."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def lines_of(text: str) -> str:
    """*text* as a command prints it: programs leave the last line break out."""
    return text if not text or text.endswith("\n") else f"{text}\n"
