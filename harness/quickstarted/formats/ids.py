"""
A set of many strings in little memory, for ids that must be unique in a file of any length.

It keeps a hash of 64 bits of each, in a table of open addressing: 16 bytes an id at most, where a
`set` of strings takes 100 and more. Python's own hash of strings is keyed anew in each process, so
nobody can make a log whose ids collide; with four million ids two do by chance once in two million
logs.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

_FEW = 100_000
"""So many are kept in a `set`, which is five times faster: nearly every file has fewer."""
_START_SLOTS = 1 << 19
_MASK_64 = (1 << 64) - 1


class IdSet:
    """Strings can be added and asked for."""

    def __init__(self) -> None:
        self._few: set[int] | None = set()
        self._slots = array("Q")
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __contains__(self, text: str) -> bool:
        key = _key(text)
        if self._few is not None:
            return key in self._few
        return self._slots[_find(self._slots, key)] == key

    def add(self, text: str) -> bool:
        """Add *text*; False where it was there."""
        key = _key(text)
        if self._few is not None:
            if key in self._few:
                return False
            self._few.add(key)
            if len(self._few) > _FEW:
                self._spread(array("Q", bytes(8 * _START_SLOTS)), self._few)
                self._few = None
        else:
            at = _find(self._slots, key)
            if self._slots[at] == key:
                return False
            self._slots[at] = key
            if self._count * 2 > len(self._slots):
                larger = array("Q", bytes(16 * len(self._slots)))
                self._spread(larger, filter(None, self._slots))
        self._count += 1
        return True

    def _spread(self, slots: array[int], keys: Iterable[int]) -> None:
        for key in keys:
            slots[_find(slots, key)] = key
        self._slots = slots


def _key(text: str) -> int:
    """Never 0, which marks a free slot."""
    return hash(text) & _MASK_64 or 1


def _find(slots: array[int], key: int) -> int:
    """The slot that holds *key*, or the free one where it belongs."""
    mask = len(slots) - 1
    at = key & mask
    while (found := slots[at]) and found != key:
        at = (at + 1) & mask
    return at
