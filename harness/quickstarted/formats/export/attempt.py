"""
The trace of one attempt as a source: its first line, its events one at a time, and its end.

What a document says at its end (the verdict, tokens in all, that the trace is cut) is counted while
the events pass, so that nothing has to be kept.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from quickstarted.errors import TraceInvalid
from quickstarted.events import (
    AgentTurn,
    ApiRetry,
    RunEnd,
    RunStart,
    SuccessCheck,
    TraceEvent,
)
from quickstarted.formats.export.goal import goal_beside
from quickstarted.formats.export.json_text import said
from quickstarted.formats.export.times import MAX_TS
from quickstarted.trace import read_trace

SOURCE_FORMAT = "quickstarted-trace"
_CHECK_WITHOUT = frozenset({"ts", "type", "output"})
_RUN_WITHOUT = frozenset({"ts", "type", "prompt_hash"})
NO_END = "it has no run_end: the run goes on, or was killed; what is there is converted"


class AttemptSummary:
    """
    What is known of an attempt as a whole, counted while its events pass.

    Attributes:
        start: Its first line.
        trace_id: 32 hexadecimal digits, the same for the same attempt in every format.
        end: Its last line, once it was read.
        notes: What a reader of the document should know, each once.

    """

    def __init__(self, start: RunStart) -> None:
        self.start = start
        self.trace_id = _identity(start)
        self.notes: list[str] = []
        self.end: RunEnd | None = None
        self.check: SuccessCheck | None = None
        self.spent = Spent()
        self.retried = Spent()
        self._torn = False

    def note(self, words: str) -> None:
        """Say *words* of the conversion, once."""
        if words not in self.notes:
            self.notes.append(words)

    @property
    def unfinished(self) -> str | None:
        """Why the trace does not tell all of the attempt; None where it does."""
        if self.end is not None:
            return None
        return "the last line is cut off" if self._torn else "there is no run_end"

    @property
    def verdict(self) -> dict[str, Any] | None:
        """What `run_end` says; None where there is none."""
        if self.end is None:
            return None
        return {
            "passed": self.end.passed,
            "classification": self.end.classification,
            "stop_reason": self.end.stop_reason,
        }

    def summary(self) -> dict[str, Any]:
        """What is known of the attempt as a whole, once all events were read."""
        check = None if self.check is None else fields_of(self.check, _CHECK_WITHOUT)
        return {
            "source_format": SOURCE_FORMAT,
            **said(
                run=fields_of(self.start, _RUN_WITHOUT),
                prompt_hash=self.start.prompt_hash,
                verdict=self.verdict,
                success_check=check,
                usage=self.spent.usage(),
                cost_usd=self.spent.cost_usd if self.spent.calls else None,
                retried_usage=self.retried.usage(),
                retried_cost_usd=self.retried.cost_usd or None,
                unfinished=self.unfinished,
            ),
        }

    def count(self, event: TraceEvent) -> None:
        """Take the next event; those that are not `COUNTED` change nothing."""
        match event:
            case AgentTurn():
                self.spent.add(event)
            case ApiRetry():
                self.retried.add(event)
            case SuccessCheck():
                self.check = event
            case RunEnd():
                self.end = event


class Attempt(AttemptSummary):
    """
    One attempt, from its trace.

    Attributes:
        goal: Of the task, where `run.json` stands beside the trace.

    """

    def __init__(self, path: Path) -> None:
        """
        Open the trace *path*.

        Raises:
            TraceInvalid: It cannot be read, or does not begin as a trace does.

        """
        self.path = path
        self._torn_words = ""
        self._events = read_trace(path, on_torn=self._note_torn)
        first = next(self._events, None)
        if not isinstance(first, RunStart):
            raise TraceInvalid(
                f"{path}: does not begin with run_start",
                hint="Give a trace that `quickstarted run` wrote; an empty one tells nothing.",
            )
        if not 0 <= first.ts <= MAX_TS:
            raise self._no_time(first)
        super().__init__(first)
        self.goal = goal_beside(path, first.task)

    def whole(self) -> Iterator[TraceEvent]:
        """All events, `run_start` too; see `__iter__`."""
        yield self.start
        yield from self

    def __iter__(self) -> Iterator[TraceEvent]:
        """
        The events after the first.

        Raises:
            TraceInvalid: A line is no event.

        """
        for event in self._events:
            if not 0 <= event.ts <= MAX_TS:
                raise self._no_time(event)
            if type(event) in COUNTED:
                self.count(event)
            yield event
        if self._torn_words:
            self._torn = True
            self.note(f"{self._torn_words}; what stands before it is converted")
        if self.end is None:
            self.note(NO_END)

    def _note_torn(self, problem: TraceInvalid) -> None:
        self._torn_words = problem.message.rpartition(": ")[2]

    def _no_time(self, event: TraceEvent) -> TraceInvalid:
        return TraceInvalid(
            f"{self.path}: {event.type} has the ts {event.ts:.10g}, no time from 1970 on",
            hint="Times of a trace are in seconds since 1970.",
        )


COUNTED = frozenset({AgentTurn, ApiRetry, SuccessCheck, RunEnd})


class Spent:
    """Tokens and dollars in all."""

    def __init__(self) -> None:
        self.calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self.cache_write_tokens = 0
        self.cache_read_tokens = 0
        self.cost_usd: float | None = 0.0

    def add(self, event: AgentTurn | ApiRetry) -> None:
        """Take what one call has used; where one has no price, the sum has none."""
        self.calls += 1
        self.input_tokens += event.input_tokens
        self.output_tokens += event.output_tokens
        self.cache_write_tokens += event.cache_write_tokens
        self.cache_read_tokens += event.cache_read_tokens
        if event.cost_usd is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd = round(self.cost_usd + event.cost_usd, 9)

    def usage(self) -> dict[str, int] | None:
        """As `usage_of` has it; None where there was no call."""
        return usage_of(self) if self.calls else None


def usage_of(event: AgentTurn | ApiRetry | Spent) -> dict[str, int]:
    """Tokens by the names that trajectories use; none is counted twice but in the total."""
    made = {
        "input_tokens": event.input_tokens,
        "output_tokens": event.output_tokens,
        "cache_read_input_tokens": event.cache_read_tokens,
        "cache_write_input_tokens": event.cache_write_tokens,
    }
    return {**made, "total_tokens": sum(made.values())}


_NAMES = frozenset({"ts", "type"})


def known_fields(event: TraceEvent, without: frozenset[str] = _NAMES) -> dict[str, Any]:
    """What *event* says in the fields that this version knows, as plain values."""
    return {
        key: value
        for key, value in event.__dict__.items()
        if value is not None and key not in without
    }


def fields_of(event: TraceEvent, without: frozenset[str] = _NAMES) -> dict[str, Any]:
    """The same with the fields of newer versions."""
    known = known_fields(event, without)
    extra = event.__pydantic_extra__
    return {**known, **extra} if extra else known


def _identity(start: RunStart) -> str:
    """The same for the same attempt; another one for an earlier try of it."""
    named = [
        start.run_id,
        start.task,
        start.agent,
        start.affordance_policy,
        start.arm,
        start.arm_hash,
        start.attempt,
        start.ts,
    ]
    return hashlib.sha256(json.dumps(named).encode("ascii")).hexdigest()[:32]
