"""`quickstarted check`: only the success check, for whoever writes it."""

from __future__ import annotations

import os
from pathlib import Path

import click

from quickstarted.agents import agent_named
from quickstarted.check import plan_for, show_script
from quickstarted.cli.backends import BackendChoice, allow_unenforced_option, backend_for
from quickstarted.cli.interrupts import interruptible
from quickstarted.console.text import lines_of
from quickstarted.errors import Interrupted, UsageError
from quickstarted.plan import AttemptPlan
from quickstarted.rejudge import attempt_folder, backend_of, rejudge
from quickstarted.task import Task, load_task
from quickstarted.verdict import CheckEnding

EXIT_CODES = {CheckEnding.PASSED: 0, CheckEnding.FAILED: 1, CheckEnding.BROKEN: 2}


EPILOG = """\
\b
Exit codes: 0 it passes, 1 it fails, 2 it gives no verdict, 3 the call is not valid.

\b
Examples:
  quickstarted run tasks/x.yaml --keep-sandbox
  quickstarted check tasks/x.yaml --sandbox results/x
  quickstarted check tasks/x.yaml --show
"""


@click.command(
    "check", short_help="run only the success check against a kept sandbox", epilog=EPILOG
)
@click.argument("task", type=click.Path(path_type=Path))
@click.option(
    "--sandbox",
    "result_dir",
    type=click.Path(path_type=Path),
    metavar="RESULT_DIR",
    help="The attempt whose sandbox was kept (run --keep-sandbox).",
)
@allow_unenforced_option
@click.option("--show", is_flag=True, help="Print the script as it runs, and run nothing.")
def command(*, task: Path, result_dir: Path | None, allow_unenforced: bool, show: bool) -> int:
    """
    Run the success check of TASK against the workspace that an attempt left behind.

    The check as it stands in the file now: change it, and judge the same workspace again. Each
    time a new sandbox is made, so that one try cannot spoil the next.
    """
    loaded = load_task(task)
    if show:
        click.echo(show_script(plan_for(loaded)))
        return 0
    if result_dir is None:
        raise UsageError(
            "there is no sandbox to check",
            hint="Name the attempt that kept one: --sandbox RESULT_DIR; or --show.",
        )
    return _check(loaded, result_dir, allow_unenforced=allow_unenforced)


def _check(task: Task, result_dir: Path, *, allow_unenforced: bool) -> int:
    folder = attempt_folder(result_dir)
    choice = BackendChoice(name=backend_of(folder), allow_unenforced=allow_unenforced)
    run_id = f"check-{os.getpid()}"
    plan = AttemptPlan(task=task, agent=agent_named("replay"), attempt=1, run_id=run_id)
    with (
        interruptible() as cancelled,
        backend_for(
            run_id, upstream_ca=None, note=_note, cancelled=cancelled.is_set, choice=choice
        ) as backend,
    ):
        outcome = rejudge(plan, backend, folder, cancelled.is_set)
    if cancelled.is_set():
        return Interrupted.exit_code
    for line in lines_of(outcome.output):
        click.echo(line)
    click.echo(f"check {outcome.ending.value}: exit code {outcome.exit_code}", err=True)
    return EXIT_CODES[outcome.ending]


def _note(line: str) -> None:
    click.echo(line, err=True)
