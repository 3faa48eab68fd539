"""What `run` shows: the way of showing that fits the call, told what the suite tells."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from quickstarted.cli.notes import say, told_through
from quickstarted.cli.run_options import RunOptions
from quickstarted.console.live.show import Planned, Show, Wait
from quickstarted.console.live.sink import Sink
from quickstarted.console.output import Terminal, draws, open_console
from quickstarted.console.report import report_markdown
from quickstarted.errors import StorageFault, TraceInvalid
from quickstarted.events import Event
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult, SuiteResult
from quickstarted.run import Phase
from quickstarted.suite import Hold
from quickstarted.trace import read_trace


def watcher_for(options: RunOptions) -> Screen:
    """What shows the attempts of a call."""
    how = Showing(verbose=options.verbose, quiet=options.quiet, as_json=options.as_json)
    return Screen(lambda attempts: show_for(attempts, how), how)


def write_report(folder: AttemptDir, note: Callable[[str], None]) -> None:
    """Write `report.md` of an attempt whose trace is on disk; where that fails, *note* is told."""
    try:
        folder.write_report(report_markdown(list(read_trace(folder.trace))))
    except (StorageFault, TraceInvalid) as problem:
        note(f"note: {problem}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Showing:
    """What was asked for."""

    verbose: bool = False
    quiet: bool = False
    as_json: bool = False


def show_for(attempts: int, how: Showing) -> Show:
    """
    The way of showing a call of so many *attempts* on the standard streams as they are.

    Several attempts have a table on a terminal; with `--verbose`, there is too much to say for one.
    """
    verbose, quiet = how.verbose, how.quiet
    if how.as_json:
        from quickstarted.console.live.json_lines.show import JsonShow  # noqa: PLC0415 - only what is shown

        return JsonShow(sys.stdout, verbose=verbose, quiet=quiet)
    progress, verdicts = open_console(stderr=True), open_console()
    if attempts <= 1:
        from quickstarted.console.live.single import SingleShow  # noqa: PLC0415 - only what is shown

        return SingleShow(progress, Sink(verdicts), verbose=verbose, quiet=quiet)
    if not (verbose or quiet) and draws(progress):
        from quickstarted.console.live.table import TableShow  # noqa: PLC0415 - only what is shown

        is_same = _is_same_terminal(progress, verdicts)
        return TableShow(progress, None if is_same else Sink(verdicts))
    from quickstarted.console.live.labelled import LabelledShow  # noqa: PLC0415 - only what is shown

    return LabelledShow(None if quiet else Sink(progress), Sink(verdicts), verbose=verbose)


class Screen:
    """
    Tells a show, in words that it knows, what the suite tells of its plans.

    Args:
        choose: Makes the show of a call that has so many attempts.
        how: What was asked for.

    """

    def __init__(self, choose: Callable[[int], Show], how: Showing) -> None:
        self._choose = choose
        self._how = how
        self._show: Show | None = None
        self._open = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._open.close()

    def planned(self, plans: Sequence[AttemptPlan], done: Sequence[RunResult]) -> None:
        """These are to be made."""
        self._show = self._open.enter_context(closing(self._choose(len(plans))))
        if not (self._how.as_json or self._how.quiet):
            self._open.enter_context(told_through(self._show.note))
        attempts = [Planned(plan.key, uses_model=not plan.agent.is_replay) for plan in plans]
        self._show.planned(attempts, done)

    def dropped(self, plans: Sequence[AttemptPlan]) -> None:
        """These are not."""
        self._told.dropped([plan.key for plan in plans])

    def begun(self, plan: AttemptPlan) -> None:
        """A try begins."""
        self._told.begun(plan.key)

    def heard(self, plan: AttemptPlan, event: Event) -> None:
        """Something has happened."""
        self._told.heard(plan.key, event)

    def phase(self, plan: AttemptPlan, phase: Phase) -> None:
        """An attempt is in another phase."""
        self._told.phase(plan.key, phase)

    def ended(self, plan: AttemptPlan, folder: AttemptDir, result: RunResult) -> None:
        """A try is over."""
        self._told.ended(plan.key, folder.trace, result)

    def holding(self, holds: Sequence[Hold]) -> None:
        """What waits for what."""
        self._told.holding([Wait(hold.attempts, hold.reason) for hold in holds])

    def note(self, line: str) -> None:
        """A line about long work, such as the pull of an image."""
        if self._show is not None:
            self._show.note(line)
        elif not self._how.quiet:
            say(line)

    def made(self, suite: SuiteResult) -> None:
        """The call is over, and its results are on disk."""
        self._told.made(suite)

    def flush(self) -> None:
        """Show all that has been told so far, however long that takes."""
        self._told.flush()

    @property
    def _told(self) -> Show:
        assert self._show is not None, "`planned` is told first"
        return self._show


def _is_same_terminal(one: Terminal, other: Terminal) -> bool:
    """Whether both are the same terminal, so that what is written to one moves the other."""
    if not (one.file.isatty() and other.file.isatty()):
        return False
    return os.fstat(one.file.fileno()).st_rdev == os.fstat(other.file.fileno()).st_rdev
