"""
A few lines at the foot of a terminal that are drawn again and again, with other lines above them.

Rich's `Live` does it; what is added here is that a frame appears whole, and that a terminal which
has become narrower keeps nothing of the frame before.
"""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.segment import ControlType, Segment
from rich.text import Text

from quickstarted.console.live.sink import Lines, segments

BEGIN, END = "\x1b[?2026h", "\x1b[?2026l"
"""Synchronized output (DEC private mode 2026): terminals that know it show all between at once."""

_CONTROL = ((ControlType.CARRIAGE_RETURN,),)
"""Has rich write a segment as it is, and count no column for it."""
NO_WRAP, WRAP = Segment("\x1b[?7l", None, _CONTROL), Segment("\x1b[?7h", None, _CONTROL)
"""
Without it, a frame that is drawn just after the terminal has become narrower, and before this
program knows it, takes more rows than it has lines.
"""


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
            console.print(Lines(above), end="", soft_wrap=True)
        else:
            self._live.refresh()
        self._end()

    def end(self, last: Sequence[Text]) -> None:
        """Take the frame away; *last* stays."""
        self._begin()
        self._frame.lines = []
        self._live.stop()
        self.console.print(Lines(last), end="", soft_wrap=True)
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
            yield Segment.line() if place else NO_WRAP
            yield from segments(line, console)
        if self.lines:
            yield WRAP

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
        # Line by line: some terminals move what "erase all below" takes to what can be scrolled to.
        up = "\x1b[2K" + "\x1b[1A\x1b[2K" * (rows - 1)
        down = f"\x1b[{height - 1}B" if height > 1 else ""
        return f"\r{up}{down}"
