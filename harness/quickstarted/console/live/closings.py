"""What is kept of attempts under way for the lines that they end with."""

from __future__ import annotations

from pathlib import Path

from quickstarted.console.closing import DEFAULT_WIDTH, Highlights
from quickstarted.events import Event
from quickstarted.results import AttemptKey, RunResult


class Closings:
    """Closing lines of attempts, each from its events."""

    def __init__(self) -> None:
        self._highlights: dict[AttemptKey, Highlights] = {}

    def begun(self, key: AttemptKey) -> None:
        """A try begins."""
        self._highlights[key] = Highlights()

    def heard(self, key: AttemptKey, event: Event) -> None:
        """Take an event."""
        if (highlights := self._highlights.get(key)) is not None:
            highlights.add(event)

    def ended(
        self, key: AttemptKey, trace: Path, result: RunResult, *, width: int = DEFAULT_WIDTH
    ) -> list[str]:
        """One to eight visible lines, as `closing_lines` has them."""
        highlights = self._highlights.pop(key, None) or Highlights()
        return highlights.lines(result, trace, width=width)
