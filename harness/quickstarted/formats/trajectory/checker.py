"""Whether a file holds valid trajectories, by the schema and by the text that stands beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from quickstarted.errors import UsageError
from quickstarted.formats.ids import IdSet
from quickstarted.formats.lines import open_buffered
from quickstarted.formats.problems import Problem, Problems
from quickstarted.formats.strict_json import quote
from quickstarted.formats.trajectory.documents import Document, not_object, read_documents
from quickstarted.formats.trajectory.model import MAX_UPLOAD_BYTES
from quickstarted.formats.trajectory.rules import RULES
from quickstarted.formats.trajectory.shapes import shape_problems
from quickstarted.formats.trajectory.tree import tree_problems

Verdict = Literal["valid", "look", "invalid"]
Add = Callable[[str, str], None]
"""Takes a code and a message."""


@dataclass(frozen=True, slots=True)
class TrajectoryReport:
    """
    What a file holds.

    Attributes:
        problems: By line; of each code the first 20.
        counts: How often each code occurs.

    """

    trajectories: int
    events: int
    problems: tuple[Problem, ...]
    counts: dict[str, int]

    @property
    def verdict(self) -> Verdict:
        """`invalid` with an error, `look` with a finding, else `valid`."""
        severities = {one.severity for one in self.problems}
        return "invalid" if "error" in severities else "look" if severities else "valid"


def check_trajectories(path: Path) -> TrajectoryReport:
    """
    Check the file *path*: one trajectory, an array, or JSON Lines.

    Memory does not grow with the length of JSON Lines. Nothing that the file names is opened.

    Raises:
        UsageError: The file cannot be read.

    """
    checker = _Checker()
    try:
        with open_buffered(path) as stream:
            for document in read_documents(stream, MAX_UPLOAD_BYTES):
                checker.take(document)
            size_bytes = stream.tell() if stream.seekable() else 0
    except OSError as exc:
        raise UsageError(f"cannot read {path}: {exc.strerror or exc}") from exc
    return checker.report(size_bytes)


def check_value(value: Any, add: Add) -> int:
    """
    Tell *add* what is wrong with *value*, one trajectory; how many events it has.

    What is written by this program goes through here too.
    """
    if not isinstance(value, dict):
        add("not-object", f"is {quote(value)}, and must be an object")
        return 0
    for code, message in shape_problems(value):
        add(code, message)
    events = value.get("events")
    if not isinstance(events, list):
        return 0
    for code, message in tree_problems(value.get("trace_id"), events):
        add(code, message)
    return len(events)


class _Checker:
    """Takes the documents of a file one after the other."""

    def __init__(self) -> None:
        self._problems = Problems(RULES)
        self._trajectories = 0
        self._events = 0
        self._is_empty = True
        self._trace_ids = IdSet()

    def take(self, document: Document) -> None:
        prefix = f"trajectory {document.item}: " if document.item else ""

        def add(code: str, message: str) -> None:
            self._problems.add(code, document.line, f"{prefix}{message}")

        if document.problem is not None:
            self._is_empty = self._is_empty and document.problem.code == "bom"
            add(document.problem.code, document.problem.message)
            return
        self._is_empty = False
        if not isinstance(document.value, dict):
            problem = not_object(document)
            add(problem.code, problem.message)
            return
        self._trajectories += 1
        self._events += check_value(document.value, add)
        self._check_name(document, add)

    def report(self, size_bytes: int) -> TrajectoryReport:
        if self._is_empty:
            self._problems.add("empty", 0, "the file has no trajectory")
        if size_bytes > MAX_UPLOAD_BYTES and "too-large" not in self._problems.counts:
            self._problems.add(
                "upload-too-large",
                0,
                f"the file has {size_bytes:,} bytes, and an upload takes {MAX_UPLOAD_BYTES:,}",
            )
        return TrajectoryReport(
            self._trajectories, self._events, self._problems.kept, self._problems.counts
        )

    def _check_name(self, document: Document, add: Add) -> None:
        trace_id = document.value.get("trace_id")
        if isinstance(trace_id, str) and not self._trace_ids.add(trace_id):
            add("trace-id-duplicate", f"trace_id {quote(trace_id)} was used before in this file")
