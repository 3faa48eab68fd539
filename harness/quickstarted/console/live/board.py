"""
How a call stands: its cells, the attempts under way, what waits; without a word on how it looks.

`hear` is called for every event of every attempt, thousands of times a second, so it does next to
nothing for most of them.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from threading import Lock

from quickstarted.console.live.doing import MODEL, PHASES, doing_after, is_trouble
from quickstarted.console.live.estimate import Durations
from quickstarted.console.live.show import Planned, Wait
from quickstarted.console.live.spending import Spending
from quickstarted.events import AgentTurn, ApiRetry, Event
from quickstarted.results import AttemptKey, CellKey, RunResult
from quickstarted.verdict import Classification


@dataclass(slots=True, kw_only=True)
class Underway:
    """A try of an attempt that goes on."""

    key: AttemptKey
    began_s: float
    """Monotonic."""
    uses_model: bool
    number_of_try: int = 1
    phase: str = "opening"
    turn: int = 0
    doing: str = PHASES["opening"]
    """Not yet `visible`."""
    troubled: bool = False
    """The last thing that happened is one that somebody should look at."""
    spending: Spending = field(default_factory=Spending)


@dataclass(slots=True)
class CellState:
    """How one cell stands."""

    key: CellKey
    uses_model: bool
    planned: int = 0
    begun: int = 0
    """Attempts, of those under way and those that have ended."""
    endings: Counter[Classification] = field(default_factory=Counter)
    spending: Spending = field(default_factory=Spending)
    """Of all tries that have ended."""

    @property
    def done(self) -> int:
        """Attempts that have ended and are not made again."""
        return self.endings.total()

    @property
    def passed(self) -> int:
        """Attempts that passed."""
        return self.endings[Classification.PASSED]

    @property
    def evidence(self) -> int:
        """Attempts that say something about the documentation."""
        return self.passed + self.endings[Classification.DOCS_GAP]


class Board:
    """
    Everything that a screen shows; safe to use from several threads.

    Args:
        clock: Monotonic seconds.

    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.lock = Lock()
        """Hold it while reading."""
        self.cells: dict[CellKey, CellState] = {}
        self.under_way: dict[AttemptKey, Underway] = {}
        self.waits: list[Wait] = []
        self.changes = 0
        """Grows whenever something has changed that may be seen."""
        self.spent = Spending()
        """By tries of this call that have ended."""
        self._clock = clock
        self._durations = Durations()
        self._ended: dict[AttemptKey, Classification] = {}
        self._tries: Counter[AttemptKey] = Counter()

    def planned(self, attempts: Sequence[Planned], done: Sequence[RunResult]) -> None:
        """Take what is to be made, and what an earlier call has made of it."""
        with self.lock:
            for key, uses_model in attempts:
                cell = self.cells.setdefault(key.cell, CellState(key.cell, uses_model))
                cell.planned += 1
            for result in done:
                cell = self.cells[result.cell_key]
                cell.begun += 1
                self._count(result, cell)
                for one in result.earlier_tries:
                    cell.spending.add_cost(one.estimated_cost_usd)
            self.changes += 1

    def dropped(self, keys: Sequence[AttemptKey]) -> None:
        """These will not be made."""
        with self.lock:
            for key in keys:
                self.cells[key.cell].planned -= 1
            self.changes += 1

    def begun(self, key: AttemptKey) -> None:
        """A try begins; a second one takes back how the first has ended."""
        with self.lock:
            cell = self.cells[key.cell]
            lost = self._ended.pop(key, None)
            if lost is not None:
                cell.endings[lost] -= 1
            else:
                cell.begun += 1
            self._tries[key] += 1
            now_s = self._clock()
            self.under_way[key] = Underway(
                key=key,
                began_s=now_s,
                uses_model=cell.uses_model,
                number_of_try=self._tries[key],
            )
            self._durations.under_way(len(self.under_way), now_s)
            self.changes += 1

    def phase(self, key: AttemptKey, phase: str) -> None:
        """An attempt is in another phase."""
        with self.lock:
            if (one := self.under_way.get(key)) is None:
                return
            one.phase = phase
            one.troubled = False
            one.doing = PHASES.get(phase, "") or (MODEL if one.uses_model else "")
            self.changes += 1

    def heard(self, key: AttemptKey, event: Event) -> None:
        """Something has happened."""
        doing = doing_after(event)
        if doing is None:
            return
        with self.lock:
            if (one := self.under_way.get(key)) is None:
                return
            if isinstance(event, AgentTurn | ApiRetry):
                one.turn = event.turn
                one.spending.add_call(event)
            one.troubled = is_trouble(event)
            one.doing = doing or (MODEL if one.uses_model and one.phase == "working" else "")
            self.changes += 1

    def ended(self, key: AttemptKey, result: RunResult) -> None:
        """A try is over."""
        with self.lock:
            one = self.under_way.pop(key, None)
            now_s = self._clock()
            self._durations.under_way(len(self.under_way), now_s)
            if one is not None and result.classification is not Classification.SKIPPED:
                self._durations.took(key.cell, now_s - one.began_s)
            self._count(result, self.cells[key.cell])
            self._ended[key] = result.classification
            self.spent.add_result(result)
            self.changes += 1

    def holding(self, waits: Sequence[Wait]) -> None:
        """What waits for what."""
        with self.lock:
            self.waits = list(waits)
            self.changes += 1

    def left_s(self) -> float | None:
        """Seconds until all is done; None where it is not known. Hold the lock."""
        now_s = self._clock()
        to_come = {cell.key: cell.planned - cell.begun for cell in self.cells.values()}
        under_way = [(one.key.cell, now_s - one.began_s) for one in self.under_way.values()]
        return self._durations.left_s(to_come, under_way, now_s)

    def elapsed_s(self, one: Underway) -> float:
        """How long a try has been under way."""
        return self._clock() - one.began_s

    def spending_of(self, cell: CellState) -> Spending:
        """Of all tries of a cell, those under way included. Hold the lock."""
        own = (one.spending for one in self.under_way.values() if one.key.cell == cell.key)
        return cell.spending.plus(own)

    def spending(self) -> Spending:
        """Of this call so far, in all its tries. Hold the lock."""
        return self.spent.plus(one.spending for one in self.under_way.values())

    def endings(self) -> Counter[Classification]:
        """How attempts have ended. Hold the lock."""
        total: Counter[Classification] = Counter()
        for cell in self.cells.values():
            total.update(cell.endings)
        return total

    def _count(self, result: RunResult, cell: CellState) -> None:
        cell.endings[result.classification] += 1
        cell.spending.add_result(result)
