"""
What a whole call spends, counted while its attempts run (`--max-spend`).

Shared by attempts that may run at the same time. Each of them holds a reserve for its next turn, so
that turns which are under way together do not go past the limit together.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from statistics import median
from typing import Protocol

from quickstarted.budget import Spending
from quickstarted.errors import PriceUnknown


class Meter(Protocol):
    """What counts the money of one call; attempts on other machines ask theirs from afar."""

    def attempt(self) -> AbstractContextManager[Spending]:
        """One attempt's part; see `SpendMeter.attempt`."""


class SpendMeter:
    """
    Money of one call; safe to use from several threads.

    Args:
        limit_usd: What may be spent.

    """

    def __init__(self, limit_usd: float) -> None:
        self.limit_usd = limit_usd
        self._lock = threading.Lock()
        self._spent = 0.0
        self._turns: list[float] = []
        self._reserves: dict[AttemptSpending, float] = {}
        self._reached = False

    @property
    def spent_usd(self) -> float:
        """By all attempts so far."""
        with self._lock:
            return self._spent

    @property
    def reached(self) -> bool:
        """Whether an attempt was stopped, or not begun, for the limit."""
        with self._lock:
            return self._reached

    def may_begin(self) -> bool:
        """Whether there is room for the first turn of one more attempt beside those under way."""
        with self._lock:
            return not self._reached and self._has_room(self._usual())

    @contextmanager
    def attempt(self) -> Iterator[AttemptSpending]:
        """
        One attempt's part.

        Raises:
            PriceUnknown: As it comes from within; nothing more may begin then, since what it would
                cost cannot be counted.

        """
        part = AttemptSpending(self)
        with self._lock:
            self._reserves[part] = self._usual()
        try:
            yield part
        except PriceUnknown:
            with self._lock:
                self._reached = True
            raise
        finally:
            with self._lock:
                del self._reserves[part]

    def reserve(self, part: AttemptSpending) -> bool:
        """
        Set aside what the next turn of *part* may cost; False: there is no room for it.

        That is the most that a turn of its has cost, since conversations only grow, and not less
        than the median of all turns of the call. Nothing is known before the first.
        """
        with self._lock:
            self._reserves[part] = 0.0
            wanted = max(part.largest_usd, self._usual())
            if not self._has_room(wanted):
                return False
            self._reserves[part] = wanted
            return True

    def charge(self, part: AttemptSpending, usd: float) -> None:
        """Count what a turn of *part* has cost, and hold as much for its next one."""
        with self._lock:
            self._spent += usd
            if usd:
                self._turns.append(usd)
            part.largest_usd = max(part.largest_usd, usd)
            self._reserves[part] = max(part.largest_usd, self._usual())

    def _usual(self) -> float:
        return median(self._turns) if self._turns else 0.0

    def _has_room(self, more: float) -> bool:
        held = sum(self._reserves.values())
        has_room = self._spent < self.limit_usd and self._spent + held + more <= self.limit_usd
        self._reached = self._reached or not has_room
        return has_room


def spending_of(meter: Meter | None) -> AbstractContextManager[Spending | None]:
    """One attempt's part of what a call may spend; None where there is no limit."""
    return nullcontext() if meter is None else meter.attempt()


class AttemptSpending:
    """One attempt's part of a `SpendMeter`; see `quickstarted.budget.Spending`."""

    def __init__(self, meter: SpendMeter) -> None:
        self._meter = meter
        self.largest_usd = 0.0
        """The most that one of its turns has cost."""

    def reserve(self) -> bool:
        """See `SpendMeter.reserve`."""
        return self._meter.reserve(self)

    def charge(self, usd: float) -> None:
        """See `SpendMeter.charge`."""
        self._meter.charge(self, usd)
