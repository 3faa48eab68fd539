"""
Lines of many attempts for logs and pipes: each begins with the name of its attempt.

One line for each thing that matters; where nothing has been said for a minute, how the call stands.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.text import Text

from quickstarted.console.live.background import MOST_WAITING, Background
from quickstarted.console.live.board import Board
from quickstarted.console.live.closings import Closings
from quickstarted.console.live.names import label
from quickstarted.console.live.show import Planned, Wait
from quickstarted.console.live.sink import Sink, note_lines, prefixed
from quickstarted.console.live.totals import WaitNews, total_said
from quickstarted.console.progress import Progress
from quickstarted.console.show import closing_texts
from quickstarted.console.text import visible
from quickstarted.console.words import count
from quickstarted.events import Event
from quickstarted.results import AttemptKey, RunResult, SuiteResult

SILENCE_S = 60.0
"""After it, a sign of life."""
TICK_S = 1.0


class LabelledShow:
    """
    Writes lines in a thread of its own.

    Args:
        progress: Standard error; None says nothing but verdicts.
        verdicts: Standard output.
        verbose: The outputs of all commands too.
        clock: Monotonic seconds.
        most_waiting: How many lines may wait before further ones are left out.

    """

    def __init__(
        self,
        progress: Sink | None,
        verdicts: Sink,
        *,
        verbose: bool = False,
        clock: Callable[[], float] = time.monotonic,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._progress = progress
        self._verdicts = verdicts
        self._verbose = verbose
        self._clock = clock
        self._board = Board(clock)
        self._closings = Closings()
        self._stories: dict[AttemptKey, Progress] = {}
        self._tries: Counter[AttemptKey] = Counter()
        self._waits = WaitNews()
        self._said_s = clock()
        self._left_out = 0
        self._background = Background(self._tick, every_s=TICK_S, most=most_waiting)

    def planned(self, attempts: Sequence[Planned], done: Sequence[RunResult]) -> None:
        """Say how many there are."""
        self._board.planned(attempts, done)
        cells = len({one.key.cell for one in attempts})
        made = f", {len(done)} of them made already" if done else ""
        self._say(f"{count(len(attempts), 'attempt')} of {count(cells, 'cell')}{made}")

    def dropped(self, keys: Sequence[AttemptKey]) -> None:
        """They are taken off."""
        self._board.dropped(keys)

    def begun(self, key: AttemptKey) -> None:
        """A try begins."""
        self._board.begun(key)
        self._closings.begun(key)
        self._tries[key] += 1
        prefix = label(key, self._tries[key])
        self._stories[key] = Progress(verbose=self._verbose, prefix=prefix)

    def heard(self, key: AttemptKey, event: Event) -> None:
        """Say it, if it matters."""
        self._closings.heard(key, event)
        self._board.heard(key, event)
        story = self._stories.get(key)
        if self._progress is not None and story is not None and (said := story(event)):
            self._say(said, droppable=True)

    def phase(self, key: AttemptKey, phase: str) -> None:
        """Events say it."""
        self._board.phase(key, phase)

    def ended(self, key: AttemptKey, trace: Path, result: RunResult) -> None:
        """Give the verdict."""
        lines = closing_texts(self._closings.ended(key, trace, result), result)
        self._board.ended(key, result)
        self._stories.pop(key, None)
        shown = prefixed(lines, label(key, self._tries[key]))
        self._said_s = self._clock()
        self._background.do(lambda: self._verdicts.print(shown))

    def holding(self, waits: Sequence[Wait]) -> None:
        """Say what is waited for, where that is something else than before."""
        self._board.holding(waits)
        for line in self._waits.lines(waits):
            self._say(visible(line))

    def note(self, line: str) -> None:
        """Write it."""
        self._say("\n".join(text.plain for text in note_lines(line)))

    def made(self, suite: SuiteResult) -> None:
        """Say how the call stands in the end."""
        del suite
        with self._board.lock:
            total = total_said(self._board)
        self._say(total)

    def flush(self) -> None:
        """Wait until all is shown."""
        self._background.flush()

    def close(self) -> None:
        """Write what is left."""
        self._background.close()

    def _say(self, text: str, *, droppable: bool = False) -> None:
        """Lines that are `visible` already."""
        if (progress := self._progress) is None:
            return
        self._said_s = self._clock()
        if not self._background.do(lambda: self._write(progress, text), droppable=droppable):
            self._left_out += 1

    def _write(self, progress: Sink, text: str) -> None:
        left_out, self._left_out = self._left_out, 0
        if left_out:
            progress.print([Text(f"({left_out} lines left out: they were not read fast enough)")])
        progress.print([Text(text)])

    def _tick(self) -> None:
        if self._clock() - self._said_s < SILENCE_S:
            return
        self._said_s = self._clock()
        with self._board.lock:
            total = total_said(self._board) if self._board.under_way else ""
        if total and self._progress is not None:
            self._progress.print([Text(total)])
