"""
What a run says while it goes on: one line for each thing that matters.

`Progress` makes the lines; `ProgressPrinter` shows them, and on a terminal also what is going on
just now.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.status import Status
from rich.text import Text

from quickstarted.console.lines import plain_lines, shown
from quickstarted.console.narrate import Narrator
from quickstarted.console.output import draws
from quickstarted.console.render import print_entry
from quickstarted.console.text import shorten
from quickstarted.events import (
    EgressAllowed,
    EgressBlocked,
    EgressError,
    EventBase,
    RunEnd,
    RunStart,
    ToolCall,
)


class Progress:
    """
    Lines of one attempt; call it with every event as it comes.

    Args:
        verbose: Everything, with the outputs of all commands.
        prefix: Stands before each line, where attempts run side by side.

    """

    def __init__(self, *, verbose: bool = False, prefix: str = "") -> None:
        self._narrator = Narrator(verbose=verbose)
        self._prefix = prefix

    def __call__(self, event: EventBase) -> str | None:
        """One or more lines without the last line end, or None where there is nothing to say."""
        entries = shown(self._narrator.hear(event), verbose=self._narrator.verbose)
        lines = [line for entry in entries for line in plain_lines(entry, prefix=self._prefix)]
        return "\n".join(lines) or None


class ProgressPrinter:
    """
    Shows one attempt on *console*; events may come from several threads.

    A pipe that somebody closes (`| head`), a terminal that is gone or a disk that is full ends the
    showing, never the attempt.
    """

    def __init__(self, console: Console, *, verbose: bool = False, quiet: bool = False) -> None:
        self._console = console
        self._narrator = Narrator(verbose=verbose)
        self._quiet = quiet
        self._lock = Lock()
        self._status: Status | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def start(self) -> None:
        """On a terminal, show from now on what goes on just now."""
        if draws(self._console) and not self._quiet:
            self._status = self._console.status("starting", spinner="line")
            with self._ended_by_loss():
                self._status.start()

    def stop(self) -> None:
        """What goes on is not shown any longer."""
        status, self._status = self._status, None
        if status is not None:
            with self._ended_by_loss():
                status.stop()

    def note(self, line: Text) -> None:
        """Show a line that is no part of the story."""
        if not self._quiet:
            with self._lock, self._ended_by_loss():
                self._console.print(line, soft_wrap=True)

    def __call__(self, event: EventBase) -> None:
        """Show *event*, if it matters."""
        if self._quiet:
            return
        with self._lock, self._ended_by_loss():
            self._show(event)

    @contextmanager
    def _ended_by_loss(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            self._quiet = True

    def _show(self, event: EventBase) -> None:
        for entry in shown(self._narrator.hear(event), verbose=self._narrator.verbose):
            print_entry(entry, self._console)
        if isinstance(event, RunEnd):
            self.stop()
        doing = _doing(event)
        if self._status is not None and doing:
            self._status.update(escape(shorten(doing, max(20, self._console.width - 6))))


def _doing(event: EventBase) -> str:
    """What goes on after *event*; empty when it goes on as before."""
    match event:
        case EgressAllowed() | EgressBlocked() | EgressError():
            return ""
        case RunStart():
            return "setting up the sandbox"
        case ToolCall(command=str()):
            return f"$ {event.command}"
        case ToolCall(url=str()):
            return f"reading {event.url}"
        case _:
            return "working"
