"""The live table of a call on a terminal; above it scrolls how attempts have ended."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from quickstarted.console.live.background import Background
from quickstarted.console.live.board import Board
from quickstarted.console.live.canvas import Canvas
from quickstarted.console.live.closings import Closings
from quickstarted.console.live.frame import frame, last_frame
from quickstarted.console.live.grid import Look
from quickstarted.console.live.names import ending, label
from quickstarted.console.live.show import Planned, Wait
from quickstarted.console.live.sink import Sink, note_lines, prefixed
from quickstarted.console.show import closing_texts
from quickstarted.events import Event
from quickstarted.results import AttemptKey, RunResult, SuiteResult

REFRESH_S = 0.2
LEAST_COLUMNS = 10
LEAST_CLOSING_COLUMNS = 60
"""Of a line on what to look at, which says nothing any more where it is cut shorter."""
ABOVE_SHARE = 6
"""A sixth of the terminal's height, but two lines at least, is left for what scrolls above."""


class TableShow:
    """
    Draws on *terminal*, in a thread of its own.

    Args:
        terminal: Standard error.
        verdicts: Standard output, where that is not the same terminal; None where it is.
        clock: Monotonic seconds.

    """

    def __init__(
        self,
        terminal: Console,
        verdicts: Sink | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._terminal = terminal
        self._verdicts = verdicts
        self._clock = clock
        self._board = Board(clock)
        self._closings = Closings()
        self._canvas = Canvas(terminal)
        self._above: deque[Text] = deque()
        self._drawn: tuple[int, ...] = ()
        self._lost = False
        self._background = Background(self._tick, every_s=REFRESH_S)

    def planned(self, attempts: Sequence[Planned], done: Sequence[RunResult]) -> None:
        """These are to be made."""
        self._board.planned(attempts, done)

    def dropped(self, keys: Sequence[AttemptKey]) -> None:
        """These are not."""
        self._board.dropped(keys)

    def begun(self, key: AttemptKey) -> None:
        """A try begins."""
        self._closings.begun(key)
        self._board.begun(key)

    def heard(self, key: AttemptKey, event: Event) -> None:
        """Something has happened."""
        self._closings.heard(key, event)
        self._board.heard(key, event)

    def phase(self, key: AttemptKey, phase: str) -> None:
        """An attempt is in another phase."""
        self._board.phase(key, phase)

    def ended(self, key: AttemptKey, trace: Path, result: RunResult) -> None:
        """A try is over: its lines scroll above the table."""
        columns = self._look().columns
        width = max(LEAST_CLOSING_COLUMNS, columns)
        lines = self._closings.ended(key, trace, result, width=width)
        above = [ending(key, result, columns), *lines[1:]]
        self._above.extend(closing_texts(above, result))
        self._board.ended(key, result)
        if (verdicts := self._verdicts) is not None:
            shown = prefixed(closing_texts(lines, result), label(key, result.tries))
            self._background.do(lambda: verdicts.print(shown))

    def holding(self, waits: Sequence[Wait]) -> None:
        """What waits for what."""
        self._board.holding(waits)

    def note(self, line: str) -> None:
        """A line above the table; takes no lock, so a signal's handler may call it."""
        self._above.extend(note_lines(line))

    def made(self, suite: SuiteResult) -> None:
        """The table has it all."""

    def flush(self) -> None:
        """Wait until all is shown."""
        self._background.flush()

    def close(self) -> None:
        """Leave the last state of all cells on the terminal."""
        self._background.close()
        if self._lost:
            return
        with self._board.lock:
            last = last_frame(self._board, self._look())
        try:
            self._canvas.end([*self._take_above(), *last])
        except OSError:
            self._lost = True

    def _tick(self) -> None:
        if self._lost:
            return
        size = self._terminal.size
        state = (self._board.changes, int(self._clock()), size.width, size.height)
        if state == self._drawn and not self._above:
            return
        self._drawn = state
        rows = max(1, size.height - max(2, size.height // ABOVE_SHARE))
        with self._board.lock:
            lines = frame(self._board, self._look(), rows)
        try:
            self._canvas.draw(lines, self._take_above())
        except OSError:
            self._lost = True

    def _look(self) -> Look:
        # One column is free: some terminals wrap as soon as the last one is written to.
        columns = max(LEAST_COLUMNS, self._terminal.width - 1)
        return Look(columns, self._terminal.encoding)

    def _take_above(self) -> list[Text]:
        return [self._above.popleft() for _ in range(len(self._above))]
