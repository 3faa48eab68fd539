"""`quickstarted validate`: load task files, say all that is wrong, warn about wrong numbers."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from quickstarted.errors import NotYetSupported, TaskInvalid
from quickstarted.task import Task, dotted, find_tasks, load_task, not_yet_supported
from quickstarted.task.findings import Finding, Rule, warnings_for

INVALID = 1

_SAME_NAME = Rule(
    severity="warning",
    code="same-name",
    advice="Give each task its own name: it names the results folder.",
)


@dataclass(slots=True)
class Report:
    """What is known about one file."""

    path: Path
    task: Task | None = None
    problems: list[str] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unsupported: list[str] = field(default_factory=list)


@click.command("validate", short_help="load task files and warn about wrong numbers")
@click.argument("tasks", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON document for machines.")
@click.option(
    "--check-urls", is_flag=True, help="Also read the pages on the path (not yet supported)."
)
def command(*, tasks: tuple[str, ...], as_json: bool, check_urls: bool) -> int:
    """
    Check task files: files, folders or globs; without any, those in tasks/.

    Exit codes: 0 all files are valid (warnings and notes do not count), 1 a file is not, 3 there
    is no file.
    """
    if check_urls:
        raise NotYetSupported(
            "--check-urls is not supported by this version", hint="Leave it out: nothing is fetched"
        )
    reports = [_report(path) for path in find_tasks(tasks)]
    _compare_names(reports)
    if as_json:
        click.echo(json.dumps({"tasks": [_as_json(report) for report in reports]}, indent=2))
    else:
        for report in reports:
            _print(report)
        click.echo(_summary(reports))
    return INVALID if any(report.problems for report in reports) else 0


def _report(path: Path) -> Report:
    try:
        task = load_task(path)
    except TaskInvalid as exc:
        return Report(path, problems=exc.problems)
    return Report(path, task, [], warnings_for(task), not_yet_supported(task))


def _compare_names(reports: list[Report]) -> None:
    first: dict[str, Path] = {}
    for report in reports:
        if report.task is None:
            continue
        other = first.setdefault(report.task.name, report.path)
        if other != report.path:
            message = f"{other} has the same name"
            finding = _SAME_NAME.finding(report.task.source, ("name",), message)
            report.findings.insert(0, finding)


def _print(report: Report) -> None:
    if report.task is None:
        click.echo(f"{report.path}: invalid")
        for problem in report.problems:
            click.echo(f"  error: {problem}")
        return
    click.echo(f"{report.path}: valid")
    for finding in report.findings:
        click.echo(f"  {finding.severity}: {finding.line(report.task.source)}")
        click.echo(f"    {finding.advice}")
    for line in report.unsupported:
        click.echo(f"  note: {line}")
        click.echo("    `run` refuses the task until then.")


def _summary(reports: list[Report]) -> str:
    counts = Counter(finding.severity for report in reports for finding in report.findings)
    notes = counts["note"] + sum(len(report.unsupported) for report in reports)
    invalid = sum(bool(report.problems) for report in reports)
    return (
        f"{_count(len(reports), 'task file')}: {invalid} invalid, "
        f"{_count(counts['warning'], 'warning')}, {_count(notes, 'note')}"
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _as_json(report: Report) -> dict[str, Any]:
    return {
        "path": str(report.path),
        "name": report.task.name if report.task else None,
        "valid": report.task is not None,
        "problems": report.problems,
        "findings": [
            {
                "severity": finding.severity,
                "code": finding.code,
                "line": finding.position.line,
                "column": finding.position.column,
                "key": dotted(finding.key),
                "message": finding.message,
                "advice": finding.advice,
            }
            for finding in report.findings
        ],
        "unsupported": report.unsupported,
    }
