"""
Work of the documentation client that can be given up in the middle.

A name that is looked up, or a server that says nothing, holds its thread until its own time is
over, and nothing in Python ends that. So it has a thread of its own, which is left behind.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import TypeVar

from quickstarted.errors import Interrupted

T = TypeVar("T")

TICK_S = 0.05


def given_up_when(cancelled: Callable[[], bool], work: Callable[[], T]) -> T:
    """
    Do *work* and return what it returns; *cancelled* is asked all the time.

    Raises:
        Interrupted: Somebody asked to stop; *work* ends when it ends, and its result is nobody's.

    """
    result: Future[T] = Future()

    def worked() -> None:
        try:
            result.set_result(work())
        except BaseException as exc:  # noqa: BLE001 (raised again on the caller's thread)
            result.set_exception(exc)

    threading.Thread(target=worked, name="documentation", daemon=True).start()
    while not wait([result], TICK_S).done:
        if cancelled():
            raise Interrupted("interrupted while documentation was read")
    return result.result()
