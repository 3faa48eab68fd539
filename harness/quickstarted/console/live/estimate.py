"""How long a call will take yet, from how long its attempts have taken so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from quickstarted.results import CellKey

Elapsed = tuple[CellKey, float]
"""An attempt under way, and the seconds since it began."""


class Durations:
    """
    Learns; knows nothing before the first attempt has ended.

    Attempts of a cell that has ended none yet are taken to be like all others.
    """

    def __init__(self) -> None:
        self._sums: dict[CellKey, float] = defaultdict(float)
        self._counts: dict[CellKey, int] = defaultdict(int)
        self._began_s: float | None = None
        self._changed_s = 0.0
        self._under_way = 0
        self._busy_s = 0.0

    def took(self, cell: CellKey, seconds: float) -> None:
        """An attempt of *cell* has taken so long."""
        self._sums[cell] += seconds
        self._counts[cell] += 1

    def under_way(self, number: int, now_s: float) -> None:
        """So many attempts are under way from *now_s* (monotonic) on."""
        if self._began_s is None:
            self._began_s = now_s
        else:
            self._busy_s += self._under_way * (now_s - self._changed_s)
        self._under_way, self._changed_s = number, now_s

    def left_s(
        self, to_come: Mapping[CellKey, int], under_way: Sequence[Elapsed], now_s: float
    ) -> float | None:
        """
        Seconds until all is done; None where nothing has ended yet.

        Args:
            to_come: Attempts of each cell that are not begun.
            under_way: Those that are.
            now_s: The moment (monotonic).

        """
        if not self._counts:
            return None
        usual = {cell: self._sums[cell] / count for cell, count in self._counts.items()}
        general = fmean(usual.values())
        rests = [max(0.0, usual.get(cell, general) - elapsed) for cell, elapsed in under_way]
        ahead = sum(number * usual.get(cell, general) for cell, number in to_come.items())
        return max([(sum(rests) + ahead) / self._at_once(now_s), *rests])

    def _at_once(self, now_s: float) -> float:
        """How many attempts are made at once: as now, or as on average where that is more."""
        wall_s = now_s - (self._began_s if self._began_s is not None else now_s)
        busy_s = self._busy_s + self._under_way * (now_s - self._changed_s)
        return max(1.0, self._under_way, busy_s / wall_s if wall_s > 0 else 0.0)


def left_said(seconds: float | None) -> str:
    """`about 40 s left`, `about 6 min left`, `about 2 h 10 min left`, `time left unknown`."""
    if seconds is None:
        return "time left unknown"
    if seconds < 55:
        return f"about {max(5, round(seconds / 5) * 5)} s left"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {minutes} min left"
    hours, rest = divmod(round(seconds / 600) * 10, 60)
    return f"about {hours} h {rest:02d} min left" if rest else f"about {hours} h left"
