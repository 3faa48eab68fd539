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
_SECONDS = re.compile(r"([0-5]\d)(?:\.(\d{1,9}))?Z", re.ASCII)
_MINUTE_CHARS = len("2026-10-22T18:00:")
_KEPT = 4_096


class NotUtc(ValueError):
    """A time without an offset, or with one that is not zero."""


class Clock:
    """Reads times; minutes that were read are known again, since those of a log are few."""

    def __init__(self) -> None:
        self._minutes_ns: dict[str, int] = {}

    def read_ns(self, at: str) -> int:
        """
        Nanoseconds since 1970.

        Raises:
            NotUtc: It does not say that it is UTC.
            ValueError: It is no time.

        """
        base_ns = self._minutes_ns.get(at[:_MINUTE_CHARS])
        if base_ns is not None:
            match = _SECONDS.fullmatch(at, _MINUTE_CHARS)
            if match is not None:
                seconds, fraction = match.groups()
                return base_ns + _in_minute_ns(seconds, fraction)
        whole_ns, seconds_ns = _parse(at)
        if len(self._minutes_ns) >= _KEPT:
            self._minutes_ns.clear()
        self._minutes_ns[at[:_MINUTE_CHARS]] = whole_ns
        return whole_ns + seconds_ns


def _parse(at: str) -> tuple[int, int]:
    """The minute and what is left, both in nanoseconds."""
    match = _AT.fullmatch(at)
    if match is None:
        raise ValueError(at)
    *numbers, seconds, fraction, offset = match.groups()
    year, month, day, hour, minute = map(int, numbers)
    date(year, month, day)
    if offset not in _UTC:
        raise NotUtc(offset or "")
    return timegm((year, month, day, hour, minute, 0)) * 10**9, _in_minute_ns(seconds, fraction)


def _in_minute_ns(seconds: str, fraction: str | None) -> int:
    return int(seconds) * 10**9 + (int(fraction.ljust(9, "0")) if fraction else 0)
