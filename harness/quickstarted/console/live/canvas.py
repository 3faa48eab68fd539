"""
A few lines at the foot of a terminal that are drawn again and again, with other lines above them.

Rich's `Live` does it; what is added here is that a frame appears whole, and that a terminal which
has become narrower keeps nothing of the frame before.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderResult
from rich.live import Live
from rich.segment import Segment
from rich.text import Text

BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronized output (DEC private mode 2026): terminals that know it show all between at once."""


class Canvas:
    """
    Draws on a console that is a terminal; used by one thread.

    Every method raises OSError where the terminal is gone.
    """

    def __init__(self, console: Console) -> None:
        self.console = console
        self._frame = _Frame()
        self._live = Live(
            self._frame,
            console=console,
            auto_refresh=False,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
            vertical_overflow="crop",
        )
        self._columns = console.width

    def draw(self, lines: Sequence[Text], above: Sequence[Text] = ()) -> None:
        """Show *lines* in place of those before, and *above* over them for good."""
        console = self.console
        self._begin()
        self._frame.lines = list(lines)
        if not self._live.is_started:
            self._live.start()
        if above:
            console.print(Group(*above), soft_wrap=True)
        else:
            self._live.refresh()
        self._end()

    def end(self, last: Sequence[Text]) -> None:
        """Take the frame away; *last* stays."""
        self._begin()
        self._frame.lines = []
        self._live.stop()
        for line in last:
            self.console.print(line, soft_wrap=True)
        self._end()

    def _begin(self) -> None:
        console = self.console
        console.file.write(BEGIN)
        columns = console.width
        if columns < self._columns and self._live.is_started:
            console.file.write(self._frame.erased(columns))
        self._columns = columns

    def _end(self) -> None:
        self.console.file.write(END)
        self.console.file.flush()


class _Frame:
    """The lines, as rich draws them: each is known to fit."""

    def __init__(self) -> None:
        self.lines: list[Text] = []

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del options
        for place, line in enumerate(self.lines):
            if place:
                yield Segment.line()
            yield from line.render(console)

    def erased(self, columns: int) -> str:
        """
        What takes the lines away on a terminal that has wrapped them to *columns*.

        The cursor ends where it would be had they not been wrapped, which is what rich counts on.
        Terminals that cut lines instead lose as many lines above the frame.
        """
        if not self.lines:
            return ""
        rows = sum(max(1, -(-cell_len(line.plain) // columns)) for line in self.lines)
        height = len(self.lines)
        up = f"\x1b[{rows - 1}A" if rows > 1 else ""
        down = f"\x1b[{height - 1}B" if height > 1 else ""
        return f"\r{up}\x1b[J{down}"
