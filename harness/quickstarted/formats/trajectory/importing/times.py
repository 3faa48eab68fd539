"""
When something happened, by its source: strings and counts of many kinds, or nothing at all.

No time is made up. A count says by its size whether it is of seconds, milli-, micro- or
nanoseconds: those of our century do not overlap.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from quickstarted.formats.trajectory.lenient import EPOCH

_UNITS = ((1e8, 1e11, 1e6), (1e11, 1e14, 1e3), (1e14, 1e17, 1.0), (1e17, 1e20, 1e-3))
_DIGITS = re.compile(r"\d{9,20}(?:\.\d{1,9})?", re.ASCII)
_TEXT = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:[.,](\d+))?(?:[Zz]|[+-]\d\d:?\d\d)?", re.ASCII
)
_EXACT_DIGITS = 6
_PLAIN = frozenset({"--T::.", "--T::Z"})
"""Every third character of such a time, from the fifth on."""
_MICROSECONDS_CHARS = len("2026-11-02T09:00:00.000000")
_LENGTHS = frozenset({20, *range(22, 28)})
"""Without a fraction of a second, or with one of up to six digits."""
_UUID_7 = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


# One is made for each event: one that is frozen takes three times as long to make.
@dataclass(slots=True)
class Stamp:
    """
    A time, and how it is known.

    Attributes:
        time: With its offset.
        source: `source`, or `uuid7` where it is read from an id.
        as_given: The source's spelling, where the time cannot say all of it.
        spelled: `text`, where it is known already; otherwise empty.

    """

    time: datetime
    source: str = "source"
    as_given: Any = None
    spelled: str = field(default="", compare=False)

    @property
    def text(self) -> str:
        """As RFC 3339 in UTC; a fraction of a second has six digits."""
        return self.spelled or self.time.isoformat().replace("+00:00", "Z")


def stamp(given: Any) -> Stamp | None:
    """The time that *given* says; None where it says none."""
    if isinstance(given, str):
        return _of_text(given)
    if isinstance(given, bool) or not isinstance(given, int | float):
        return None
    for least, below, microseconds in _UNITS:
        if least <= given < below:
            if microseconds < 1:
                time = EPOCH + timedelta(microseconds=int(given) // 1000)
                return Stamp(time, as_given=given if given % 1000 else None)
            return Stamp(EPOCH + timedelta(microseconds=given * microseconds))
    return None


def from_uuid(text: Any) -> Stamp | None:
    """The time in a UUID of version 7 (RFC 9562): its first 48 bits are Unix milliseconds."""
    found = _UUID_7.fullmatch(text) if isinstance(text, str) else None
    if found is None:
        return None
    made = stamp(int(found[1] + found[2], 16))
    return None if made is None else Stamp(made.time, "uuid7")


def milliseconds(start: Stamp | None, end: Stamp | None) -> float | None:
    """From *start* to *end*; None where one is not known or the order is wrong."""
    if start is None or end is None or end.time < start.time:
        return None
    return (end.time - start.time) / timedelta(milliseconds=1)


def _of_text(given: str) -> Stamp | None:
    if len(given) in _LENGTHS and given[-1] == "Z" and given[4:20:3] in _PLAIN:
        return _of_plain(given)
    if given[4:5] != "-" and _DIGITS.fullmatch(given):
        return stamp(float(given) if "." in given else int(given))
    shape = _TEXT.fullmatch(given)
    if shape is None:
        return None
    try:
        time = datetime.fromisoformat(given.replace(",", ".").upper())
        is_naive = time.tzinfo is None
        if is_naive:
            time = time.replace(tzinfo=UTC)
        elif time.tzinfo is not UTC:
            time = time.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
    is_cut = len(shape[1] or "") > _EXACT_DIGITS
    return Stamp(time, as_given=given if is_naive or is_cut else None)


def _of_plain(given: str) -> Stamp | None:
    """RFC 3339 in UTC, as nearly all logs have it; that its digits are some is not known yet."""
    try:
        time = datetime.fromisoformat(given)
    except ValueError:
        return None
    spelled = given[:-1].ljust(_MICROSECONDS_CHARS, "0") if time.microsecond else given[:19]
    return Stamp(time, "source", None, spelled + "Z")
