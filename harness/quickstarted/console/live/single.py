"""The only attempt of a call: its story, and on a terminal also what goes on just now."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from rich.console import Console

from quickstarted.console.live.background import Background
from quickstarted.console.live.closings import Closings
from quickstarted.console.live.show import Planned, Wait
from quickstarted.console.live.sink import Sink, note_lines
from quickstarted.console.live.totals import WaitNews
from quickstarted.console.progress import ProgressPrinter
from quickstarted.console.show import closing_texts
from quickstarted.events import Event
from quickstarted.results import AttemptKey, RunResult, SuiteResult


class SingleShow:
    """
    Progress on standard error, the verdict on standard output.

    Args:
        progress: Standard error.
        verdicts: Standard output.
        verbose: The outputs of all commands too.
        quiet: The verdict only.

    """

    def __init__(
        self, progress: Console, verdicts: Sink, *, verbose: bool = False, quiet: bool = False
    ) -> None:
        self._console = progress
        self._verdicts = verdicts
        self._verbose = verbose
        self._quiet = quiet
        self._printer = self._new_printer()
        self._closings = Closings()
        self._waits = WaitNews()
        self._background = Background()

    def planned(self, attempts: Sequence[Planned], done: Sequence[RunResult]) -> None:
        """It is known."""

    def dropped(self, keys: Sequence[AttemptKey]) -> None:
        """It is not made."""

    def begun(self, key: AttemptKey) -> None:
        """A try begins."""
        self._closings.begun(key)
        self._printer = printer = self._new_printer()
        self._background.do(printer.start)

    def heard(self, key: AttemptKey, event: Event) -> None:
        """Show it, if it matters."""
        self._closings.heard(key, event)
        printer = self._printer
        self._background.do(lambda: printer(event), droppable=True)

    def phase(self, key: AttemptKey, phase: str) -> None:
        """Events say it."""

    def ended(self, key: AttemptKey, trace: Path, result: RunResult) -> None:
        """Give the verdict."""
        lines = closing_texts(self._closings.ended(key, trace, result), result)
        self._background.do(self._printer.stop)
        self._background.do(lambda: self._verdicts.print(lines))

    def holding(self, waits: Sequence[Wait]) -> None:
        """Say what is waited for."""
        for line in self._waits.lines(waits):
            self.note(line)

    def note(self, line: str) -> None:
        """Show it."""
        printer = self._printer
        for one in note_lines(line):
            self._background.do(partial(printer.note, one))

    def made(self, suite: SuiteResult) -> None:
        """The verdict has said it."""

    def flush(self) -> None:
        """Wait until all is shown."""
        self._background.flush()

    def close(self) -> None:
        """Show what is left."""
        self._background.do(self._printer.stop)
        self._background.close()

    def _new_printer(self) -> ProgressPrinter:
        return ProgressPrinter(self._console, verbose=self._verbose, quiet=self._quiet)
