"""What an import did with a file: the runs that it made, what was mended, what was of no use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

KEPT_ERRORS = 100
KEPT_NOTES = 100
KEPT_RUNS = 100_000


@dataclass(frozen=True, slots=True)
class Imported:
    """
    One run that was made.

    Attributes:
        where: The record that it is made from, or from which it begins: `line 3`, `item 2`, `file`.
        why: Why the source was taken for this format.
        stored: Where it was written; empty where there is no place with a name.

    """

    trace_id: str
    source_format: str
    events: int
    where: str
    why: str
    stored: str = ""


@dataclass(frozen=True, slots=True)
class ImportProblem:
    """
    One record that was of no use.

    Attributes:
        message: A sentence without its subject; it may quote the file.
        hint: What to do; may be empty.

    """

    where: str
    message: str
    hint: str


@dataclass(slots=True)
class ImportNote:
    """Something that was mended or is not as it should be, and how often."""

    where: str
    words: str
    count: int = 1


@dataclass(slots=True)
class FileReport:
    """
    What became of one file.

    Attributes:
        name: Of the file.
        source_format: Of the stream that the file is, `each` where every record is a run by itself,
            or empty where nothing was recognised.
        why: Why it was taken for that.
        runs: The first 100,000.
        problems: The first 100; `problem_count` counts all.

    """

    name: str
    source_format: str = ""
    why: str = ""
    runs: list[Imported] = field(default_factory=list)
    run_count: int = 0
    event_count: int = 0
    problems: list[ImportProblem] = field(default_factory=list)
    problem_count: int = 0
    _notes: dict[str, ImportNote] = field(default_factory=dict)

    @property
    def notes(self) -> list[ImportNote]:
        """The first 100 kinds, in order."""
        return list(self._notes.values())

    def add_run(self, run: Imported) -> None:
        """Count a run that is written."""
        self.run_count += 1
        self.event_count += run.events
        if self.run_count <= KEPT_RUNS:
            self.runs.append(run)

    def add_problem(self, where: str, message: str, hint: str) -> None:
        """Count a record that is of no use."""
        self.problem_count += 1
        if self.problem_count <= KEPT_ERRORS:
            self.problems.append(ImportProblem(where, message, hint))

    def add_note(self, where: str, words: str) -> None:
        """Count something that was mended; what is said again is counted only."""
        known = self._notes.get(words)
        if known is not None:
            known.count += 1
        elif len(self._notes) < KEPT_NOTES:
            self._notes[words] = ImportNote(where, words)

    def as_json(self) -> dict[str, Any]:
        """For machines."""
        return {
            "file": self.name,
            "format": self.source_format or None,
            "why": self.why or None,
            "imported": self.run_count,
            "events": self.event_count,
            "trajectories": [
                {
                    "trace_id": run.trace_id,
                    "format": run.source_format,
                    "why": run.why,
                    "events": run.events,
                    "where": run.where,
                    "stored": run.stored or None,
                }
                for run in self.runs
            ],
            "notes": [
                {"where": note.where, "note": note.words, "count": note.count}
                for note in self.notes
            ],
            "errors": [
                {"where": one.where, "error": one.message, "hint": one.hint or None}
                for one in self.problems
            ],
            "error_count": self.problem_count,
        }
