"""`quickstarted trajectory`: runs of agents in the AgentTrajectory format."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import click

from quickstarted.cli.import_words import import_lines
from quickstarted.cli.llm_asking import model_to_ask
from quickstarted.cli.problem_words import plural, problem_lines
from quickstarted.console.text import visible
from quickstarted.errors import UsageError
from quickstarted.formats.trajectory import TrajectoryReport, check_trajectories
from quickstarted.formats.trajectory.importing import (
    IMPORTERS,
    FolderSink,
    ImportOptions,
    LinesSink,
    LlmConverter,
    Sink,
    import_file,
)

INVALID = 1
PARTLY = 1

EPILOG = """\
\b
Examples:
  quickstarted trajectory check run.json
  quickstarted trajectory import session.jsonl --out trajectories/
"""
CHECK_EPILOG = """\
\b
Exit codes: 0 valid (findings do not count), 1 not valid, 3 the call is not valid or a file cannot
be read.

\b
Examples:
  quickstarted trajectory check run.json
  quickstarted trajectory check trajectories/*.json
  quickstarted trajectory check runs.jsonl --json
"""
IMPORT_EPILOG = """\
\b
Exit codes: 0 everything is imported, 1 something was of no use (the rest is imported), 2 the disk
is full, 3 the call is not valid or a file cannot be read.

\b
Examples:
  quickstarted trajectory import session.jsonl > runs.jsonl
  quickstarted trajectory import logs/*.jsonl --out trajectories/
  quickstarted trajectory import events.json --format event-list --out trajectories/ --json
"""


@click.group(name="trajectory", epilog=EPILOG)
def command() -> None:
    """Look after trajectories: runs of agents as events, in the AgentTrajectory format."""


@command.command("import", epilog=IMPORT_EPILOG)
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@click.option(
    "--format",
    "forced",
    type=click.Choice([importer.name for importer in IMPORTERS]),
    metavar="F",
    help="Take everything for this format, whatever it looks like.",
)
@click.option(
    "--out",
    default="-",
    metavar="DIR|-",
    help="A folder, for one file a trajectory and the files that runs have in them; `-`, the"
    " default, is JSON Lines on standard output.",
)
@click.option(
    "--llm",
    metavar="KIND[:MODEL]",
    help="Give what no format knows to a model of claude, openai or gemini. Off by default: the log"
    " goes to the vendor, and is paid for.",
)
@click.option("--force", is_flag=True, help="Write over files that are in the folder.")
@click.option("--json", "as_json", is_flag=True, help="What was done as one JSON document.")
def import_(
    *,
    files: tuple[Path, ...],
    forced: str | None,
    out: str,
    llm: str | None,
    force: bool,
    as_json: bool,
) -> int:
    """
    Turn logs of many programs into trajectories; what is in a file decides what it is taken for.

    What was done is told on standard output, or on standard error where trajectories go to standard
    output. docs/trajectory.md has the formats, and how each is read.
    """
    is_streamed = out == "-"
    sink: Sink = LinesSink(sys.stdout.buffer) if is_streamed else FolderSink(Path(out), force=force)
    fallback = None if llm is None else LlmConverter(model_to_ask(llm))
    options = ImportOptions(forced=forced, fallback=fallback)
    reports, unread = [], False
    for path in files:
        try:
            reports.append(import_file(path, sink, options))
        except UsageError as exc:
            unread = True
            click.echo(visible(f"error: {exc}"), err=True)
    if as_json:
        document = {"files": [report.as_json() for report in reports]}
        click.echo(json.dumps(document, indent=2), err=is_streamed)
    else:
        for report in reports:
            for line in import_lines(report):
                click.echo(line, err=is_streamed)
    if unread:
        return UsageError.exit_code
    return PARTLY if any(report.problem_count for report in reports) else 0


@command.command(epilog=CHECK_EPILOG)
@click.argument(
    "files",
    metavar="FILE...",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
)
@click.option("--json", "as_json", is_flag=True, help="One JSON document for machines.")
def check(*, files: tuple[Path, ...], as_json: bool) -> int:
    """
    Say whether a FILE holds valid trajectories: one object, an array of them, or JSON Lines.

    Strictly: what an import would mend is an error here. docs/trajectory.md has the rules. With
    `--json` one file is one object, and several are a list of them in `files`.
    """
    checked, unread = [], False
    for path in files:
        try:
            report = check_trajectories(path)
        except UsageError as exc:
            unread = True
            click.echo(visible(f"error: {exc}"), err=True)
            continue
        checked.append((path, report))
        if not as_json:
            _print_checked(path, report)
    if as_json:
        documents = [_checked_as_json(path, report) for path, report in checked]
        for document in documents if len(files) == 1 else [{"files": documents}]:
            click.echo(json.dumps(document, indent=2))
    if unread:
        return UsageError.exit_code
    return INVALID if any(report.verdict == "invalid" for _, report in checked) else 0


def _print_checked(path: Path, report: TrajectoryReport) -> None:
    noun = "trajectory" if report.trajectories == 1 else "trajectories"
    click.echo(
        f"{visible(str(path))}: {report.verdict}"
        f" ({report.trajectories:,} {noun}, {plural(report.events, 'event')})"
    )
    for line in problem_lines(report.problems, report.counts):
        click.echo(line)


def _checked_as_json(path: Path, report: TrajectoryReport) -> dict[str, Any]:
    return {
        "path": str(path),
        "verdict": report.verdict,
        "trajectories": report.trajectories,
        "events": report.events,
        "counts": report.counts,
        "problems": [one.as_json() for one in report.problems],
    }
