"""What a recording is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """One command that the person gave."""

    command: str
    """Whole: with all lines of a heredoc."""
    exit_code: int
    output: str = ""
    """What it printed, colours and progress bars included."""
    interrupted: bool = False
    """Whether the person pressed Ctrl-C while it ran, or a limit ended it."""
    ports: tuple[int, ...] = ()
    """TCP ports that something listens on once it has returned."""
