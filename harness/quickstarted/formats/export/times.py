"""Times of a trace as other formats write them: RFC 3339 in UTC, and whole nanoseconds."""

from __future__ import annotations

import time
from functools import lru_cache

MAX_TS = 18_000_000_000.0
"""The year 2540: nanoseconds since 1970 fit into 64 bits until then."""
_MICRO = 1_000_000


def rfc3339(ts: float) -> str:
    """*ts* in UTC with microseconds, which is as much as a double holds."""
    seconds, micros = divmod(round(ts * _MICRO), _MICRO)
    return f"{_second(seconds)}.{micros:06d}Z"


def nanoseconds(ts: float) -> int:
    """*ts* since 1970; no further than microseconds are meant, and zero at least."""
    return max(round(ts * _MICRO), 0) * 1_000


def milliseconds(duration_s: float | None) -> float | None:
    """*duration_s* in milliseconds, without the noise of the multiplication."""
    if duration_s is None or not 0 <= duration_s <= MAX_TS:
        return None
    return round(duration_s * 1_000, 3)


@lru_cache(maxsize=4_096)
def _second(seconds: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds))
