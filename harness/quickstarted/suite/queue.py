"""
Attempts that are still to be made, and which of them comes next.

It is asked whenever anything changes, so what it costs goes by the number of cells and not by that
of attempts.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from quickstarted.plan import AttemptPlan
from quickstarted.results import CellKey
from quickstarted.suite.hooks import Hold

Obstacle = Callable[[AttemptPlan], str | None]
"""
Why an attempt cannot begin now; None when it can. What holds one back holds back those of its cell
that come after it.
"""


@dataclass(frozen=True, slots=True)
class _Again:
    """An attempt that is made once more."""

    plan: AttemptPlan
    not_before: float
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
        self._plans = list(plans)
        self._again: list[_Again] = []
        """Before all others, as soon as their time has come."""
        self._of_cell: dict[CellKey, deque[AttemptPlan]] = {}
        """The same, by cell; no cell with none."""
        for plan in self._plans:
            self._of_cell.setdefault(plan.key.cell, deque()).append(plan)

    def __len__(self) -> int:
        return len(self._again) + len(self._plans)

    @property
    def plans(self) -> list[AttemptPlan]:
        """What is left, in order."""
        return [*(one.plan for one in self._again), *self._plans]

    def take(self, obstacle: Obstacle) -> AttemptPlan | None:
        """Remove and return the first attempt with nothing in its way; None: each has something."""
        blocked: set[CellKey] = set()
        for place, one in enumerate(self._again):
            if self._is_early(one):
                continue
            if obstacle(one.plan) is None:
                del self._again[place]
                return one.plan
            blocked.add(one.plan.key.cell)
        waiting = len(self._of_cell.keys() - blocked)
        for place, plan in enumerate(self._plans):
            if not waiting:
                break
            cell = plan.key.cell
            if cell in blocked:
                continue
            if obstacle(plan) is None:
                del self._plans[place]
                self._forget_first(cell)
                return plan
            blocked.add(cell)
            waiting -= 1
        return None

    def holds(self, obstacle: Obstacle) -> list[Hold]:
        """What the attempts that are left wait for; without those that wait for nobody."""
        counts: Counter[str] = Counter()
        for one in self._again:
            early = "a while before the next try" if self._is_early(one) else None
            reason = early or obstacle(one.plan)
            if reason is not None:
                counts[reason] += 1
        for plans in self._of_cell.values():
            reason = obstacle(plans[0])
            if reason is not None:
                counts[reason] += len(plans)
        return [Hold(attempts=number, reason=reason) for reason, number in counts.items()]

    def put_back(self, plan: AttemptPlan, *, delay_s: float) -> None:
        """Have *plan* made again, not sooner than in *delay_s*, and before what comes after it."""
        self._again.insert(0, _Again(plan, not_before=self._clock() + delay_s))

    def withdraw(self, cell: CellKey) -> Sequence[AttemptPlan]:
        """Drop what is left of a cell, and return it."""
        dropped = [plan for plan in self.plans if plan.key.cell == cell]
        self._again = [one for one in self._again if one.plan.key.cell != cell]
        self._plans = [plan for plan in self._plans if plan.key.cell != cell]
        self._of_cell.pop(cell, None)
        return dropped

    def _forget_first(self, cell: CellKey) -> None:
        left = self._of_cell[cell]
        left.popleft()
        if not left:
            del self._of_cell[cell]

    def _is_early(self, one: _Again) -> bool:
        return one.not_before > self._clock()
