"""Attempts that are still to be made, and which of them comes next."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from quickstarted.plan import AttemptPlan
from quickstarted.results import CellKey
from quickstarted.suite.hooks import Hold

Obstacle = Callable[[AttemptPlan], str | None]
"""Why an attempt cannot begin now; None when it can."""


@dataclass(slots=True)
class _Entry:
    plan: AttemptPlan
    not_before: float = 0.0
    """Monotonic seconds."""


class AttemptQueue:
    """
    Attempts in the order in which they are to begin; not safe for several threads.

    Args:
        plans: All of them.
        clock: Monotonic seconds.

    """

    def __init__(
        self, plans: Iterable[AttemptPlan], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._entries = [_Entry(plan) for plan in plans]

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def plans(self) -> list[AttemptPlan]:
        """What is left, in order."""
        return [entry.plan for entry in self._entries]

    def take(self, obstacle: Obstacle) -> AttemptPlan | None:
        """Remove and return the first attempt with nothing in its way; None: each has something."""
        blocked: set[CellKey] = set()
        for place, entry in enumerate(self._entries):
            if entry.plan.key.cell in blocked or self._is_early(entry):
                continue
            if obstacle(entry.plan) is None:
                del self._entries[place]
                return entry.plan
            blocked.add(entry.plan.key.cell)
        return None

    def holds(self, obstacle: Obstacle) -> list[Hold]:
        """What the attempts that are left wait for; without those that wait for nobody."""
        reasons: dict[CellKey, str | None] = {}
        counts: Counter[str] = Counter()
        for entry in self._entries:
            cell = entry.plan.key.cell
            if self._is_early(entry):
                reason: str | None = "a while before the next try"
            elif cell in reasons:
                reason = reasons[cell]
            else:
                reason = reasons[cell] = obstacle(entry.plan)
            if reason is not None:
                counts[reason] += 1
        return [Hold(attempts=number, reason=reason) for reason, number in counts.items()]

    def put_back(self, plan: AttemptPlan, *, delay_s: float) -> None:
        """Have *plan* made again, not sooner than in *delay_s*, and before what comes after it."""
        self._entries.insert(0, _Entry(plan, not_before=self._clock() + delay_s))

    def withdraw(self, cell: CellKey) -> Sequence[AttemptPlan]:
        """Drop what is left of a cell, and return it."""
        dropped = [entry.plan for entry in self._entries if entry.plan.key.cell == cell]
        self._entries = [entry for entry in self._entries if entry.plan.key.cell != cell]
        return dropped

    def _is_early(self, entry: _Entry) -> bool:
        return entry.not_before > self._clock()
