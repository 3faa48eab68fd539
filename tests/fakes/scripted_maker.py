"""A maker whose attempts only go through their phases, and that counts what is at once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from fakes.attempts import result
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, AttemptKey, RunResult
from quickstarted.run import AttemptHooks
from quickstarted.sandbox.protocol import ImageIdentity
from quickstarted.suite.limits import used_by

JUDGING = 10
"""Times as long as any other phase."""


@dataclass
class ScriptedMaker:
    """
    Makes attempts that take as long as *pause_s* says in each phase, and longer in the last.

    Attributes:
        lost: How often each attempt is lost to infrastructure before it passes.
        pause_s: Asked in every phase; seconds.
        made: How often each attempt was made.
        most: Name to how many attempts used it at once; `open` and `working` are names, too.

    """

    lost: Mapping[AttemptKey, int]
    pause_s: Callable[[], float]
    on_working: Callable[[AttemptPlan], None] = lambda _plan: None
    name: str = "scripted"
    disk: Path | None = None
    openings: int | None = None
    made: Counter[AttemptKey] = field(default_factory=Counter)
    most: Counter[str] = field(default_factory=Counter)
    _now: Counter[str] = field(default_factory=Counter)
    _keys: set[AttemptKey] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """Never asked."""
        raise AssertionError((image, platform))

    def lack(self) -> str | None:
        """Nothing."""

    def expect(self, attempts: int) -> None:
        """Not wanted."""

    def make(self, plan: AttemptPlan, folder: AttemptDir, hooks: AttemptHooks) -> RunResult:
        """Go through the phases."""
        names = ["open", *used_by(plan)]
        with self._lock:
            assert plan.key not in self._keys, f"{plan.key} is under way twice"
            self._keys.add(plan.key)
            self.made[plan.key] += 1
            made = self.made[plan.key]
            self._enter(names)
        hooks.phase("opening")
        time.sleep(self.pause_s())
        hooks.phase("waiting")
        hooks.wait_for_turn()
        cancelled = hooks.cancelled()
        if not cancelled:
            with self._lock:
                self._enter(["working"])
            names.append("working")
            hooks.phase("working")
            self.on_working(plan)
            time.sleep(self.pause_s())
            hooks.phase("judging")
            # Longest, so that the next one is ready before this one's turn is over.
            time.sleep(JUDGING * self.pause_s())
        with self._lock:
            self._now.subtract(names)
            self._keys.discard(plan.key)
        folder.trace.parent.mkdir(parents=True, exist_ok=True)
        how = "infra_error" if made <= self.lost.get(plan.key, 0) else "passed"
        own = {"task": plan.task.name, "agent": plan.agent.name, "attempt": plan.attempt}
        return result("skipped" if cancelled else how, **own)

    def _enter(self, names: list[str]) -> None:
        for name in names:
            self._now[name] += 1
            self.most[name] = max(self.most[name], self._now[name])
