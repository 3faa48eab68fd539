"""What every way of showing a call takes part in, in words that know nothing of how it is run."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from quickstarted.events import Event
from quickstarted.results import AttemptKey, RunResult, SuiteResult


class Planned(NamedTuple):
    """An attempt of the call."""

    key: AttemptKey
    uses_model: bool
    """False for replay, which has no turns, tokens or cost."""


class Wait(NamedTuple):
    """Attempts that could begin, and what they wait for."""

    attempts: int
    reason: str


class Show(Protocol):
    """
    Sees a call; called from several threads, one call at a time.

    No method waits for a terminal or a reader, but `flush` and `close`; a signal's handler may
    call `note`.
    """

    def planned(self, attempts: Sequence[Planned], done: Sequence[RunResult]) -> None:
        """*attempts* are the call's, of which an earlier call has made *done*; told once, first."""

    def dropped(self, keys: Sequence[AttemptKey]) -> None:
        """These will not be made."""

    def begun(self, key: AttemptKey) -> None:
        """A try of an attempt begins."""

    def heard(self, key: AttemptKey, event: Event) -> None:
        """Something has happened in an attempt."""

    def phase(self, key: AttemptKey, phase: str) -> None:
        """An attempt is in another phase: `opening`, `waiting`, `working`, `judging`."""

    def ended(self, key: AttemptKey, trace: Path, result: RunResult) -> None:
        """A try of an attempt is over; its trace is at *trace*."""

    def holding(self, waits: Sequence[Wait]) -> None:
        """What waits for what; empty when nothing does."""

    def note(self, line: str) -> None:
        """A line for the person who waits."""

    def made(self, suite: SuiteResult) -> None:
        """The call is over, and its results are on disk."""

    def flush(self) -> None:
        """Show all that has been told so far, however long that takes."""

    def close(self) -> None:
        """Show what is left, however long the terminal takes, and leave the terminal in order."""
