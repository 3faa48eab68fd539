"""Ctrl-C: once ends cleanly, twice leaves at once. SIGTERM, as CI systems send it, is the same."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from quickstarted.cli.notes import screen
from quickstarted.errors import Interrupted

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_SHOW_CURSOR = b"\x1b[?25h"
"""Whoever draws on a terminal hides it, and has no time left to show it again."""


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """
    Give an event that is set by the first signal; a second one ends the process at once.

    No exception is raised in the middle of anything: whoever works looks at the event. What a
    process that left at once has not removed is removed by the next start, or `quickstarted gc`.
    """
    cancelled = threading.Event()

    def on_signal(number: int, frame: FrameType | None) -> None:
        del number, frame
        if cancelled.is_set():
            if screen() is not None and sys.__stderr__ and sys.__stderr__.isatty():
                _write(_SHOW_CURSOR)
            _say("left at once; `quickstarted gc` removes what is still there")
            os._exit(Interrupted.exit_code)
        cancelled.set()
        (screen() or _say)("ending cleanly; press Ctrl-C again to leave at once")

    before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
    try:
        yield cancelled
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def interrupts_held_back() -> Iterator[None]:
    """
    Do the block to its end whatever happens; only the main thread of a program can.

    Raises:
        KeyboardInterrupt: Once it is done: there was a Ctrl-C meanwhile.

    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    told = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: told.set())
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if told.is_set():
        raise KeyboardInterrupt


def _say(text: str) -> None:
    """Write past Python's buffers: a handler may run in the middle of a print."""
    _write(f"\n{text}\n".encode())


def _write(data: bytes) -> None:
    with suppress(OSError):
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, data)
