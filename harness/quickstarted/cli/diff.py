"""`quickstarted diff`: whether a change has helped, and what so many attempts could have shown."""

from __future__ import annotations

from pathlib import Path

import click

from quickstarted.ci.reading import read_results
from quickstarted.cli.typed_paths import TypedPath
from quickstarted.comparison import Comparison, compare
from quickstarted.console.diff_markdown import diff_markdown
from quickstarted.console.diff_terminal import show_diff
from quickstarted.console.output import open_console
from quickstarted.errors import UsageError
from quickstarted.results import SuiteResult

EPILOG = """\
\b
Exit codes:
  0  compared; with --fail-on-regression: and none is shown
  1  a regression is shown (--fail-on-regression)
  2  nothing can be compared
  3  the call is not valid, or there are no results

\b
Examples:
  quickstarted diff results-main results
  quickstarted diff results-main results --fail-on-regression
  quickstarted diff results-main results --markdown >> "$GITHUB_STEP_SUMMARY"
  quickstarted diff results-main results --json | jq '.cells[] | select(.shown == "worse")'
"""

NOTHING_COMPARED = 2


@click.command(
    "diff",
    short_help="say whether a change helped, and what so many attempts could have shown",
    epilog=EPILOG,
)
@click.argument("before", type=TypedPath(path_type=Path, exists=True))
@click.argument("after", type=TypedPath(path_type=Path, exists=True))
@click.option("--fail-on-regression", is_flag=True, help="Exit with 1 where a regression is shown.")
@click.option("--json", "as_json", is_flag=True, help="Print all of it as one JSON document.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print it as Markdown.")
def command(
    *, before: Path, after: Path, fail_on_regression: bool, as_json: bool, as_markdown: bool
) -> int:
    """
    Compare two runs: pass rates with intervals, exact tests, effort, and what could be seen.

    BEFORE and AFTER are results folders, or results.json files. Cells are compared with themselves,
    and not at all where models, images, prompts, arms or enforcement differ.
    """
    if as_json and as_markdown:
        raise UsageError("--json and --markdown are two formats of the same", hint="Give one.")
    comparison = compare(_read(before), _read(after))
    if as_json:
        click.echo(comparison.model_dump_json(indent=2))
    elif as_markdown:
        click.echo(diff_markdown(comparison), nl=False)
    else:
        show_diff(comparison, open_console())
    return _exit_code(comparison, fail_on_regression=fail_on_regression)


def _exit_code(comparison: Comparison, *, fail_on_regression: bool) -> int:
    if not comparison.compared:
        return NOTHING_COMPARED
    return 1 if fail_on_regression and comparison.is_worse else 0


def _read(path: Path) -> SuiteResult:
    return read_results(path, lambda line: click.echo(line, err=True)).suite
