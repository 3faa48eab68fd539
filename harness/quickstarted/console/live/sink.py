"""A standard stream that takes lines until nobody reads them any more."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, Group
from rich.text import Text


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
            self._console.print(Group(*lines), soft_wrap=True)
        except OSError:
            self._lost = True


def prefixed(lines: Iterable[Text], prefix: str) -> list[Text]:
    """Each of *lines* behind *prefix*."""
    return [Text.assemble((prefix, "dim"), line) for line in lines]
