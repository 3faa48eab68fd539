"""
Time that does not jump when somebody sets the machine's clock.

Events of the sidecar stand among those of the harness, in the order of their times: both read the
machine's clock once, and add what the monotonic clock says has passed since.
"""

from __future__ import annotations

import time


class SteadyClock:
    """Epoch seconds as the machine had them when this was made, and what has passed since."""

    def __init__(self) -> None:
        self._offset_s = time.time() - time.monotonic()

    def now(self) -> float:
        """Epoch seconds."""
        return time.monotonic() + self._offset_s


_PROCESS = SteadyClock()


def now() -> float:
    """Epoch seconds by the clock of this process, which began when this was first imported."""
    return _PROCESS.now()
