"""
Lines for the person who waits, from parts of the program that know of no screen.

Whoever shows a call takes them over meanwhile: a line that is written past a table on a terminal
would leave pieces of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import click

Say = Callable[[str], None]

_screens: list[Say] = []
"""Of this process, which has one terminal."""


@contextmanager
def told_through(say: Say) -> Iterator[None]:
    """
    While open, lines go through *say* in place of standard error.

    Handlers of signals call it too: it must not wait for a terminal.
    """
    _screens.append(say)
    try:
        yield
    finally:
        _screens.remove(say)


def screen() -> Say | None:
    """What takes lines just now; None where they go to standard error."""
    return _screens[-1] if _screens else None


def say(line: str) -> None:
    """Tell *line*, if anybody is there to read it."""
    taker = screen()
    if taker is not None:
        taker(line)
        return
    with suppress(OSError):
        click.echo(line, err=True)
