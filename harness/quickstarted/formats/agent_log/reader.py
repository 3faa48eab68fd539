"""Agent logs as events, for whoever converts them; whether the log is valid, the checker says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from quickstarted.errors import UsageError
from quickstarted.formats.agent_log.model import AgentLogEvent
from quickstarted.formats.agent_log.rules import MAX_LINE_BYTES
from quickstarted.formats.encoding import HEAD_BYTES, head_problem
from quickstarted.formats.lines import LineTooLong, open_buffered, raw_lines
from quickstarted.formats.strict_json import JsonProblem, parse


def read_events(path: Path, on_problem: Callable[[int, str], None]) -> Iterator[AgentLogEvent]:
    """
    The events of the log *path*, as it is read.

    Lines that are no event are left out, and *on_problem* is told their number and what they are.

    Raises:
        UsageError: The file cannot be read, or is no text.

    """
    try:
        with open_buffered(path) as stream:
            problem = head_problem(stream.peek(HEAD_BYTES)[:HEAD_BYTES])
            if problem is not None:
                raise UsageError(f"{path} {problem.message}")
            for number, raw in enumerate(raw_lines(stream, MAX_LINE_BYTES), 1):
                try:
                    yield _event(parse(raw))
                except JsonProblem as exc:
                    on_problem(number, exc.message)
                except ValueError as exc:
                    on_problem(number, str(exc))
    except OSError as exc:
        raise UsageError(f"cannot read {path}: {exc.strerror or exc}") from exc
    except LineTooLong:
        raise UsageError(f"{path} has a line of more than {MAX_LINE_BYTES:,} bytes") from None


def _event(value: Any) -> AgentLogEvent:
    match value:
        case {
            "seq": int() as seq,
            "at": str() as at,
            "elapsedMs": int() | float() as elapsed_ms,
            "type": str() as kind,
            "data": dict() as data,
        }:
            return AgentLogEvent(seq, at, elapsed_ms, kind, data)
        case _:
            raise ValueError("is no event with seq, at, elapsedMs, type and data")
