"""`quickstarted doctor`: what is wrong with this machine, and the command that mends it."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, Self

import click
from rich.text import Text

from quickstarted import __version__
from quickstarted.cli.finite import FiniteRange
from quickstarted.console.output import Terminal, open_console
from quickstarted.console.text import visible
from quickstarted.console.words import count
from quickstarted.doctor.examination import Examination, gather, judge
from quickstarted.doctor.findings import Finding, Severity, exit_code, for_root
from quickstarted.doctor.tasks import task_paths
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE

SCHEMA_VERSION = 1
EPILOG = """\
\b
Exit codes:
  0    nothing is wrong; warnings do not count
  2    something keeps runs from giving evidence
  3    the call is not valid

\b
Examples:
  quickstarted doctor
  quickstarted doctor tasks/mine.yaml --image node:20-slim
  quickstarted doctor --json | jq '.findings[] | select(.severity == "error")'
"""
LABELS = {
    Severity.OK: "ok",
    Severity.WARNING: "warning",
    Severity.ERROR: "ERROR",
    Severity.NOT_APPLICABLE: "n/a",
}
STYLES = {
    Severity.OK: "green",
    Severity.WARNING: "yellow",
    Severity.ERROR: "bold red",
    Severity.NOT_APPLICABLE: "dim",
}
LABEL_COLUMNS = 8
ERASE_LINE = "\r\x1b[K"
HEADINGS = {
    "engine": "engine",
    "room": "room",
    "images": "images",
    "sandbox": "inside a sandbox",
    "agents": "agents and keys",
    "machine": "this machine",
    "tasks": "tasks",
}


@click.command("doctor", short_help="find what is wrong with this machine", epilog=EPILOG)
@click.argument("task", nargs=-1)
@click.option("--json", "as_json", is_flag=True, help="One JSON document for machines.")
@click.option(
    "--image",
    default=DEFAULT_IMAGE,
    show_default=True,
    help="The image that sandboxes are tried with.",
)
@click.option(
    "--timeout",
    type=FiniteRange(min=0.1, max=600),
    default=8.0,
    show_default=True,
    metavar="SECONDS",
    help="For each answer of the engine.",
)
def command(*, task: tuple[str, ...], as_json: bool, image: str, timeout: float) -> int:
    """
    Find what is wrong with this machine, and say which command mends it.

    Asks the container engine, opens sandboxes and looks out of them, and loads the task files
    that TASK names, by default those in tasks/. What it makes on the engine, it removes; it pulls
    and builds nothing.
    """
    paths = task_paths(task)
    with Progress() as progress:
        call = Examination(
            tasks=paths,
            image=image,
            answer_within_s=timeout,
            note=_quiet if as_json else progress.line,
        )
        findings = judge(gather(call, os.environ))
    if os.geteuid() == 0:
        findings = for_root(findings)
    if as_json:
        click.echo(json.dumps(document(findings), indent=2))
    else:
        show(findings, open_console())
    return exit_code(findings)


def document(findings: Sequence[Finding]) -> dict[str, Any]:
    """Everything, for machines."""
    return {
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "exit_code": exit_code(findings),
        "counts": counts(findings),
        "findings": [dataclasses.asdict(finding) for finding in findings],
    }


def counts(findings: Iterable[Finding]) -> dict[str, int]:
    """How many of each severity."""
    found = Counter(finding.severity for finding in findings)
    return {severity.value: found[severity] for severity in Severity}


def show(findings: Sequence[Finding], console: Terminal) -> None:
    """Groups with a line for each finding; below what is wrong, the command that mends it."""
    for group, members in groupby(findings, key=lambda finding: finding.group):
        console.print(Text(HEADINGS[group], style="bold"))
        for finding in members:
            for line in _lines(finding):
                console.print(line, soft_wrap=True)
    number = counts(findings)
    wrong = (count(number["warning"], "warning"), count(number["error"], "error"))
    console.print(
        f"{number['ok']} ok, {', '.join(wrong)}, {number['not_applicable']} not applicable"
    )


def _lines(finding: Finding) -> Iterator[Text]:
    head = Text("  ")
    head.append(f"{LABELS[finding.severity]:<{LABEL_COLUMNS}}", style=STYLES[finding.severity])
    head.append(f" {visible(finding.title)}")
    details = finding.detail.splitlines()
    margin = " " * (LABEL_COLUMNS + 3)
    if finding.severity in {Severity.OK, Severity.NOT_APPLICABLE}:
        if details:
            head.append(f" ({visible(details[0]).removesuffix('.')})", style="dim")
        yield head
        return
    yield head
    for line in details:
        yield Text(f"{margin}{visible(line)}")
    if finding.fix:
        yield Text(f"{margin}$ {finding.fix}", style="bold")


class Progress:
    """
    Says on standard error what is being done; a context manager.

    One line that is written over on a terminal, a line each elsewhere.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._is_terminal = sys.stderr.isatty()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._is_terminal:
            click.echo(ERASE_LINE, err=True, nl=False)

    def line(self, text: str) -> None:
        """Something begins."""
        text = f"[{time.monotonic() - self._began:5.1f} s] {visible(text)}"
        if self._is_terminal:
            width = shutil.get_terminal_size().columns - 1
            click.echo(f"{ERASE_LINE}{text[:width]}", err=True, nl=False)
        else:
            click.echo(text, err=True)


def _quiet(line: str) -> None:
    del line
