"""
The attempts of a call that are made: each in its folder, whole, before it counts.

An attempt counts once its `result.json` is there. `results.json` and `suite.md` are made from
those, now and then while the call goes on and once at its end: writing them after each of ten
thousand attempts would take longer than the attempts.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence

from quickstarted.plan import AttemptPlan
from quickstarted.records import Folder
from quickstarted.results import (
    AttemptDir,
    AttemptKey,
    CallFacts,
    CellKey,
    RunResult,
    Stopped,
    SuiteResult,
    suite_result,
)
from quickstarted.run import AttemptHooks
from quickstarted.suite.maker import Maker

TABLES_EVERY_S = 5.0
TABLES_SHARE = 20
"""Tables of ten thousand attempts take seconds: they are written in a twentieth of the time."""

Report = Callable[[AttemptDir], None]
"""Writes what a person reads of an attempt into its folder."""


class Attempts:
    """
    What a call has made so far; safe to use from several threads.

    Args:
        plans: All that it is to make, with what an earlier call has made of it.
        folder: Where; what is there already counts.
        report: Writes `report.md` of an attempt whose trace is on disk.
        tables: The text of `suite.md`.
        max_spend_usd: What the call may spend.
        judged: Adds what the call holds its cells to.

    """

    def __init__(
        self,
        plans: Sequence[AttemptPlan],
        folder: Folder[AttemptPlan],
        *,
        report: Report,
        tables: Callable[[SuiteResult], str],
        max_spend_usd: float | None = None,
        judged: Callable[[SuiteResult], SuiteResult] = lambda suite: suite,
    ) -> None:
        self._results = folder.results
        self._report = report
        self._tables = tables
        self._max_spend_usd = max_spend_usd
        self._judged = judged
        self._order = {plan.key: place for place, plan in enumerate(plans)}
        self._lock = threading.Lock()
        self._done: dict[CellKey, dict[int, RunResult]] = defaultdict(dict)
        """By the attempt's number."""
        for run in folder.done:
            self._done[run.cell_key][run.attempt] = run
        self._tries = {key: list(tries) for key, tries in folder.tries.items()}
        self._folders: dict[AttemptKey, AttemptDir] = {}
        self._writing = threading.Lock()
        self._next_write = time.monotonic() + TABLES_EVERY_S
        for adopted in folder.adopted:
            if not adopted.report.exists():
                report(adopted)

    def make(
        self,
        plan: AttemptPlan,
        maker: Maker,
        hooks: AttemptHooks,
        ended: Callable[[AttemptPlan, RunResult], None],
    ) -> RunResult:
        """
        Make one try of an attempt; everything of it is on disk afterwards.

        Args:
            plan: What is to be done.
            maker: Who makes it, and where.
            hooks: Take part in it.
            ended: Told of the result before it is on disk.

        Raises:
            StorageFault: It is not on disk.

        """
        folder = self._results.attempt(
            plan.task.name, plan.agent.name, plan.attempt, plan.condition
        )
        with self._lock:
            self._folders[plan.key] = folder
            earlier = list(self._tries.get(plan.key, ()))
        result = maker.make(plan, folder, hooks).model_copy(
            update={
                "trace": self._results.relative(folder.trace),
                "tries": len(earlier) + 1,
                "earlier_tries": earlier,
            }
        )
        self._report(folder)
        ended(plan, result)
        folder.write_result(result)
        return result

    def folder(self, plan: AttemptPlan) -> AttemptDir:
        """Where the try of *plan* that was begun last is."""
        with self._lock:
            return self._folders[plan.key]

    def keep_aside(self, plan: AttemptPlan, lost: RunResult) -> None:
        """
        Make room for another try, and keep this one.

        Raises:
            StorageFault: The folder cannot be renamed.

        """
        kept = self._results.keep_aside(self.folder(plan))
        one = lost.as_try(self._results.relative(kept.trace))
        with self._lock:
            self._tries.setdefault(plan.key, []).append(one)

    def count(self, plan: AttemptPlan, result: RunResult) -> None:
        """The attempt is made."""
        with self._lock:
            self._done[plan.key.cell][plan.attempt] = result

    def drop(self, plans: Iterable[AttemptPlan]) -> None:
        """These will not be made."""
        with self._lock:
            for plan in plans:
                self._order.pop(plan.key, None)

    def made_of(self, cell: CellKey) -> list[RunResult]:
        """Attempts 1 to n of *cell*, in order, up to the first that is not made yet."""
        found: list[RunResult] = []
        with self._lock:
            made = self._done.get(cell, {})
            while (one := made.get(len(found) + 1)) is not None:
                found.append(one)
        return found

    def suite(self, stopped: Stopped | None) -> SuiteResult:
        """All that is made, in the order of the plan, whatever was ready first."""
        with self._lock:
            made = (run for of_cell in self._done.values() for run in of_cell.values())
            runs = sorted(made, key=lambda run: self._order.get(run.key, 0))
            planned = len(self._order)
        facts = CallFacts(planned=planned, stopped=stopped, max_spend_usd=self._max_spend_usd)
        return self._judged(suite_result(runs, created=time.time(), call=facts))

    def write(self, stopped: Stopped | None) -> SuiteResult:
        """
        Write the tables.

        Raises:
            StorageFault: They cannot be written.

        """
        with self._writing:
            return self._write(stopped)

    def write_when_due(self) -> None:
        """
        Write the tables, if it is time to and nobody is about it.

        Raises:
            StorageFault: They cannot be written.

        """
        if time.monotonic() > self._next_write and self._writing.acquire(blocking=False):
            try:
                self._write(stopped=None)
            finally:
                self._writing.release()

    def _write(self, stopped: Stopped | None) -> SuiteResult:
        began = time.monotonic()
        suite = self.suite(stopped)
        if suite.runs or suite.attempts_planned:
            self._results.write_suite(suite, self._tables(suite))
        now = time.monotonic()
        self._next_write = now + max(TABLES_EVERY_S, TABLES_SHARE * (now - began))
        return suite
