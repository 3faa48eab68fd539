"""The time that an attempt's events carry."""

from __future__ import annotations

import time


class RunClock:
    """
    Epoch seconds that never go backwards.

    The wall clock is read once, and the monotonic clock adds what has passed since: a step of the
    machine's clock in the middle of an attempt cannot change the order of its events.
    """

    def __init__(self) -> None:
        self._offset = time.time() - time.monotonic()

    def now(self) -> float:
        """Epoch seconds."""
        return time.monotonic() + self._offset
