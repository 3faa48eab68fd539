"""A standard stream that takes lines until nobody reads them any more."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderResult
from rich.segment import Segment
from rich.text import Text

from quickstarted.console.text import visible


class Lines:
    """Lines for rich to print at once, unwrapped, whatever their own ends are."""

    def __init__(self, lines: Iterable[Text]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        del options
        for line in self._lines:
            yield from segments(line, console)
            yield Segment.line()


def segments(line: Text, console: Console) -> Iterable[Segment]:
    """*line* as it is, without its end; `Text.render` forgets the style of text without spans."""
    if line.spans:
        return line.render(console)
    return [Segment(line.plain, console.get_style(line.style))]


class Sink:
    """A pipe that somebody closes, a terminal that is gone, a disk that is full end it quietly."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lost = False

    def print(self, lines: Iterable[Text]) -> None:
        """Write *lines* at once, unwrapped."""
        if self._lost:
            return
        try:
            self._console.print(Lines(lines), end="", soft_wrap=True)
        except OSError:
            self._lost = True


def prefixed(lines: Iterable[Text], prefix: str) -> list[Text]:
    """Each of *lines* behind *prefix*."""
    return [Text.assemble((prefix, "dim"), line) for line in lines]


def note_lines(note: str) -> list[Text]:
    """*note* as lines; those after the first stand in, so that none passes for a verdict."""
    first, *more = note.splitlines() or [""]
    return [Text(visible(first)), *(Text(f"  {visible(line)}") for line in more)]
