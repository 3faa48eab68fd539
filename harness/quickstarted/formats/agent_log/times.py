"""
Times of an agent log in whole nanoseconds.

`datetime.fromisoformat` takes dates without a time, weeks, commas and offsets, and cuts digits past
microseconds, so that a step back of 100 ns would not be seen.
"""

from __future__ import annotations

import re
from calendar import timegm
from datetime import date

_AT = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?"
    r"(Z|[+-]\d\d:\d\d)?",
    re.ASCII,
)
_UTC = frozenset({"Z", "+00:00"})
_SECOND_CHARS = len("2026-10-22T18:00:00")
_KEPT = 4_096


class NotUtc(ValueError):
    """A time without an offset, or with one that is not zero."""


class Clock:
    """
    Reads times; seconds and fractions that were read are known again.

    Those of a log are few, and looking them up takes a tenth of the time.
    """

    def __init__(self) -> None:
        self._seconds_ns: dict[str, int] = {}
        self._rests_ns: dict[str, int] = {}

    def read_ns(self, at: str) -> int:
        """
        Nanoseconds since 1970.

        Raises:
            NotUtc: It does not say that it is UTC.
            ValueError: It is no time.

        """
        second_ns = self._seconds_ns.get(at[:_SECOND_CHARS])
        rest_ns = self._rests_ns.get(at[_SECOND_CHARS:])
        if second_ns is None or rest_ns is None:
            second_ns, rest_ns = _parse(at)
            if max(len(self._seconds_ns), len(self._rests_ns)) >= _KEPT:
                self._seconds_ns.clear()
                self._rests_ns.clear()
            self._seconds_ns[at[:_SECOND_CHARS]] = second_ns
            self._rests_ns[at[_SECOND_CHARS:]] = rest_ns
        return second_ns + rest_ns


def _parse(at: str) -> tuple[int, int]:
    """The second and its fraction, both in nanoseconds."""
    match = _AT.fullmatch(at)
    if match is None:
        raise ValueError(at)
    *numbers, fraction, offset = match.groups()
    year, month, day, hour, minute, second = map(int, numbers)
    date(year, month, day)
    if offset not in _UTC:
        raise NotUtc(offset or "")
    fraction_ns = int(fraction.ljust(9, "0")) if fraction else 0
    return timegm((year, month, day, hour, minute, second)) * 10**9, fraction_ns
