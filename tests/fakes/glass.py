"""A terminal as a person sees it: what is on it, what has scrolled off, and that it may fail."""

from __future__ import annotations

import io
import threading

import pyte
from rich.console import Console

from quickstarted.console.output import Terminal

SCROLLED_LINES = 5_000


class Glass(io.StringIO):
    """
    A terminal by pyte, to be given to rich as a file.

    `paused` stops it as Ctrl-S does; `lost` is the error of every write from then on.
    """

    def __init__(self, columns: int = 80, rows: int = 24, *, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding
        self.paused = threading.Event()
        self.reached = threading.Event()
        """Somebody has written while it was paused."""
        self._resumed = threading.Event()
        self.lost: OSError | None = None
        self.written: list[str] = []
        self._new_screen(columns, rows)

    @property
    def encoding(self) -> str:
        return self._encoding

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        if self.lost is not None:
            raise self.lost
        if self.paused.is_set():
            self.reached.set()
            self._resumed.wait()
        text.encode(self._encoding)
        self.written.append(text)
        self._stream.feed(text)
        return len(text)

    def resume(self) -> None:
        """Ctrl-Q."""
        self.paused.clear()
        self._resumed.set()

    @property
    def lines(self) -> list[str]:
        """What is on it, without the empty rows at its end."""
        rows = [row.rstrip() for row in self._screen.display]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def all_lines(self) -> list[str]:
        """What has scrolled off, too."""
        top = self._screen.history.top
        columns = self._screen.columns
        return [
            *("".join(row[x].data for x in range(columns)).rstrip() for row in top),
            *self.lines,
        ]

    @property
    def has_cursor(self) -> bool:
        """Whether the cursor is to be seen."""
        return not self._screen.cursor.hidden

    def narrow(self, columns: int) -> None:
        """Become narrower as most terminals do: lines that no longer fit are wrapped."""
        before, rows = self.lines, self._screen.lines
        self._new_screen(columns, rows)
        self._stream.feed("\n".join(before))

    def _new_screen(self, columns: int, rows: int) -> None:
        self._screen = pyte.HistoryScreen(columns, rows, history=SCROLLED_LINES, ratio=0.5)
        # The kernel's terminal gives `\r\n` for what programs write as `\n`.
        self._screen.set_mode(pyte.modes.LNM)
        self._stream = pyte.Stream(self._screen)


def console_on(glass: Glass, columns: int = 80, rows: int = 24) -> Console:
    """Rich on *glass*, with colours."""
    return Terminal(
        file=glass,
        width=columns,
        height=rows,
        force_terminal=True,
        color_system="standard",
        highlight=False,
        markup=False,
        emoji=False,
        _environ={"TERM": "xterm"},
    )
