"""
Calls of a vendor's client that end in time.

A client waits for as long as its service is silent. Here each call is a task of an event loop, so
that it can be given up the moment the attempt's time is over or somebody asks to stop; the loop
lives as long as the conversation, so connections are kept. Nothing else of a call outlives it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from types import TracebackType
from typing import Any, Self, TypeVar

from quickstarted.agents.model.generators import closing_generators
from quickstarted.budget import Budget
from quickstarted.errors import Interrupted

T = TypeVar("T")

TICK_S = 0.05


class Calls:
    """Runs coroutines one after the other, within *budget*."""

    def __init__(self, budget: Budget, cancelled: Callable[[], bool]) -> None:
        self._budget = budget
        self._cancelled = cancelled
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._runner.close()

    def run(self, call: Coroutine[Any, Any, T]) -> T:
        """
        Wait for *call*, and give it up where it takes too long.

        Raises:
            BudgetExceeded: The agent's time is over.
            Interrupted: Somebody asked to stop.

        """
        return self._runner.run(self._watched(call))

    def finish(self, call: Coroutine[Any, Any, T]) -> T:
        """Wait for *call*, which is short and must be done whatever happened before."""
        return self._runner.run(call)

    def sleep(self, seconds: float) -> None:
        """
        Wait for others; the caller forgives the budget.

        Raises:
            Interrupted: Somebody asked to stop.

        """
        until = time.monotonic() + seconds
        while (rest := until - time.monotonic()) > 0:
            self._check_interrupted()
            time.sleep(min(TICK_S, rest))

    async def _watched(self, call: Coroutine[Any, Any, T]) -> T:
        task = asyncio.ensure_future(_closing(call))
        try:
            while not task.done():
                self._check_interrupted()
                self._budget.check()
                await asyncio.wait({task}, timeout=TICK_S)
        finally:
            if not task.done():
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        return task.result()

    def _check_interrupted(self) -> None:
        if self._cancelled():
            raise Interrupted("interrupted while the model was at work")


async def _closing(call: Coroutine[Any, Any, T]) -> T:
    async with closing_generators():
        return await call
