"""
The limits of the agent's phase, and the one place that says which of them was hit.

What a whole call may spend is one of them, too: its meter is shared by attempts, and asked here.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from quickstarted.verdict import StopReason


class BudgetExceeded(Exception):
    """A budget of the task is used up; `stop_reason` says which."""

    def __init__(self, stop_reason: StopReason) -> None:
        super().__init__(stop_reason.value)
        self.stop_reason = stop_reason


class Spending(Protocol):
    """One attempt's part of what a whole call may spend (`--max-spend`)."""

    def reserve(self) -> bool:
        """Set aside what the next turn may cost; False: it would be more than is left."""

    def charge(self, usd: float) -> None:
        """Count what a turn has cost."""


@dataclass(kw_only=True)
class Budget:
    """
    Seconds, turns, tokens and US dollars of the agent's phase; starts when made.

    Waiting for throttles and rate limits does not count: `forgive` moves the deadline.
    """

    max_seconds: float
    max_command_seconds: float
    max_turns: int
    max_tokens: int = 0
    """Of all kinds together; 0 is no limit."""
    max_cost_usd: float = 0.0
    """Estimated; 0 is no limit."""
    spending: Spending | None = None
    """Of the whole call; None is no limit."""
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._deadline = self.clock() + self.max_seconds
        self.turns = 0
        self.tokens = 0
        self.cost_usd = 0.0

    @property
    def limits_cost(self) -> bool:
        """Whether a model without a price cannot go on."""
        return bool(self.max_cost_usd) or self.spending is not None

    @property
    def remaining_s(self) -> float:
        """Seconds left; never negative."""
        return max(0.0, self._deadline - self.clock())

    def forgive(self, waited_s: float) -> None:
        """Give back *waited_s* seconds that the attempt spent waiting for others."""
        self._deadline += waited_s

    def command_timeout_s(self) -> float:
        """
        How long the next command may take.

        Raises:
            BudgetExceeded: Nothing is left.

        """
        self.check()
        return min(self.max_command_seconds, self.remaining_s)

    def check(self) -> None:
        """
        Look at the clock.

        Raises:
            BudgetExceeded: The time is over.

        """
        if self.remaining_s <= 0:
            raise BudgetExceeded(StopReason.MAX_SECONDS)

    def begin_turn(self) -> int:
        """
        Count a call of the model; its number, from 1.

        Turns, tokens and cost are looked at here and nowhere else: what a reply asked for is still
        carried out, and then no further call is made.

        Raises:
            BudgetExceeded: No further call may be made.

        """
        self.check()
        if self.turns >= self.max_turns:
            raise BudgetExceeded(StopReason.MAX_TURNS)
        if self.max_tokens and self.tokens >= self.max_tokens:
            raise BudgetExceeded(StopReason.MAX_TOKENS)
        if self.max_cost_usd and self.cost_usd >= self.max_cost_usd:
            raise BudgetExceeded(StopReason.MAX_COST)
        if self.spending is not None and not self.spending.reserve():
            raise BudgetExceeded(StopReason.MAX_SPEND)
        self.turns += 1
        return self.turns

    def count_turn(self) -> int:
        """Count a call of a model that a program has made by itself; its number, from 1."""
        self.turns += 1
        return self.turns

    def cost_stop(self) -> StopReason | None:
        """Why a program that makes its calls by itself gets no further one, asked after each."""
        if self.max_cost_usd and self.cost_usd >= self.max_cost_usd:
            return StopReason.MAX_COST
        if self.spending is not None and not self.spending.reserve():
            return StopReason.MAX_SPEND
        return None

    def spend(self, tokens: int) -> None:
        """Count what a call used, also one that failed."""
        self.tokens += tokens

    def charge(self, usd: float) -> None:
        """Count what a call has cost, also one that failed."""
        self.cost_usd += usd
        if self.spending is not None:
            self.spending.charge(usd)
