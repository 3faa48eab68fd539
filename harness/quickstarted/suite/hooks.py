"""How the outside takes part in a call with many attempts, without deciding anything in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from quickstarted.events import Event
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult

Phase = Literal["opening", "waiting", "working", "judging", "ended"]
"""
Of an attempt: its sandbox is being made; it waits for its turn to work in it; the agent works; what
it left is judged; it is over.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hold:
    """Attempts that could begin, and what they wait for."""

    attempts: int
    reason: str
    """For people: `anthropic: 4 at once`, `1.2 GiB of memory free, 2 GiB kept free`."""


class SuiteWatcher(Protocol):
    """Sees everything; called from several threads, one call at a time."""

    def planned(self, plans: Sequence[AttemptPlan]) -> None:
        """These attempts are to be made; further ones may come (`--repeat auto`)."""

    def begun(self, plan: AttemptPlan) -> None:
        """An attempt begins; also each further try of one."""

    def heard(self, plan: AttemptPlan, event: Event) -> None:
        """An event of an attempt is in its trace."""

    def phase(self, plan: AttemptPlan, phase: Phase) -> None:
        """An attempt is in another phase."""

    def ended(self, plan: AttemptPlan, folder: AttemptDir, result: RunResult) -> None:
        """
        An attempt's trace and `run.json` are on disk; `result.json` is written after this.

        Writes what else belongs into the folder. The time for it to say how the attempt ended.
        """

    def holding(self, holds: Sequence[Hold]) -> None:
        """What waits for what, whenever that changes; empty when nothing does."""

    def note(self, line: str) -> None:
        """A line for the person who waits."""
