"""One thing that happened, as a person reads it, before it is known where it will be shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tone(StrEnum):
    """How an entry should strike the eye."""

    PLAIN = "plain"
    GOOD = "good"
    BAD = "bad"
    WARN = "warn"
    QUIET = "quiet"
    TITLE = "title"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """
    One line of the story, with what belongs under it.

    `text`, `said` and `label` come from a trace as they are: whoever shows them makes them visible.
    """

    label: str
    """One word: `read`, `$`, `refused`."""
    text: str
    said: str = ""
    """How it ended; shown in the entry's tone."""
    at_s: float | None = None
    """Seconds since the run began; None for what belongs to the entry before."""
    tone: Tone = Tone.PLAIN
    output: tuple[str, ...] = ()
    """Lines of output beneath, already visible."""
    detail: bool = False
    """Shown only to those who want everything."""
