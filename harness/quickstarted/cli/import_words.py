"""What an import did with a file, in lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.cli.problem_words import plural
from quickstarted.console.text import visible
from quickstarted.formats.trajectory.importing import FileReport

SHOWN_RUNS = 10


def import_lines(report: FileReport) -> Iterator[str]:
    """What the file was taken for, its runs, what was mended, and what was of no use."""
    noun = "trajectory" if report.run_count == 1 else "trajectories"
    counts = f"{report.run_count:,} {noun}, {plural(report.event_count, 'event')}"
    yield visible(f"{report.name}: {counts}")
    if report.source_format and report.source_format != "each":
        yield visible(f"  format: {report.source_format}: {report.why}")
    for run in report.runs[:SHOWN_RUNS]:
        why = f": {run.why}" if report.source_format == "each" else ""
        stored = f" -> {run.stored}" if run.stored else ""
        told = f"{run.trace_id} ({run.source_format}{why}), {plural(run.events, 'event')}{stored}"
        yield visible(f"  {run.where}: {told}")
    if report.run_count > SHOWN_RUNS:
        yield f"  and {report.run_count - SHOWN_RUNS:,} more"
    for note in report.notes:
        again = f" ({note.count:,} times)" if note.count > 1 else ""
        yield visible(f"  note: {note.where}: {note.words}{again}")
    for problem in report.problems:
        hint = f" ({problem.hint})" if problem.hint else ""
        yield visible(f"  error: {problem.where}: {problem.message}{hint}")
    left = report.problem_count - len(report.problems)
    if left:
        yield f"  and {left:,} more errors"
