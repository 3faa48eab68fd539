"""The flags that say what a CI system is told, and the telling."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from quickstarted.cli.typed_paths import TypedPath

if TYPE_CHECKING:
    from quickstarted.ci.telling import Place
    from quickstarted.results import SuiteResult

_Command = TypeVar("_Command", bound=Callable[..., Any])
JUNIT = click.option(
    "--junit",
    type=TypedPath(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write a JUnit XML report, as Jenkins, GitLab and others read it.",
)
GITHUB_SUMMARY = click.option(
    "--github-summary", is_flag=True, help="Append the figures to the summary of a GitHub job."
)
_FLAGS = (
    JUNIT,
    GITHUB_SUMMARY,
    click.option(
        "--github-annotations/--no-github-annotations",
        default=None,
        help="Show failures beside the lines of a file on GitHub; default: in GitHub Actions.",
    ),
)


class CiFlags(Protocol):
    """The values of the flags, among others."""

    @property
    def out(self) -> Path: ...  # noqa: D102
    @property
    def junit(self) -> Path | None: ...  # noqa: D102
    @property
    def github_summary(self) -> bool: ...  # noqa: D102
    @property
    def github_annotations(self) -> bool | None: ...  # noqa: D102


def ci_flags(command: _Command) -> _Command:
    """Give *command* the flags."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def tell_ci(flags: CiFlags, suite: SuiteResult, note: Callable[[str], None]) -> None:
    """Tell the CI system what *flags* ask for; what cannot be told is noted, and never raised."""
    annotations = flags.github_annotations
    if annotations is None:
        annotations = in_github_actions()
    if not (flags.junit or flags.github_summary or annotations):
        return
    # XML and all of it is loaded only where somebody wants it.
    from quickstarted.ci.markdown import Surroundings  # noqa: PLC0415
    from quickstarted.ci.telling import Told, Wanted, tell  # noqa: PLC0415

    place = place_of_program()
    tell(
        Told.of(suite, flags.out, Surroundings(link=place.job.run_url)),
        Wanted(junit=flags.junit, summary=flags.github_summary, annotations=annotations),
        place,
        note=note,
        command=workflow_command,
    )


def place_of_program() -> Place:
    """Where this program runs, as the environment has it."""
    from quickstarted.ci.checkout import Checkout  # noqa: PLC0415
    from quickstarted.ci.github import Job  # noqa: PLC0415
    from quickstarted.ci.telling import Place  # noqa: PLC0415

    return Place(
        job=Job.of(os.environ),
        checkout=Checkout.of(os.environ, Path.cwd()),
        is_gitlab=os.environ.get("GITLAB_CI") == "true",
    )


@contextmanager
def log_guarded(flush: Callable[[], None]) -> Iterator[None]:
    """
    In GitHub Actions, have nothing that commands print within taken for a command of the log.

    Args:
        flush: Puts on the log what was said within, where that is done in the background.

    """
    if not in_github_actions():
        yield
        return
    from quickstarted.ci.annotations import silencing  # noqa: PLC0415

    begin, end = silencing()
    workflow_command(begin)
    try:
        yield
    finally:
        flush()
        workflow_command(end)


def in_github_actions() -> bool:
    """Whether this is a step of a GitHub job."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def workflow_command(line: str) -> None:
    """
    Put *line* on the log; GitHub reads standard error as well as standard output.

    What was printed before it goes out first.
    """
    with suppress(OSError):
        sys.stdout.flush()
        click.echo(line, err=True)
