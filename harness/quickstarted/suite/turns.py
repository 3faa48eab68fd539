"""
Whose turn it is: how many sandboxes are open, and in how many of them is work going on.

A worker is a turn: an attempt has one from its first command to its end. The next sandbox is made
while the one before it is judged, so a few more are open than are worked in; and only so many are
made at the same moment that each of them is made in good time.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from quickstarted.results import AttemptKey
from quickstarted.run import Phase

AHEAD = 4
"""Sandboxes that are made before somebody can work in them: each keeps a sidecar's memory."""
POLL_S = 0.2
"""Between two looks at whether somebody asked to stop."""


def openings_at_once() -> int:
    """
    Sandboxes made at the same moment: making one is work of this machine's processors.

    One more than there are, as each now and then waits for the engine. With more at once all of
    them take longer, and more lanes are made than are ever used again.
    """
    return max(3, 1 + (os.cpu_count() or 1))


@dataclass
class Turns:
    """
    Counts attempts by phase; safe to use from several threads.

    Attributes:
        workers: How many sandboxes may be worked in.
        openings: How many may be made at the same moment.

    """

    workers: int
    openings: int = field(default_factory=openings_at_once)

    def __post_init__(self) -> None:
        self.changed = threading.Condition()
        """Notified whenever an attempt is in another phase; guards everything here."""
        self._phases: dict[AttemptKey, Phase] = {}
        self._holders: set[AttemptKey] = set()

    def __len__(self) -> int:
        return len(self._phases)

    def may_open(self) -> bool:
        """Whether one more sandbox may be made now."""
        with self.changed:
            phases = list(self._phases.values())
            most = self.workers + min(AHEAD, phases.count("judging"))
            return len(phases) < most and phases.count("opening") < self.openings

    @property
    def opening(self) -> int:
        """Attempts whose sandbox is being made."""
        with self.changed:
            return list(self._phases.values()).count("opening")

    def begin(self, key: AttemptKey) -> None:
        """An attempt begins."""
        self.enter(key, "opening")

    def enter(self, key: AttemptKey, phase: Phase) -> None:
        """An attempt is in another phase."""
        with self.changed:
            self._phases[key] = phase
            self.changed.notify_all()

    def wait(self, key: AttemptKey, cancelled: Callable[[], bool]) -> None:
        """Take a turn, first come, first served; returns without one when *cancelled* says so."""
        with self.changed:
            while not self._is_next(key):
                if cancelled():
                    return
                self.changed.wait(POLL_S)
            self._holders.add(key)

    def again(self, key: AttemptKey) -> None:
        """An attempt starts anew, without the turn that it may have had."""
        with self.changed:
            self._holders.discard(key)
            self.enter(key, "opening")

    def end(self, key: AttemptKey) -> None:
        """An attempt is over."""
        with self.changed:
            self._holders.discard(key)
            del self._phases[key]
            self.changed.notify_all()

    def _is_next(self, key: AttemptKey) -> bool:
        """Attempts stand in the order in which they began."""
        waiting = [one for one in self._phases if self._phases[one] == "waiting"]
        free = self.workers - len(self._holders)
        ready = [one for one in waiting if one not in self._holders]
        return key in ready[: max(0, free)]
