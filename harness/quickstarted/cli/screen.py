"""What `run` shows: the progress of the attempt at hand, then its verdict and what to look at."""

from __future__ import annotations

import click

from quickstarted.console.closing import closing_lines
from quickstarted.console.output import open_console
from quickstarted.console.progress import ProgressPrinter
from quickstarted.console.report import report_markdown
from quickstarted.console.show import print_closing
from quickstarted.errors import StorageFault
from quickstarted.events import Event
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

    def started(self, plan: AttemptPlan) -> None:
        """An attempt begins."""
        del plan
        self._progress = self._printer()
        self._progress.__enter__()

    def observe(self, event: Event) -> None:
        """Something has happened."""
        self._progress(event)

    def note(self, line: str) -> None:
        """A line about long work, such as the pull of an image."""
        if not self._quiet:
            click.echo(line, err=True)

    def finished(self, folder: AttemptDir, result: RunResult) -> None:
        """An attempt is over: write its report, and say how it ended."""
        self._progress.__exit__(None, None, None)
        events = list(read_trace(folder.trace))
        try:
            folder.write_report(report_markdown(events))
        except StorageFault as fault:
            click.echo(f"note: {fault}", err=True)
        lines = closing_lines(events, result, folder.trace)
        print_closing(lines, result, self._console)

    def _printer(self) -> ProgressPrinter:
        return ProgressPrinter(open_console(stderr=True), verbose=self._verbose, quiet=self._quiet)
