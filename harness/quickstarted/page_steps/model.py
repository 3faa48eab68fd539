"""One thing that a reader does, or leaves, at a place of a page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A shell command that is run."""

    text: str
    line: int
    """Of the block that it stands in, counted from 1 in the page's text."""
    may_serve: bool = False
    """Whether it may go on for ever: it serves, watches, or runs code of the reader's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteFile:
    """A block that becomes a file, or a part of one."""

    path: str
    """As the page names it, relative to the folder that the reader is in."""
    text: str
    line: int
    appends: bool = False
    """Whether the page asks to add the block to a file that is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """A block or a command that is passed by."""

    text: str
    line: int
    reason: str
    is_placeholder: bool = False
    """Whether the reader would have to put something in its place."""


Step = Command | WriteFile | Skipped
