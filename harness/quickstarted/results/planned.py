"""
What a call is to do, before it does any of it: the document of `run --plan --json`.

What is not known is null and counted, and is never 0.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from quickstarted.results.document import Document


class Range(Document):
    """What past attempts make likely."""

    low: float
    """As if each attempt were like the lowest tenth of those in the past (10th percentile)."""
    expected: float
    """The mean of those in the past."""
    high: float
    """As if each were like the highest tenth (90th percentile)."""


class PlannedCell(Document):
    """One cell of the call."""

    task: str
    agent: str
    affordance_policy: str
    arm: str
    attempts: int
    """Of this call, and of its shard."""
    done: int
    """Of these, attempts that are there already and are not made again."""
    past_attempts: int
    """That the estimates rest on."""
    is_of_other_conditions: bool = False
    """Whether those were attempts of the same task and agent under other conditions."""
    cost_usd: Range | None
    """Of one attempt; null: not known."""
    seconds: Range | None
    """Of one attempt; null: not known."""


class Total(Document):
    """A figure of all attempts that are still to be made."""

    known: Range | None
    """Of those for which it is known; null: of none."""
    known_attempts: int
    unknown_attempts: int


class LeftOut(Document):
    """What a choice among the cells has left out."""

    flag: str
    cells: int


class Defaults(Document):
    """A `quickstarted.yaml`, and the options that the call has from it."""

    file: str
    options: dict[str, Any]


class PlannedCall(Document):
    """One call of `run`."""

    schema_version: Literal[1] = 1
    cells: list[PlannedCell]
    attempts: int
    done: int
    may_stop_early: bool = False
    """Whether a cell needs no further attempts once it is decided (`--repeat auto`)."""
    shard: str | None = None
    """`I/N`."""
    left_out: list[LeftOut] = Field(default_factory=list)
    """By `-k`, `--tag` and their like, in order."""
    workers: int
    cost_usd: Total
    minutes: Total
    """Of the clock, with that many workers, and at least those of the longest attempt."""
    max_spend_usd: float | None = None
    estimated_from: list[str] = Field(default_factory=list)
    """Documents of results that past attempts were read from."""
    defaults: Defaults | None = None
