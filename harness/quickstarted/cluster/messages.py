"""What a node says of an attempt while it makes it, in the order in which it says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from quickstarted.run import Phase

Question = Literal["begin_spending", "reserve", "charge", "price_unknown", "end_spending"]
"""What only the caller's machine can answer: what all attempts together may spend."""


@dataclass(frozen=True, slots=True)
class Entered:
    """The attempt is in another phase."""

    phase: Phase


@dataclass(frozen=True, slots=True)
class Heard:
    """An event is in the attempt's trace, on the node."""

    event: str
    """As JSON."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A line for the person who waits."""

    line: str


@dataclass(frozen=True, slots=True)
class Asked:
    """The attempt waits for an answer."""

    number: int
    """Of the question, within its attempt."""
    question: Question
    value: float
    """US dollars, for `charge`."""


@dataclass(frozen=True, slots=True)
class Over:
    """The attempt is over; its folder waits as an archive."""

    archive_bytes: int
    sha256: str
    problem: str = ""
    """Why there is no archive."""


Message = Entered | Heard | Noted | Asked | Over
Numbered = tuple[int, Message]
"""A message with its place, from 1: none is lost or taken twice where a call is repeated."""
