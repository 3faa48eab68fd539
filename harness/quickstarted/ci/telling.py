"""
What a call tells a CI system at its end. Each part fails by itself: a disk that is full for one of
them, or a variable that is not set, takes nothing from the others or from the exit code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from quickstarted.ci.annotations import annotation_lines, annotations_of
from quickstarted.ci.checkout import Checkout
from quickstarted.ci.github import Job
from quickstarted.ci.junit import junit_xml
from quickstarted.ci.markdown import RESERVED_BYTES, Surroundings, report_markdown
from quickstarted.ci.outcomes import Outcome, read_outcomes
from quickstarted.errors import QuickstartedError, StorageFault
from quickstarted.results import SuiteResult
from quickstarted.results.files import replacing, storage_fault

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What is to be told."""

    junit: Path | None = None
    """File of the JUnit report."""
    summary: bool = False
    """Whether the job summary gets the figures."""
    annotations: bool = False
    """Whether failures are annotated."""

    @property
    def anything(self) -> bool:
        """Whether there is anything to do."""
        return self.junit is not None or self.summary or self.annotations


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where the program runs."""

    job: Job
    checkout: Checkout
    is_gitlab: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What there is to tell."""

    suite: SuiteResult
    outcomes: Sequence[Outcome]
    around: Surroundings

    @classmethod
    def of(cls, suite: SuiteResult, out: Path, around: Surroundings) -> Told:
        """
        All attempts of *suite*.

        Args:
            suite: The results.
            out: Their folder.
            around: What stands around the figures.

        """
        return cls(suite=suite, outcomes=read_outcomes(suite, out), around=around)


def tell(told: Told, wanted: Wanted, place: Place, *, note: Say, command: Say) -> None:
    """
    Write what is *wanted*.

    Args:
        told: What there is to tell.
        wanted: What of it.
        place: Where the program runs.
        note: Told what could not be written, and why.
        command: Puts a workflow command on the log.

    """
    if wanted.junit is not None:
        with _noting(note):
            write_junit(wanted.junit, told, place)
    if wanted.summary:
        with _noting(note):
            append_summary(told, place, note)
    if wanted.annotations:
        for line in annotation_lines(annotations_of(told.outcomes, place.checkout)):
            command(line)


def write_junit(path: Path, told: Told, place: Place) -> None:
    """
    Write the JUnit report, whole or not at all.

    Raises:
        StorageFault: It cannot be written.

    """
    report = junit_xml(told.outcomes, place.checkout, for_gitlab=place.is_gitlab)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise storage_fault(path, exc) from exc
    with replacing(path) as stream:
        stream.write(report)


def append_summary(told: Told, place: Place, note: Say) -> None:
    """
    Append to the job summary what there is room for.

    Raises:
        StorageFault: It cannot be written.

    """
    path = place.job.summary
    if path is None:
        note("note: no job summary: GITHUB_STEP_SUMMARY is not set, as it is in GitHub Actions")
        return
    try:
        room = place.job.summary_room
        if room <= RESERVED_BYTES:
            note("note: no job summary: other steps have left no room in it")
            return
        text = report_markdown(told.suite, told.outcomes, told.around, limit_bytes=room)
        with path.open("ab") as stream:
            stream.write(text.encode())
    except OSError as exc:
        raise storage_fault(path, exc) from exc


@contextmanager
def _noting(note: Say) -> Iterator[None]:
    try:
        yield
    except StorageFault as fault:
        # Its hint is about the folder of results.
        note(f"note: {fault.message}")
    except QuickstartedError as problem:
        note(f"note: {problem}")
