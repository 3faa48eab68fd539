"""`quickstarted ci`: results, told to a CI system after the call that made them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from quickstarted.ci.comment import COMMENT_BYTES, Commenter
from quickstarted.ci.markdown import Surroundings, report_markdown
from quickstarted.ci.reading import read_results
from quickstarted.ci.telling import Place, Told, Wanted, tell
from quickstarted.cli.ci_flags import GITHUB_SUMMARY, JUNIT, place_of_program, workflow_command
from quickstarted.cli.typed_paths import TypedPath
from quickstarted.errors import CommentRefused, UsageError
from quickstarted.results import SuiteResult

EPILOG = """\
\b
Exit codes:
  0  everything was told; what could not be is noted
  3  there are no such results

\b
Examples:
  quickstarted ci results/
  quickstarted ci results/ --junit junit.xml --github-summary --github-annotations
  quickstarted ci results/ --github-comment --key nightly --base results-of-main/
"""


@dataclass(frozen=True, kw_only=True)
class _Options:
    junit: Path | None
    github_summary: bool
    github_annotations: bool
    github_comment: bool
    base: Path | None
    pr: int | None
    key: str | None
    title: str


@click.command("ci", short_help="tell a CI system of results", epilog=EPILOG)
@click.argument("results", type=TypedPath(path_type=Path, exists=True))
@JUNIT
@GITHUB_SUMMARY
@click.option(
    "--github-annotations", is_flag=True, help="Show failures beside the lines of a file."
)
@click.option(
    "--github-comment",
    is_flag=True,
    help="Write a comment on the pull request, or update the one that has the same key; needs"
    " GITHUB_TOKEN.",
)
@click.option(
    "--base",
    type=TypedPath(path_type=Path),
    metavar="RESULTS",
    help="Earlier results, such as those of the main branch: say what has changed since.",
)
@click.option(
    "--pr", type=click.IntRange(1), metavar="N", help="Pull request; default: the job's own."
)
@click.option(
    "--key",
    metavar="KEY",
    help="Tells comments of several jobs apart; default: the names of workflow and job.",
)
@click.option(
    "--title",
    metavar="TEXT",
    default="quickstarted",
    show_default=True,
    help="Heading of summary and comment.",
)
def command(results: Path, **flags: object) -> int:
    """
    Tell a CI system what RESULTS, a folder or a results.json, has.

    Without any option, print what a comment would say. `run` has the same options, but for the
    comment; this command is for results that were merged, or made by another job.
    """
    options = _Options(**flags)  # type: ignore[arg-type] # click has checked the types
    place = place_of_program()
    suite, folder = read_results(results, _note)
    around = Surroundings(
        title=options.title, link=place.job.run_url, changes=_changes(options.base, suite)
    )
    told = Told.of(suite, folder, around)
    wanted = Wanted(
        junit=options.junit,
        summary=options.github_summary,
        annotations=options.github_annotations,
    )
    tell(told, wanted, place, note=_note, command=workflow_command)
    if options.github_comment:
        _comment(told, place, options)
    if not (wanted.anything or options.github_comment):
        click.echo(_markdown(told), nl=False)
    return 0


def _changes(base: Path | None, suite: SuiteResult) -> str:
    """What has changed since *base*, as Markdown; without earlier results a note says why not."""
    if base is None:
        return ""
    # It needs scipy, and few calls need it.
    from quickstarted.comparison import compare  # noqa: PLC0415
    from quickstarted.console.diff_markdown import diff_markdown  # noqa: PLC0415

    try:
        before = read_results(base, _note).suite
    except UsageError as problem:
        _note(f"note: no comparison: {problem.message}")
        return ""
    return f"### What has changed\n\n{diff_markdown(compare(before, suite)).rstrip()}"


def _comment(told: Told, place: Place, options: _Options) -> None:
    """Write the comment; a job that cannot has a note, and goes on."""
    job = place.job
    number = options.pr or job.pull_request
    if not job.repository:
        _note("note: no comment: GITHUB_REPOSITORY is not set, as it is in GitHub Actions")
        return
    if number is None:
        _note("note: no comment: the job is about no pull request; --pr N names one")
        return
    if not job.token:
        _note("note: no comment: GITHUB_TOKEN is not set")
        return
    try:
        done = Commenter(job=job, pull_request=number).write(
            options.key or job.name or "quickstarted", _markdown(told)
        )
    except CommentRefused as refused:
        _note(f"note: {refused}")
        return
    click.echo(f"comment on #{number}: {done}")


def _markdown(told: Told) -> str:
    return report_markdown(told.suite, told.outcomes, told.around, limit_bytes=COMMENT_BYTES)


def _note(line: str) -> None:
    click.echo(line, err=True)
