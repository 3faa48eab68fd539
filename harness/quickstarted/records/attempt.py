"""One folder below `--out`: whether it holds a whole attempt, and lies where that counts."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ValidationError

from quickstarted.errors import TraceInvalid
from quickstarted.events import RunEnd, RunStart, TraceEvent
from quickstarted.records.documents import Unreadable, read_document, why_invalid
from quickstarted.results import AttemptKey, RunRecord, RunResult, Summary
from quickstarted.results.layout import RESULT_NAME, RUN_NAME, TRACE_NAME, place_of, rebased
from quickstarted.trace import parse_event, read_trace

_LINE_BYTES = 256 * 1024
"""`run_start` and `run_end` are shorter."""

Standing = Literal["in place", "aside", "elsewhere"]
"""Where its own key says; kept beside that (`<name>.<n>`); where no call has put it."""


@dataclass(frozen=True, slots=True)
class Found:
    """A whole attempt."""

    place: str
    """Folder, relative to `--out`."""
    result: RunResult
    """Its trace's path is relative to `--out`."""
    is_adopted: bool = False
    """Whether its result was made from its trace, as it has none of its own."""


@dataclass(frozen=True, slots=True)
class Unfinished:
    """What lies where an attempt may lie, and is none that could count."""

    place: str
    """Folder, relative to `--out`."""
    why: str
    key: AttemptKey | None = None
    """Where the beginning of its trace says so."""
    is_damaged: bool = False
    """Whether it has been whole once, so that somebody should hear of it."""


def read_attempt(out: Path, place: str) -> Found | Unfinished | None:
    """What lies in the folder *place*; None where nothing says that an attempt was ever made."""
    folder = f"{out}/{place}"
    try:
        content = read_document(f"{folder}/{RESULT_NAME}")
        if content is not None:
            return Found(place, rebased(_result(content), f"{place}/{TRACE_NAME}"))
        return _from_trace(folder, place)
    except Unreadable as exc:
        return Unfinished(place, str(exc), key=_first_key(folder), is_damaged=True)


def read_record(folder: Path | str) -> RunRecord:
    """
    Read the `run.json` of an attempt.

    Raises:
        Unreadable: There is none, or it says nothing.

    """
    content = read_document(f"{folder}/{RUN_NAME}")
    if content is None:
        raise Unreadable(f"there is no {RUN_NAME}")
    try:
        return RunRecord.model_validate_json(content)
    except ValidationError as exc:
        raise why_invalid(RUN_NAME, content, exc) from exc


def standing_of(place: str, key: AttemptKey) -> Standing:
    """Whether *place* is where the attempt *key* counts."""
    homes = (place_of(key, nested=False), place_of(key, nested=True))
    if place in homes:
        return "in place"
    return "aside" if any(_is_beside(place, home) for home in homes) else "elsewhere"


def _is_beside(place: str, home: str) -> bool:
    """`flask.2` of `flask`, `flask/replay/1.1` of `flask/replay/1`."""
    parts, of_home = place.split("/"), home.split("/")
    return len(parts) == len(of_home) and all(
        re.fullmatch(re.escape(wanted) + r"(\.[0-9]+)?", part)
        for part, wanted in zip(parts, of_home, strict=True)
    )


def _result(content: bytes) -> RunResult:
    try:
        return RunResult.model_validate_json(content)
    except ValidationError as exc:
        raise why_invalid(RESULT_NAME, content, exc) from exc


def _from_trace(folder: str, place: str) -> Found | Unfinished | None:
    """An attempt without a result of its own: of an older version, or of a killed process."""
    if not os.path.lexists(f"{folder}/{TRACE_NAME}"):
        return None
    if not isinstance(_line(folder, last=True), RunEnd):
        return Unfinished(place, "its trace has no end", key=_first_key(folder))
    if not os.path.lexists(f"{folder}/{RUN_NAME}"):
        return Unfinished(place, f"it has no {RUN_NAME}", key=_first_key(folder))
    read_record(folder)
    summary = Summary()
    try:
        for event in read_trace(Path(folder, TRACE_NAME)):
            summary.add(event)
        result = summary.result()
    except TraceInvalid as exc:
        raise Unreadable(f"{TRACE_NAME} is damaged: {exc.message}") from exc
    return Found(place, rebased(result, f"{place}/{TRACE_NAME}"), is_adopted=True)


def _first_key(folder: str) -> AttemptKey | None:
    start = _line(folder, last=False)
    if not isinstance(start, RunStart):
        return None
    return AttemptKey(start.task, start.agent, start.affordance_policy, start.arm, start.attempt)


def _line(folder: str, *, last: bool) -> TraceEvent | None:
    """The first or the last event of a trace; None where there is no such line, or it is torn."""
    try:
        with Path(folder, TRACE_NAME).open("rb") as stream:
            if last:
                size = stream.seek(0, os.SEEK_END)
                stream.seek(max(0, size - _LINE_BYTES))
                line = stream.read(_LINE_BYTES).rstrip(b"\n").rpartition(b"\n")[2]
            else:
                line = stream.readline(_LINE_BYTES)
        return parse_event(line, TRACE_NAME)
    except (OSError, TraceInvalid):
        return None
