"""
A thread that shows, so that nothing that works ever waits for a terminal or a pipe.

A terminal that somebody has stopped (Ctrl-S) and a reader that is slow hold up this thread alone.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable

MOST_WAITING = 5_000
"""Actions that may wait; beyond it, those that may be left out are."""

Action = Callable[[], None]


class Background:
    """
    Carries out actions in order, and *tick* now and then.

    Args:
        tick: Called after actions, and at least every *every_s* seconds.
        every_s: Also the shortest time between two ticks.
        most: How many actions may wait before those that may be left out are.

    """

    def __init__(
        self, tick: Action = lambda: None, *, every_s: float = 1.0, most: int = MOST_WAITING
    ) -> None:
        self._tick = tick
        self._every_s = every_s
        self._most = most
        self._changed = threading.Condition()
        self._actions: deque[Action] = deque()
        self._closing = False
        self._thread = threading.Thread(target=self._run, name="screen", daemon=True)
        self._thread.start()

    def do(self, action: Action, *, droppable: bool = False) -> bool:
        """Have *action* carried out; False where it is left out, since too many wait."""
        with self._changed:
            if droppable and len(self._actions) >= self._most:
                return False
            if self._thread.is_alive():
                self._actions.append(action)
                self._changed.notify()
        return True

    def flush(self) -> None:
        """Wait until all actions so far are carried out."""
        if self._thread.is_alive():
            done = threading.Event()
            self.do(done.set)
            while not done.wait(self._every_s) and self._thread.is_alive():
                pass

    def close(self) -> None:
        """Wait until all actions are carried out; `tick` is called once more after them."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        ticked = time.monotonic()
        while True:
            with self._changed:
                if not self._actions and not self._closing:
                    self._changed.wait(max(0.0, ticked + self._every_s - time.monotonic()))
                actions, self._actions = self._actions, deque()
                is_last = self._closing
            for action in actions:
                action()
            if is_last or time.monotonic() - ticked >= self._every_s:
                self._tick()
                ticked = time.monotonic()
            if is_last and not self._actions:
                return
