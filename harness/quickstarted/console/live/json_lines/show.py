"""Tells a program of a call, line by line on standard output."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

from quickstarted import __version__
from quickstarted.console.live.background import MOST_WAITING, Background
from quickstarted.console.live.closings import Closings
from quickstarted.console.live.json_lines import lines as ln
from quickstarted.console.live.show import Planned, Wait
from quickstarted.events import EgressAllowed, Event
from quickstarted.results import AttemptKey, RunResult, SuiteResult

LONG_FIELDS = frozenset({"output", "text"})
"""Of events: what commands printed and models said."""


class JsonShow:
    """
    Writes to *stream*, in a thread of its own.

    Lines are ASCII: what a page or a command has put into them drives no terminal.

    Args:
        stream: Standard output.
        verbose: Every event, whole.
        quiet: Only how attempts have ended, and the summary.
        clock: Epoch seconds.
        most_waiting: How many lines may wait before further events are left out.

    """

    def __init__(
        self,
        stream: TextIO,
        *,
        verbose: bool = False,
        quiet: bool = False,
        clock: Callable[[], float] = time.time,
        most_waiting: int = MOST_WAITING,
    ) -> None:
        self._stream = stream
        self._verbose = verbose
        self._quiet = quiet
        self._clock = clock
        self._closings = Closings()
        self._names: dict[AttemptKey, ln.AttemptName] = {}
        self._tries: Counter[AttemptKey] = Counter()
        self._left_out = 0
        self._lost = False
        self._background = Background(most=most_waiting)

    def planned(self, attempts: Sequence[Planned], done: Sequence[RunResult]) -> None:
        """The first line."""
        self._names = {one.key: ln.AttemptName.of(one.key) for one in attempts}
        if not self._quiet:
            self._put(
                ln.PlannedLine(
                    ts=self._clock(),
                    harness_version=__version__,
                    attempts=list(self._names.values()),
                    done=[ln.AttemptName.of(result.key) for result in done],
                )
            )

    def dropped(self, keys: Sequence[AttemptKey]) -> None:
        """These will not be made."""
        if not self._quiet:
            names = [self._names[key] for key in keys]
            self._put(ln.DroppedLine(ts=self._clock(), attempts=names))

    def begun(self, key: AttemptKey) -> None:
        """A try begins."""
        self._tries[key] += 1
        self._closings.begun(key)
        if not self._quiet:
            number = self._tries[key]
            name = self._names[key]
            self._put(ln.BegunLine(ts=self._clock(), attempt=name, try_number=number))

    def heard(self, key: AttemptKey, event: Event) -> None:
        """Something has happened."""
        self._closings.heard(key, event)
        if self._quiet or (isinstance(event, EgressAllowed) and not self._verbose):
            return
        now, name = self._clock(), self._names[key]
        exclude = None if self._verbose else LONG_FIELDS

        def write() -> None:
            fields = event.model_dump(mode="json", exclude=set(exclude) if exclude else None)
            self._write(ln.EventLine(ts=now, attempt=name, event=fields))

        if not self._background.do(write, droppable=True):
            self._left_out += 1

    def phase(self, key: AttemptKey, phase: str) -> None:
        """An attempt is in another phase."""
        if not self._quiet:
            self._put(ln.PhaseLine(ts=self._clock(), attempt=self._names[key], phase=phase))

    def ended(self, key: AttemptKey, trace: Path, result: RunResult) -> None:
        """A try is over."""
        _, *look_at = self._closings.ended(key, trace, result)
        self._put(
            ln.EndedLine(
                ts=self._clock(),
                attempt=self._names[key],
                try_number=self._tries[key],
                trace=str(trace),
                look_at=look_at,
                result=result,
            )
        )

    def holding(self, waits: Sequence[Wait]) -> None:
        """What waits for what."""
        if not self._quiet:
            holds = [ln.HoldEntry(attempts=one.attempts, reason=one.reason) for one in waits]
            self._put(ln.HoldingLine(ts=self._clock(), holds=holds))

    def note(self, line: str) -> None:
        """A line for people."""
        if not self._quiet:
            self._put(ln.NoteLine(ts=self._clock(), text=line))

    def made(self, suite: SuiteResult) -> None:
        """The last line."""
        without_runs = suite.model_copy(update={"runs": []})
        self._put(ln.SummaryLine(ts=self._clock(), suite=without_runs))

    def flush(self) -> None:
        """Wait until all is written."""
        self._background.flush()

    def close(self) -> None:
        """Write what is left."""
        self._background.close()

    def _put(self, line: ln.Line) -> None:
        self._background.do(lambda: self._write(line))

    def _write(self, line: ln.Line) -> None:
        left_out, self._left_out = self._left_out, 0
        if left_out:
            self._write(ln.LeftOutLine(ts=self._clock(), lines=left_out))
        self._write_text(as_text(line.model_dump(mode="json")))

    def _write_text(self, text: str) -> None:
        """Nobody may be reading any more; the attempts still count."""
        if self._lost:
            return
        try:
            self._stream.write(f"{text}\n")
            self._stream.flush()
        except OSError:
            self._lost = True


def as_text(document: dict[str, Any]) -> str:
    """JSON on one line, in ASCII."""
    return json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
