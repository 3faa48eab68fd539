"""
Calls with many attempts, made by the real scheduler in the local backend, and who watches them.

The agents do what no agent of the product does: fail in this program's own code, or in the engine's
name, so often as they are told.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from quickstarted.agents.assignment import Assignment, Prompt
from quickstarted.agents.replay import ReplayAgent
from quickstarted.console.tables import suite_markdown
from quickstarted.errors import AttemptFault, EngineFault
from quickstarted.events import Event
from quickstarted.plan import AttemptPlan
from quickstarted.records import Opening, open_folder
from quickstarted.results import AttemptDir, AttemptKey, RunResult, SuiteResult
from quickstarted.run import Phase
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.sandbox.local.folders import BASE_VARIABLE
from quickstarted.sandbox.protocol import Backend
from quickstarted.suite import (
    Attempts,
    Call,
    Hold,
    LocalMaker,
    Maker,
    Room,
    Scheduler,
    SuiteOptions,
)
from quickstarted.tools import Toolbelt
from quickstarted.verdict import StopReason

RUN_ID = "20260101-000000-1"


class Troubled:
    """Replays, but meets *trouble* in its first tries of each attempt that *hits* names."""

    is_replay: ClassVar[bool] = False
    model: str | None = None

    def __init__(
        self, trouble: Callable[[], BaseException], *, name: str = "troubled", times: int = 1
    ) -> None:
        self.name = name
        self._trouble = trouble
        self._left: Counter[str] = Counter()
        self._times = times
        self._lock = threading.Lock()
        self._replay = ReplayAgent()

    def lacks(self, assignment: Assignment) -> str | None:
        """Nothing."""
        del assignment
        return None

    def prepare(self) -> None:
        """Nothing."""

    def prompt(self, assignment: Assignment) -> Prompt | None:
        """None."""
        del assignment
        return None

    def run(self, assignment: Assignment, tools: Toolbelt) -> StopReason:
        """Meet the trouble, or replay."""
        with self._lock:
            met = self._left["times"]
            self._left["times"] += 1
        if met < self._times:
            raise self._trouble()
        return self._replay.run(assignment, tools)


def engine_gone() -> AttemptFault:
    """What an engine that does not answer looks like."""
    return EngineFault("the engine does not answer")


@dataclass
class Notes:
    """A watcher that remembers everything."""

    lines: list[str] = field(default_factory=list)
    begun_keys: list[AttemptKey] = field(default_factory=list)
    results: list[RunResult] = field(default_factory=list)
    phases: dict[AttemptKey, list[Phase]] = field(default_factory=lambda: defaultdict(list))
    holds: list[list[Hold]] = field(default_factory=list)
    events: Counter[AttemptKey] = field(default_factory=Counter)
    dropped_keys: list[AttemptKey] = field(default_factory=list)
    most_working: int = 0
    most_open: int = 0
    on_phase: Callable[[AttemptPlan, Phase], None] = lambda _plan, _phase: None
    _now: dict[AttemptKey, Phase] = field(default_factory=dict)

    def planned(self, plans: Sequence[AttemptPlan], done: Sequence[RunResult]) -> None:
        """Not wanted."""

    def dropped(self, plans: Sequence[AttemptPlan]) -> None:
        """Some will not be made."""
        self.dropped_keys += [plan.key for plan in plans]

    def begun(self, plan: AttemptPlan) -> None:
        """A try begins."""
        self.begun_keys.append(plan.key)

    def heard(self, plan: AttemptPlan, event: Event) -> None:
        """An event."""
        del event
        self.events[plan.key] += 1

    def phase(self, plan: AttemptPlan, phase: Phase) -> None:
        """Another phase."""
        self.phases[plan.key].append(phase)
        self._now[plan.key] = phase
        busy = [one for one in self._now.values() if one in {"working", "judging"}]
        self.most_working = max(self.most_working, len(busy))
        self.most_open = max(self.most_open, len(self._now))
        self.on_phase(plan, phase)

    def ended(self, plan: AttemptPlan, folder: AttemptDir, result: RunResult) -> None:
        """A try is over."""
        del folder
        self._now.pop(plan.key, None)
        self.results.append(result)

    def holding(self, holds: Sequence[Hold]) -> None:
        """What waits."""
        self.holds.append(list(holds))

    def note(self, line: str) -> None:
        """A line."""
        self.lines.append(line)


@dataclass
class Made:
    """A call that is over."""

    suite: SuiteResult
    watcher: Notes
    folder: Path
    took_s: float


def make_suite(
    plans: Sequence[AttemptPlan],
    folder: Path,
    options: SuiteOptions,
    *,
    watcher: Notes | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    room: Room | None = None,
    resume: bool = False,
    backend: Backend | None = None,
    maker: Maker | None = None,
) -> Made:
    """Make *plans*, by the local backend if not another; results are in *folder*`/results`."""
    watcher = watcher or Notes()
    backend = backend or LocalBackend(RUN_ID, {BASE_VARIABLE: str(folder / "attempts")})
    opening = Opening(
        out=folder / "results",
        plans=plans,
        run_id=RUN_ID,
        backend=backend.name,
        nested=True,
        resume=resume,
        retries=options.retries,
    )
    began = time.monotonic()
    with open_folder(opening) as opened:
        attempts = Attempts(
            plans, opened, report=lambda one: one.write_report("report"), tables=suite_markdown
        )
        watcher.planned(plans, opened.done)
        call = Call(
            maker=maker or LocalMaker(backend),
            watcher=watcher,
            cancelled=cancelled,
            room=room or Room(folders=(folder,)),
        )
        scheduler = Scheduler(opened.missing, attempts, call, options)
        try:
            scheduler.run()
        finally:
            backend.close()
            suite = attempts.write(scheduler.stopped)
    return Made(
        suite=suite, watcher=watcher, folder=folder / "results", took_s=time.monotonic() - began
    )
