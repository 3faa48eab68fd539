"""`quickstarted run`: attempts, and what they say about the documentation."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from quickstarted.agents import agent_named
from quickstarted.cli.backends import backend_for
from quickstarted.cli.interrupts import interruptible
from quickstarted.cli.screen import Screen
from quickstarted.console.tables import suite_markdown
from quickstarted.errors import Interrupted, NotYetSupported, TaskInvalid, UsageError
from quickstarted.plan import DEFAULT_IMAGE, AttemptPlan
from quickstarted.results import ResultsDir, exit_code
from quickstarted.suite import SuiteHooks, run_suite
from quickstarted.task import Task, find_tasks, load_task, not_yet_supported, with_sites
from quickstarted.task.examples import find_example


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The flags of one call."""

    agent: str
    repeat: int
    out: Path
    image: str
    docs_site: tuple[str, ...]
    example: tuple[str, ...]
    keep_sandbox: bool
    upstream_ca: Path | None
    verbose: bool
    quiet: bool


EPILOG = """\
\b
Exit codes:
  0    every attempt that gave evidence passed
  1    a documentation gap
  2    no evidence at all: infrastructure, or the task itself
  3    the call or a task file is not valid
  130  interrupted: Ctrl-C once ends cleanly, twice at once

\b
Examples:
  quickstarted run tasks/demo.yaml --agent replay
  quickstarted run --agent replay --repeat 3 --out results/
  quickstarted run tasks/flask.yaml \\
    --docs-site https://flask.palletsprojects.com/en/stable/=docs/_build/html
"""


@click.command(
    "run", short_help="run one task or many and say whether the docs hold", epilog=EPILOG
)
@click.argument("task", nargs=-1)
@click.option("--agent", default="replay", show_default=True, help="Who acts: replay.")
@click.option(
    "--repeat", type=click.IntRange(1), default=1, show_default=True, help="Attempts of each task."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("results"),
    show_default=True,
    help="Folder for traces and results; an older result is kept aside, never overwritten.",
)
@click.option(
    "--image",
    default=DEFAULT_IMAGE,
    show_default=True,
    help="Container image of tasks that name none.",
)
@click.option(
    "--docs-site",
    multiple=True,
    metavar="PREFIX=DIR",
    help="Read the pages below the URL PREFIX from a local build of the documentation.",
)
@click.option("--example", multiple=True, metavar="NAME", help="Run a bundled example task.")
@click.option(
    "--keep-sandbox",
    is_flag=True,
    help="Keep what the agent left as an image for 7 days; see `check --sandbox`.",
)
@click.option(
    "--upstream-ca",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="More CAs (PEM) that the proxy trusts upstream; default: SSL_CERT_FILE and its kin.",
)
@click.option("--verbose", is_flag=True, help="Show the output of every command.")
@click.option("--quiet", is_flag=True, help="Show only the verdicts.")
def command(**flags: object) -> int:
    """
    Run attempts and say whether an agent that has only the docs reaches the outcome they promise.

    TASK is a task file, a folder or a glob; without one, every task in tasks/ is run.
    """
    task_args = flags.pop("task")
    assert isinstance(task_args, tuple)
    options = RunOptions(**flags)  # type: ignore[arg-type] # click has checked the types
    return run(_tasks(task_args, options), options)


def run(tasks: Sequence[Task], options: RunOptions) -> int:
    """Run *tasks* as *options* say and return the exit code."""
    agent = agent_named(options.agent)
    run_id = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    plans = [
        AttemptPlan(
            task=task,
            agent=agent,
            attempt=number,
            run_id=run_id,
            default_image=options.image,
            extra_ca_files=(options.upstream_ca,) if options.upstream_ca else (),
            keep_sandbox=options.keep_sandbox,
        )
        for task in tasks
        for number in range(1, options.repeat + 1)
    ]
    results = ResultsDir(options.out, nested=options.repeat > 1)
    for moved in results.set_aside(task.name for task in tasks):
        click.echo(f"note: {moved.old} is kept as {moved.kept_as}", err=True)
    screen = Screen(verbose=options.verbose, quiet=options.quiet)
    with (
        interruptible() as cancelled,
        backend_for(
            run_id,
            upstream_ca=options.upstream_ca,
            note=screen.note,
            cancelled=cancelled.is_set,
        ) as backend,
    ):
        hooks = SuiteHooks(
            started=screen.started,
            observer=screen.observe,
            note=screen.note,
            finished=screen.finished,
            tables=suite_markdown,
            cancelled=cancelled.is_set,
        )
        suite = run_suite(plans, backend, results, hooks)
    return Interrupted.exit_code if cancelled.is_set() else exit_code(suite.runs)


def _tasks(args: Sequence[str], options: RunOptions) -> list[Task]:
    """
    Load what the call names, with `--docs-site` applied.

    Raises:
        TaskInvalid: With the problems of all files.
        NotYetSupported: A task needs what this version cannot do.
        UsageError: No task, two of one name, or a `--docs-site` that is not one.

    """
    examples = [find_example(name).path for name in options.example]
    paths = examples + (find_tasks(args) if args or not examples else [])
    tasks, problems = [], []
    for path in paths:
        try:
            tasks.append(load_task(path))
        except TaskInvalid as invalid:
            problems.extend(invalid.problems)
    if problems:
        raise TaskInvalid(problems)
    tasks = [_with_sites(task, options.docs_site) for task in tasks]
    if missing := [line for task in tasks for line in not_yet_supported(task)]:
        raise NotYetSupported("\n".join(missing))
    _refuse_doubles(tasks)
    return tasks


def _with_sites(task: Task, docs_site: Sequence[str]) -> Task:
    sites = {}
    for pair in docs_site:
        prefix, separator, source = pair.partition("=")
        if not separator or not source:
            raise UsageError(f"--docs-site {pair}: write it as PREFIX=DIR")
        sites[prefix] = source
    try:
        return with_sites(task, sites, Path.cwd())
    except ValueError as exc:
        raise UsageError(f"--docs-site: {exc}") from exc


def _refuse_doubles(tasks: Sequence[Task]) -> None:
    """Results are filed by the task's name."""
    seen: dict[str, Task] = {}
    for task in tasks:
        first = seen.setdefault(task.name, task)
        if first is not task:
            raise UsageError(
                f"{first.source.path} and {task.source.path} both have the name {task.name}",
                hint="Give each task a name of its own: it names the results folder.",
            )
