"""
Many attempts of one call, side by side: `Scheduler.run` begins what can begin.

The thread that calls it only begins attempts; each is made in a thread of its own. What all of them
share is guarded by one condition (`Turns.changed`), and the watcher by one lock of its own, so that
a slow screen never holds an attempt's bookkeeping.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass

from quickstarted.events import Event
from quickstarted.plan import AttemptPlan
from quickstarted.prices import SpendMeter
from quickstarted.results import AttemptKey, CellKey, RunResult, Stopped
from quickstarted.run import AttemptHooks, Phase
from quickstarted.suite.hooks import Hold, SuiteWatcher
from quickstarted.suite.limits import Limits
from quickstarted.suite.made import Attempts
from quickstarted.suite.maker import Maker
from quickstarted.suite.options import SuiteOptions
from quickstarted.suite.queue import AttemptQueue
from quickstarted.suite.room import Room
from quickstarted.suite.turns import AHEAD, Turns, openings_at_once
from quickstarted.verdict import INFRA_ERROR

WRITERS = 1
"""Threads that write tables while all attempts that may be under way have one each."""
POLL_S = 0.5
"""Between two looks at what no attempt tells: room, the end of patience, a wish to stop."""


@dataclass(frozen=True, kw_only=True)
class Call:
    """What the scheduler is told of the call that it works for."""

    maker: Maker
    watcher: SuiteWatcher
    cancelled: Callable[[], bool]
    """Whether somebody asked to stop."""
    meter: SpendMeter | None = None
    """What the call may spend; None is no limit."""
    room: Room


class Scheduler:
    """Makes the attempts of a call."""

    def __init__(
        self, plans: Sequence[AttemptPlan], attempts: Attempts, call: Call, options: SuiteOptions
    ) -> None:
        self._attempts = attempts
        self._call = call
        self._options = options
        self._queue = AttemptQueue(plans)
        self._limits = Limits(options.limits)
        self._turns = Turns(options.workers, call.maker.openings or openings_at_once())
        self._telling = threading.Lock()
        self._holds: list[Hold] = []
        self._fault: BaseException | None = None
        """What ends the call: its results cannot be written, or this program fails outside of any
        attempt that could be charged with it."""
        self._without_room_since: float | None = None
        self._needed: dict[CellKey, int] = {}
        """How many more attempts it takes at least until a cell is decided; asked of the rule."""
        self.stopped: Stopped | None = None
        """Why the call ended before all of its attempts were made."""

    def run(self) -> None:
        """
        Make all attempts, as far as nobody stops it.

        Raises:
            StorageFault: Results cannot be written; attempts that were under way are over.
            BaseException: Any other that one of its threads has met, in the same way.

        """
        changed = self._turns.changed
        most = self._options.workers + AHEAD + WRITERS
        # The condition is let go of first: threads that are about to end take it.
        with ThreadPoolExecutor(most, thread_name_prefix="attempt") as pool, changed:
            for cell in {plan.key.cell: None for plan in self._queue.plans}:
                # An earlier call may have decided it (`--resume`).
                self._drop_if_decided(cell)
            while True:
                self._begin_what_can(pool)
                if not self._turns and (not self._queue or self._is_stopped()):
                    break
                changed.wait(POLL_S)
        self._tell_holds([])
        if self._fault is not None:
            raise self._fault

    def _begin_what_can(self, pool: ThreadPoolExecutor) -> None:
        lack = None
        while self._queue and not self._is_stopped() and self._turns.may_open():
            lack = self._call.room.lack() or self._call.maker.lack()
            if lack is not None or not self._may_spend():
                break
            plan = self._queue.take(self._obstacle)
            if plan is None:
                break
            self._limits.begin(plan)
            self._turns.begin(plan.key)
            pool.submit(self._attempt, plan)
        to_come = 0 if self._is_stopped() else len(self._queue)
        self._call.maker.expect(to_come + self._turns.opening)
        self._note_room(lack)
        self._tell_holds(self._holds_now(lack))

    def _is_stopped(self) -> bool:
        if self.stopped is None and self._call.cancelled():
            self.stopped = "interrupted"
        return self.stopped is not None or self._fault is not None

    def _may_spend(self) -> bool:
        meter = self._call.meter
        if meter is None or meter.may_begin():
            return True
        self.stopped = "max_spend"
        return False

    def _obstacle(self, plan: AttemptPlan) -> str | None:
        """A cell that is about to be decided gets no more attempts than it takes for that."""
        if self._options.stop_rule is not None and self._may_be_spared(plan.key):
            return "attempts before them that may decide their cell"
        return self._limits.obstacle(plan)

    def _may_be_spared(self, key: AttemptKey) -> bool:
        """
        Whether the attempts before *key* may be all that its cell takes.

        Attempts are judged in the order of their numbers, so that one that waits for its next try
        holds back those that are not needed once it is made, and is held back by none.
        """
        judged = len(self._attempts.made_of(key.cell))
        return key.attempt > judged + self._needed_by(key.cell)

    def _needed_by(self, cell: CellKey) -> int:
        rule = self._options.stop_rule
        assert rule is not None
        if cell not in self._needed:
            self._needed[cell] = rule.fewest_more(self._attempts.made_of(cell))
        return self._needed[cell]

    def _note_room(self, lack: str | None) -> None:
        if lack is None or self._turns:
            self._without_room_since = None
            return
        now = time.monotonic()
        if self._without_room_since is None:
            self._without_room_since = now
        if now - self._without_room_since > self._call.room.patience_s:
            self.stopped = "no_room"

    def _holds_now(self, lack: str | None) -> list[Hold]:
        if self._is_stopped() or not self._queue:
            return []
        if lack is not None:
            return [Hold(attempts=len(self._queue), reason=lack)]
        return self._queue.holds(self._obstacle)

    def _tell_holds(self, holds: list[Hold]) -> None:
        if holds != self._holds:
            self._holds = holds
            with self._telling:
                self._call.watcher.holding(holds)

    def _attempt(self, plan: AttemptPlan) -> None:
        """One try of one attempt, in a thread of its own."""
        result: RunResult | None = None
        with self._noting_faults():
            with self._telling:
                self._call.watcher.begun(plan)
            result = self._attempts.make(plan, self._call.maker, self._hooks(plan), self._ended)
        # One step for all others: what is to be made again is not under way any more.
        with self._turns.changed:
            if result is not None:
                with self._noting_faults():
                    self._after(plan, result)
            self._limits.end(plan)
            self._turns.end(plan.key)
        # Nobody waits for tables: there is a thread more than attempts for whoever writes them.
        with self._noting_faults():
            self._attempts.write_when_due()

    @contextmanager
    def _noting_faults(self) -> Iterator[None]:
        """`run` raises what is met in a thread of its own: none may be lost."""
        try:
            yield
        except BaseException as fault:  # noqa: BLE001 - see above
            with self._turns.changed:
                self._fault = self._fault or fault

    def _after(self, plan: AttemptPlan, result: RunResult) -> None:
        """Whether the attempt counts, or is made again; whether its cell needs any more."""
        lost = result.classification is INFRA_ERROR and result.tries <= self._options.retries
        if lost and not self._is_stopped():
            delay_s = self._options.delay_s(result.tries)
            self._attempts.keep_aside(plan, result)
            self._queue.put_back(plan, delay_s=delay_s)
            self._note(
                f"{plan.key.task}, attempt {plan.attempt}: lost to infrastructure, made again in"
                f" {delay_s:.0f} s (try {result.tries + 1} of {self._options.retries + 1})"
            )
            return
        self._attempts.count(plan, result)
        self._needed.pop(plan.key.cell, None)
        self._drop_if_decided(plan.key.cell)

    def _drop_if_decided(self, cell: CellKey) -> None:
        if self._options.stop_rule is None or self._needed_by(cell):
            return
        dropped = self._queue.withdraw(cell)
        self._attempts.drop(dropped)
        with self._telling:
            self._call.watcher.dropped(dropped)

    def _ended(self, plan: AttemptPlan, result: RunResult) -> None:
        folder = self._attempts.folder(plan)
        with self._telling:
            self._call.watcher.ended(plan, folder, result)

    def _hooks(self, plan: AttemptPlan) -> AttemptHooks:
        def enter(phase: Phase) -> None:
            self._turns.enter(plan.key, phase)
            with self._telling:
                self._call.watcher.phase(plan, phase)

        def hear(event: Event) -> None:
            with self._turns.changed:
                self._limits.hear(plan, event)
            with self._telling:
                self._call.watcher.heard(plan, event)

        return AttemptHooks(
            observer=hear,
            note=self._note,
            cancelled=self._call.cancelled,
            phase=enter,
            wait_for_turn=lambda: self._turns.wait(plan.key, self._call.cancelled),
            again=lambda: self._again(plan),
        )

    def _again(self, plan: AttemptPlan) -> None:
        """What was made of the attempt is gone, and it starts anew."""
        self._turns.again(plan.key)
        with self._telling:
            self._call.watcher.begun(plan)

    def _note(self, line: str) -> None:
        with self._telling:
            self._call.watcher.note(line)
