"""`quickstarted validate`: load task files, say all that is wrong, warn about wrong numbers."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from quickstarted.cli.docs_flags import FetchFlags, docs_flags, library_for
from quickstarted.cli.task_args import METAVAR, with_docs_sites
from quickstarted.errors import Interrupted, TaskInvalid, UsageError
from quickstarted.task import Task, dotted, find_tasks, load_task, not_yet_supported
from quickstarted.task.findings import Finding, Rule, warnings_for

if TYPE_CHECKING:
    from quickstarted.docs import DocsLibrary
    from quickstarted.proving import Proof

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
    proof: dict[str, Any] | None = None
    """What `--prove` has found, as it stands in the JSON document."""

    @property
    def is_wrong(self) -> bool:
        """Whether the file is invalid, or a page that it names cannot be read."""
        return bool(self.problems) or any(one.severity == "error" for one in self.findings)


EPILOG = """\
\b
Exit codes: 0 all files are valid (warnings and notes do not count), 1 a file is not, 3 there is no
file. With --check-urls: 1 also where a page cannot be read. With --prove: 0 all proved, 1 one is
not, 2 one gave no evidence, 130 interrupted.

\b
Examples:
  quickstarted validate
  quickstarted validate tasks/x.yaml --prove
  quickstarted validate --check-urls
  quickstarted validate --prove --docs-site https://docs.example/=docs/_build/html
"""


@click.command("validate", short_help="load task files and warn about wrong numbers", epilog=EPILOG)
@click.argument("tasks", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON document for machines.")
@click.option(
    "--check-urls",
    is_flag=True,
    help="Read the pages on the path: say which cannot be read or have moved, and which command of"
    " replay stands on none of them.",
)
@click.option(
    "--prove",
    is_flag=True,
    help="Show in sandboxes that the check fails on the untouched workspace and passes after"
    " replay.",
)
@click.option(
    "--docs-site",
    multiple=True,
    metavar=METAVAR,
    help="With --prove or --check-urls: read the pages below the URL PREFIX from a local build or a"
    " preview.",
)
@docs_flags
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    help="With --prove: keep the traces there; else they stay only where something does not hold.",
)
@click.option("--image", help="With --prove: container image of tasks that name none.")
@click.option(
    "--upstream-ca",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="With --prove or --check-urls: more CAs (PEM) that pages and hosts may be served with.",
)
def command(
    *, tasks: tuple[str, ...], as_json: bool, check_urls: bool, prove: bool, **flags: Any
) -> int:
    """
    Check task files: files, folders or globs; without any, those in tasks/.

    How pages are fetched (--cache-dir, --refresh, --offline, --rate-limit, --ignore-robots) goes
    with --prove and --check-urls.
    """
    fetching = FetchFlags.out_of(flags)
    _refuse_stray(flags, fetching, check_urls=check_urls, prove=prove)
    reports = [_report(path) for path in find_tasks(tasks)]
    _compare_names(reports)
    with _library(fetching, is_needed=check_urls or prove) as library:
        if check_urls:
            _check_pages(reports, flags, library)
        if not as_json:
            for report in reports:
                _print(report)
            click.echo(_summary(reports))
        flags["library"] = library
        proved = _prove(reports, flags, as_json=as_json) if prove else 0
    if as_json:
        click.echo(json.dumps({"tasks": [_as_json(report) for report in reports]}, indent=2))
    if proved == Interrupted.exit_code:
        return proved
    return INVALID if any(report.is_wrong for report in reports) else proved


def _library(
    fetching: FetchFlags, *, is_needed: bool
) -> AbstractContextManager[DocsLibrary | None]:
    """What reads of pages share; the documentation client is loaded only where it is asked for."""
    if not is_needed:
        return nullcontext()
    return library_for(fetching, note=lambda line: click.echo(line, err=True))


def _refuse_stray(
    flags: dict[str, Any], fetching: FetchFlags, *, check_urls: bool, prove: bool
) -> None:
    """Refuse flags of work that is not asked for."""
    if not (prove or check_urls):
        for flag in fetching.given():
            raise UsageError(f"{flag} goes with --prove or --check-urls")
    for name, value in flags.items():
        goes_with_both = name in {"docs_site", "upstream_ca"}
        if value and not prove and not (check_urls and goes_with_both):
            other = " or --check-urls" if goes_with_both else ""
            raise UsageError(f"--{name.replace('_', '-')} goes with --prove{other}")


def _check_pages(reports: list[Report], flags: dict[str, Any], library: DocsLibrary | None) -> None:
    """Read the pages of all valid tasks; progress on standard error."""
    # The documentation client and all below are loaded only where they are asked for.
    from quickstarted.page_checks import check_pages  # noqa: PLC0415

    ca = flags["upstream_ca"]
    for report in reports:
        if report.task is not None:
            task = with_docs_sites(report.task, flags["docs_site"])
            report.findings += check_pages(
                task,
                (ca,) if ca else (),
                lambda url: click.echo(f"reading {url}", err=True),
                library,
            )
            report.findings.sort(key=lambda one: one.position)


def _prove(reports: list[Report], flags: dict[str, Any], *, as_json: bool) -> int:
    """Prove the tasks that are valid, and return the exit code of what was found."""
    # Sandboxes, console and all below are loaded only where they are asked for.
    from quickstarted.cli import proof_words, proofs  # noqa: PLC0415

    def say(lines: list[str]) -> None:
        for line in [] if as_json else lines:
            click.echo(line)

    by_path = {report.path: report for report in reports}

    def proved(proof: Proof) -> None:
        by_path[proof.task.source.path].proof = proof_words.proof_json(proof)
        say(proof_words.proof_lines(proof))

    tasks = [report.task for report in reports if report.task is not None]
    done = proofs.prove_all(tasks, proofs.ProveFlags(**flags), proved)
    say(proof_words.closing_lines(done))
    return done.exit_code


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
    errors = f"{_count(counts['error'], 'error')}, " if counts["error"] else ""
    return (
        f"{_count(len(reports), 'task file')}: {invalid} invalid, {errors}"
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
        "proof": report.proof,
    }
