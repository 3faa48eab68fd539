"""
Every line that `run --json` writes: the law for the writer, the schema and the docs page.

Lines are only ever added, and fields to lines; `v` grows where a field changes its meaning or goes
away.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from quickstarted.results import AttemptKey, RunResult, SuiteResult
from quickstarted.results.document import Document

VERSION: Literal[1] = 1


class AttemptName(Document):
    """What tells an attempt from all others of its call; the names are those of `results.json`."""

    task: str
    agent: str
    affordance_policy: str
    """`all` or `none`."""
    arm: str
    """`docs`, `no-docs`, or the name of a folder."""
    attempt: int
    """Counts from 1."""

    @classmethod
    def of(cls, key: AttemptKey) -> AttemptName:
        """The name of the attempt with *key*."""
        return cls(
            task=key.task,
            agent=key.agent,
            affordance_policy=key.affordances,
            arm=key.arm,
            attempt=key.attempt,
        )


class Line(Document):
    """What all lines have."""

    v: Literal[1] = VERSION
    """Version of the format."""
    ts: float
    """When it was written down, in epoch seconds."""


class PlannedLine(Line):
    """The first line: what the call is to make."""

    type: Literal["planned"] = "planned"
    harness_version: str
    """Of quickstarted."""
    attempts: list[AttemptName]
    """All of the call, in the order in which they are begun."""
    done: list[AttemptName]
    """Those of them that an earlier call has made (`--resume`); they have no further lines."""


class DroppedLine(Line):
    """Attempts that will not be made, since their cell is decided (`--repeat auto`)."""

    type: Literal["dropped"] = "dropped"
    attempts: list[AttemptName]
    """Each of them was planned."""


class BegunLine(Line):
    """A try of an attempt begins."""

    type: Literal["begun"] = "begun"
    attempt: AttemptName
    """Which."""
    try_number: int
    """Counts from 1 within the call; more only with `--retries`."""


class PhaseLine(Line):
    """An attempt is in another phase."""

    type: Literal["phase"] = "phase"
    attempt: AttemptName
    """Which."""
    phase: str
    """`opening` (its sandbox is being made), `waiting` (for its turn), `working`, `judging`."""


class EventLine(Line):
    """Something has happened in an attempt."""

    type: Literal["event"] = "event"
    attempt: AttemptName
    """Which."""
    event: dict[str, Any]
    """
    The line of the trace (`quickstarted schema --trace`) without `output` and `text`; requests that
    went through have no line. With `--verbose`: every line, whole.
    """


class EndedLine(Line):
    """A try of an attempt is over; `begun` for it once more: it is made again."""

    type: Literal["ended"] = "ended"
    attempt: AttemptName
    """Which."""
    try_number: int
    """As in its `begun`; `result.tries` counts those of earlier calls, too."""
    trace: str
    """Path of its trace, as seen from where the call was made."""
    look_at: list[str]
    """For people: what to look at where it did not pass, as `run` says it without `--json`."""
    result: RunResult
    """As in `results.json`."""


class HoldEntry(Document):
    """Attempts that could begin, and what they wait for."""

    attempts: int
    """How many."""
    reason: str
    """For people."""


class HoldingLine(Line):
    """What waits for what, whenever that changes."""

    type: Literal["holding"] = "holding"
    holds: list[HoldEntry]
    """Empty when nothing waits."""


class NoteLine(Line):
    """A line for people."""

    type: Literal["note"] = "note"
    text: str
    """What is said."""


class LeftOutLine(Line):
    """Lines of type `event` were left out, since they were not read fast enough."""

    type: Literal["left_out"] = "left_out"
    lines: int
    """How many, since the last such line."""


class SummaryLine(Line):
    """
    The last line: the call is over, and its results are on disk.

    It is missing where the call ended by an error, which standard error says.
    """

    type: Literal["summary"] = "summary"
    suite: SuiteResult
    """As in `results.json`, with `runs` empty: `ended` lines have them."""


AnyLine = Annotated[
    PlannedLine
    | DroppedLine
    | BegunLine
    | PhaseLine
    | EventLine
    | EndedLine
    | HoldingLine
    | NoteLine
    | LeftOutLine
    | SummaryLine,
    Field(discriminator="type"),
]
LINE_ADAPTER: TypeAdapter[AnyLine] = TypeAdapter(AnyLine)
