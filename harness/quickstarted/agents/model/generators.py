"""
Asynchronous generators that end with the call that began them.

Clients of vendors read a response through a dozen generators, one inside the other, and leave them
where they are when an event in the middle of it cannot be used. Python closes such generators when
it collects them: later, in any order, on a loop that may have stopped by then.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Any


@asynccontextmanager
async def closing_generators() -> AsyncIterator[None]:
    """
    Close what is begun within it, outer generators before those that they read.

    It counts for the whole thread while it lasts (`sys.set_asyncgen_hooks`), so nothing else may
    run on the loop.
    """
    begun: list[AsyncGenerator[Any, None]] = []
    usual = sys.get_asyncgen_hooks()

    def note(generator: AsyncGenerator[Any, None]) -> None:
        begun.append(generator)
        if usual.firstiter is not None:
            usual.firstiter(generator)

    sys.set_asyncgen_hooks(firstiter=note)
    try:
        yield
    finally:
        sys.set_asyncgen_hooks(firstiter=usual.firstiter)
        for generator in begun:
            await generator.aclose()
