"""The terminal as rich sees it."""

from __future__ import annotations

import io
import os
import sys

from rich.console import Console

UNWRAPPED_COLUMNS = 10_000


class Terminal(Console):
    """A console whose reader may go away: who prints decides what that means."""

    def on_broken_pipe(self) -> None:
        """
        Say so, where rich would end the program in the middle of an attempt.

        Raises:
            BrokenPipeError: Always.

        """
        raise BrokenPipeError


def open_console(*, stderr: bool = False) -> Terminal:
    """
    A console on standard output or error.

    It obeys NO_COLOR and the width of the terminal, and spells out what the terminal's encoding
    does not have instead of failing.
    """
    stream = sys.stderr if stderr else sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    # Into a pipe or a log, lines stay whole: wrapped addresses cannot be searched for.
    width = None if stream.isatty() or os.environ.get("COLUMNS") else UNWRAPPED_COLUMNS
    return Terminal(file=stream, width=width, highlight=False, markup=False, emoji=False)


def draws(console: Console) -> bool:
    """
    Whether lines can be drawn over on *console*.

    Asked of the stream as well, since rich takes a log for a terminal where FORCE_COLOR is set.
    """
    return console.file.isatty() and console.is_terminal and not console.is_dumb_terminal
