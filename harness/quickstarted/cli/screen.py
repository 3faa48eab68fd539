"""What `run` shows: the progress of the attempt at hand, then its verdict and what to look at."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

import click

from quickstarted.cli.run_options import RunOptions
from quickstarted.console.closing import closing_lines
from quickstarted.console.output import open_console
from quickstarted.console.progress import ProgressPrinter
from quickstarted.console.report import report_markdown
from quickstarted.console.show import print_closing
from quickstarted.errors import StorageFault, TraceInvalid
from quickstarted.events import Event, TraceEvent
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult
from quickstarted.run import Phase
from quickstarted.suite import Hold
from quickstarted.trace import read_trace


def watcher_for(options: RunOptions) -> Screen:
    """What shows the attempts of a call."""
    return Screen(verbose=options.verbose, quiet=options.quiet)


def write_report(folder: AttemptDir, note: Callable[[str], None]) -> None:
    """Write `report.md` of an attempt whose trace is on disk; where that fails, *note* is told."""
    try:
        folder.write_report(report_markdown(list(read_trace(folder.trace))))
    except (StorageFault, TraceInvalid) as problem:
        note(f"note: {problem}")


class Screen:
    """
    Shows one attempt after the other: progress on standard error, verdicts on standard output.

    Args:
        verbose: The outputs of all commands too.
        quiet: Verdicts only.

    """

    def __init__(self, *, verbose: bool, quiet: bool) -> None:
        self._verbose = verbose
        self._quiet = quiet
        self._console = open_console()
        self._progress = self._printer()
        self._heard: list[Event] = []

    def planned(self, plans: Sequence[AttemptPlan], done: Sequence[RunResult]) -> None:
        """These are to be made."""
        del plans, done

    def dropped(self, plans: Sequence[AttemptPlan]) -> None:
        """These are not."""
        del plans

    def phase(self, plan: AttemptPlan, phase: Phase) -> None:
        """The lines of events say it."""
        del plan, phase

    def holding(self, holds: Sequence[Hold]) -> None:
        """What waits for what."""
        del holds

    def begun(self, plan: AttemptPlan) -> None:
        """An attempt begins."""
        del plan
        self._progress = self._printer()
        self._progress.__enter__()
        self._heard = []

    def heard(self, plan: AttemptPlan, event: Event) -> None:
        """Something has happened."""
        del plan
        self._heard.append(event)
        self._progress(event)

    def note(self, line: str) -> None:
        """A line about long work, such as the pull of an image."""
        if not self._quiet:
            with suppress(OSError):
                click.echo(line, err=True)

    def ended(self, plan: AttemptPlan, folder: AttemptDir, result: RunResult) -> None:
        """An attempt is over: say how it ended."""
        del plan
        self._progress.__exit__(None, None, None)
        events: Sequence[TraceEvent] = self._heard
        with suppress(StorageFault, TraceInvalid):
            # What a full disk could not take is told from memory.
            events = list(read_trace(folder.trace))
        lines = closing_lines(events, result, folder.trace)
        # Nobody may be reading any more; the attempts that follow still count.
        with suppress(OSError):
            print_closing(lines, result, self._console)

    def _printer(self) -> ProgressPrinter:
        return ProgressPrinter(open_console(stderr=True), verbose=self._verbose, quiet=self._quiet)
