"""
Prompts and texts of the model that turn up in what stays public.

Withholding takes out requests and texts; a scaffold that puts the prompt into an observation too
publishes it all the same. What is looked for is the beginning of a text's longest run of plain
characters, 40 of them, in the bytes of the line: a log is written by one program, which spells a
text the same way each time.
"""

from __future__ import annotations

import re
from collections import deque
from typing import Any, NamedTuple

MIN_CHARS = 40
_PLAIN = re.compile(rf"[ !#-\[\]-~]{{{MIN_CHARS},}}")
_LOOKED_AT_VALUES = 200
_LOOKED_AT_CHARS = 2_000
_SEEN_TEXTS = 1_000
_NEW_PER_LINE = 4
_FIRST = 4
_LATEST = 6
_PUBLIC_LINES = 8
_LEAST_BYTES = len('{"seq":1,"at":"","elapsedMs":1,"type":"error","data":{"":""}}') + MIN_CHARS
_PUBLIC_LINE_BYTES = 64 * 1024


class _Private(NamedTuple):
    line: int
    spelled: bytes


class Echoes:
    """Remembers the first and the latest private texts, and the latest public lines."""

    def __init__(self) -> None:
        self._first: list[_Private] = []
        self._latest: deque[_Private] = deque(maxlen=_LATEST)
        self._seen: set[int] = set()
        self._seen_runs: set[bytes] = set()
        self._public: deque[bytes] = deque(maxlen=_PUBLIC_LINES)

    def private(self, line: int, value: Any) -> None:
        """Note the texts in *value*, which withholding would take out; the last are new."""
        rest, left, new = [value], _LOOKED_AT_VALUES, 0
        while rest and left and new < _NEW_PER_LINE:
            left -= 1
            one = rest.pop()
            if isinstance(one, str):
                if len(one) >= MIN_CHARS and self._remember(line, one):
                    new += 1
            elif isinstance(one, dict):
                rest += one.values()
            elif isinstance(one, list):
                rest += one[-_LOOKED_AT_VALUES:]

    def _remember(self, line: int, text: str) -> bool:
        """Whether there is anything in *text* to look for that is new."""
        key = hash(text)
        if key in self._seen:
            return False
        if len(self._seen) >= _SEEN_TEXTS:
            self._seen.clear()
        self._seen.add(key)
        runs = _PLAIN.findall(text, 0, _LOOKED_AT_CHARS)
        if not runs:
            return False
        spelled = max(runs, key=len)[:MIN_CHARS].encode()
        if spelled in self._seen_runs or self._is_public(spelled):
            return False
        if len(self._seen_runs) >= _SEEN_TEXTS:
            self._seen_runs.clear()
        self._seen_runs.add(spelled)
        one = _Private(line, spelled)
        if len(self._first) < _FIRST:
            self._first.append(one)
        else:
            self._latest.append(one)
        return True

    def public(self, raw: bytes) -> int:
        """The line of the private text that *raw*, a public line, repeats; 0 where it does not."""
        if len(raw) < _LEAST_BYTES:
            return 0
        if len(raw) <= _PUBLIC_LINE_BYTES:
            self._public.append(raw)
        return self.repeated(raw)

    def repeated(self, raw: bytes) -> int:
        """The line of the private text that stands in *raw*; 0 where none does."""
        for known in (self._first, self._latest):
            for one in known:
                if one.spelled in raw:
                    return one.line
        return 0

    def _is_public(self, spelled: bytes) -> bool:
        """Whether it was public before the model got it, as observations are."""
        for raw in self._public:  # noqa: SIM110 (a generator costs as much as the search)
            if spelled in raw:
                return True
        return False
