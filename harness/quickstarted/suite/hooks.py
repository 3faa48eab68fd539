"""How the outside takes part in a call with many attempts, without deciding anything in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from quickstarted.events import Event
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult
from quickstarted.run import Phase


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Attempts that could begin, and what they wait for."""

    attempts: int
    reason: str
    """For people: `anthropic: 4 at once`, `1.2 GiB of memory free, 2 GiB kept free`."""


class SuiteWatcher(Protocol):
    """Sees everything; called from several threads, one call at a time."""

    def planned(self, plans: Sequence[AttemptPlan], done: Sequence[RunResult]) -> None:
        """*plans* are the call's, of which an earlier call has made *done*; told once, first."""

    def dropped(self, plans: Sequence[AttemptPlan]) -> None:
        """These will not be made, since their cell is decided (`--repeat auto`)."""

    def begun(self, plan: AttemptPlan) -> None:
        """A try of an attempt begins."""

    def heard(self, plan: AttemptPlan, event: Event) -> None:
        """An event of an attempt is in its trace."""

    def phase(self, plan: AttemptPlan, phase: Phase) -> None:
        """An attempt is in another phase."""

    def ended(self, plan: AttemptPlan, folder: AttemptDir, result: RunResult) -> None:
        """
        A try of an attempt is over: trace, `run.json` and `report.md` are on disk.

        `result.json` comes after this. `begun` for the same attempt later on: it is made again.
        """

    def holding(self, holds: Sequence[Hold]) -> None:
        """What waits for what, whenever that changes; empty when nothing does."""

    def note(self, line: str) -> None:
        """A line for the person who waits."""
