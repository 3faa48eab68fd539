"""
The time that one read may take, seen by every layer below it.

A context variable, because httpcore's network interface has no place for it and every read runs in
one thread from start to end.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from quickstarted.docs.faults import FetchFailed


class ReadClock:
    """
    Counts down *total_s*; waiting on purpose does not count.

    Args:
        total_s: Seconds that the read may take.
        sleep: What waits; tests hand in their own.

    """

    def __init__(self, total_s: float, sleep: Callable[[float], None] = time.sleep) -> None:
        self.total_s = total_s
        self.waited_s = 0.0
        self._sleep = sleep
        self._deadline = time.monotonic() + total_s

    def remaining_s(self) -> float:
        """
        Seconds left, more than zero.

        Raises:
            FetchFailed: None are left.

        """
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise FetchFailed(f"The page was not complete after {self.total_s:g} seconds.")
        return left

    def wait(self, seconds: float) -> None:
        """Wait on purpose (a throttle, a `Retry-After`); the deadline moves by as much."""
        if seconds > 0:
            self.forgive(seconds)
            self._sleep(seconds)

    def forgive(self, seconds: float) -> None:
        """Have *seconds* that were spent waiting for somebody else's wait not count."""
        self.waited_s += seconds
        self._deadline += seconds


_CURRENT: ContextVar[ReadClock | None] = ContextVar("read_clock", default=None)


def current() -> ReadClock:
    """The clock of the read that this thread is doing; an unlimited one outside of a read."""
    return _CURRENT.get() or ReadClock(float("inf"))


@contextmanager
def running(clock: ReadClock) -> Iterator[ReadClock]:
    """Make *clock* the current one."""
    token = _CURRENT.set(clock)
    try:
        yield clock
    finally:
        _CURRENT.reset(token)
