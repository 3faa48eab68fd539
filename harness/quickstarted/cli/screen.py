"""What `run` shows: the progress of the attempt at hand, then its verdict and what to look at."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import click

from quickstarted.console.closing import closing_lines
from quickstarted.console.output import open_console
from quickstarted.console.progress import ProgressPrinter
from quickstarted.console.report import report_markdown
from quickstarted.console.show import print_closing
from quickstarted.errors import StorageFault, TraceInvalid
from quickstarted.events import Event, TraceEvent
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult
from quickstarted.trace import read_trace


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

    def started(self, plan: AttemptPlan) -> None:
        """An attempt begins."""
        del plan
        self._progress = self._printer()
        self._progress.__enter__()
        self._heard = []

    def observe(self, event: Event) -> None:
        """Something has happened."""
        self._heard.append(event)
        self._progress(event)

    def note(self, line: str) -> None:
        """A line about long work, such as the pull of an image."""
        if not self._quiet:
            with suppress(OSError):
                click.echo(line, err=True)

    def finished(self, folder: AttemptDir, result: RunResult) -> None:
        """An attempt is over: write its report, and say how it ended."""
        self._progress.__exit__(None, None, None)
        events: Sequence[TraceEvent] = self._heard
        try:
            events = list(read_trace(folder.trace))
            folder.write_report(report_markdown(events))
        except (StorageFault, TraceInvalid) as problem:
            # What a full disk could not take is told from memory.
            self.note(f"note: {problem}")
        lines = closing_lines(events, result, folder.trace)
        # Nobody may be reading any more; the attempts that follow still count.
        with suppress(OSError):
            print_closing(lines, result, self._console)

    def _printer(self) -> ProgressPrinter:
        return ProgressPrinter(open_console(stderr=True), verbose=self._verbose, quiet=self._quiet)
