"""`quickstarted trajectory`: runs of agents in the AgentTrajectory format."""

from __future__ import annotations

import json
from pathlib import Path

import click

from quickstarted.cli.problem_words import plural, problem_lines
from quickstarted.console.text import visible
from quickstarted.formats.trajectory import check_trajectories

INVALID = 1

EPILOG = """\
\b
Examples:
  quickstarted trajectory check run.json
"""
CHECK_EPILOG = """\
\b
Exit codes: 0 valid (findings do not count), 1 not valid, 3 the call is not valid or the file cannot
be read.

\b
Examples:
  quickstarted trajectory check run.json
  quickstarted trajectory check runs.jsonl --json
"""


@click.group(name="trajectory", epilog=EPILOG)
def command() -> None:
    """Look after trajectories: runs of agents as events, in the AgentTrajectory format."""


@command.command(epilog=CHECK_EPILOG)
@click.argument("file", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="One JSON document for machines.")
def check(file: Path, *, as_json: bool) -> int:
    """
    Say whether FILE holds valid trajectories: one object, an array of them, or JSON Lines.

    Strictly: what an import would mend is an error here. docs/trajectory.md has the rules.
    """
    report = check_trajectories(file)
    if as_json:
        document = {
            "path": str(file),
            "verdict": report.verdict,
            "trajectories": report.trajectories,
            "events": report.events,
            "counts": report.counts,
            "problems": [one.as_json() for one in report.problems],
        }
        click.echo(json.dumps(document, indent=2))
    else:
        noun = "trajectory" if report.trajectories == 1 else "trajectories"
        click.echo(
            f"{visible(str(file))}: {report.verdict}"
            f" ({report.trajectories:,} {noun}, {plural(report.events, 'event')})"
        )
        for line in problem_lines(report.problems, report.counts):
            click.echo(line)
    return INVALID if report.verdict == "invalid" else 0
