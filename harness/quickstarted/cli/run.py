"""`quickstarted run`: attempts, and what they say about the documentation."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Sequence
from pathlib import Path

import click

from quickstarted.agents import Agent, agent_named
from quickstarted.arms import METAVAR as ARM
from quickstarted.arms import Arm, arms_of, crossed
from quickstarted.cli.backends import (
    BackendChoice,
    allow_unenforced_option,
    backend_for,
    backend_option,
)
from quickstarted.cli.cost_flags import cost_flags, prices_for
from quickstarted.cli.docs_flags import docs_flags, refuse_contradictions
from quickstarted.cli.interrupts import interruptible
from quickstarted.cli.prompts import show_prompts
from quickstarted.cli.run_options import RunCall, RunOptions
from quickstarted.cli.schedule_flags import schedule_flags
from quickstarted.cli.task_args import METAVAR, refuse_doubles, with_docs_sites
from quickstarted.condition import AFFORDANCE_POLICIES, NO_DOCS, conditions_of
from quickstarted.errors import (
    Interrupted,
    NotYetSupported,
    TaskInvalid,
    UsageError,
)
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE
from quickstarted.task import Task, find_tasks, load_task, not_yet_supported
from quickstarted.task.examples import find_example

EPILOG = """\
\b
Exit codes:
  0    every attempt that gave evidence passed
  1    a documentation gap
  2    no evidence at all: infrastructure, or the task itself
  3    the call or a task file is not valid
  130  interrupted: Ctrl-C once ends cleanly, twice at once; or stopped at --max-spend

\b
Examples:
  quickstarted run tasks/demo.yaml --agent replay
  quickstarted run --agent replay --repeat 3 --out results/
  quickstarted run tasks/flask.yaml --agent claude --out results/
  quickstarted run tasks/flask.yaml --agent openai:MODEL --agent gemini:MODEL
  quickstarted run tasks/flask.yaml --agent claude --affordances all --affordances none
  quickstarted run tasks/flask.yaml --agent claude --arm docs --arm no-docs --max-spend 5
  quickstarted run tasks/flask.yaml \\
    --docs-site https://flask.palletsprojects.com/en/stable/=docs/_build/html
"""


@click.command(
    "run", short_help="run one task or many and say whether the docs hold", epilog=EPILOG
)
@click.argument("task", nargs=-1)
@click.option(
    "--agent",
    multiple=True,
    default=("replay",),
    show_default="replay",
    metavar="AGENT",
    help="Who acts: replay, claude[:MODEL], openai:MODEL or gemini:MODEL. Several: each of them,"
    " on each task.",
)
@click.option("--model", help="Model of the agents that name none.")
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
    metavar=METAVAR,
    help="Read the pages below the URL PREFIX from a local build of the docs or from a preview.",
)
@click.option("--example", multiple=True, metavar="NAME", help="Run a bundled example task.")
@click.option(
    "--affordances",
    multiple=True,
    type=click.Choice(AFFORDANCE_POLICIES),
    default=("all",),
    show_default="all",
    help="none: withhold llms.txt and Markdown versions of pages. Both: attempts of each kind.",
)
@click.option(
    "--arm",
    multiple=True,
    default=("docs",),
    show_default="docs",
    metavar=ARM,
    help="docs; no-docs: there is no documentation to read; NAME=FOLDER: the folder's content (an"
    " AGENTS.md, a skill) is put into the workspace. Several: attempts of each.",
)
@click.option(
    "--probe-affordances",
    is_flag=True,
    help="Record which affordances for agents the documentation has, before the agent starts.",
)
@docs_flags
@cost_flags
@schedule_flags
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
@click.option(
    "--no-package-cache",
    is_flag=True,
    help="Fetch every package from its registry, and keep none for later runs.",
)
@backend_option
@allow_unenforced_option
@click.option(
    "--show-prompt",
    is_flag=True,
    help="Print what every model is told of each task, and its hash; run nothing.",
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
    refuse_contradictions(options)
    tasks = _tasks(task_args, options)
    return show_prompts(tasks) if options.show_prompt else run(tasks, options)


def run(tasks: Sequence[Task], options: RunOptions) -> int:
    """Run *tasks* as *options* say and return the exit code."""
    agents = _agents(options)
    arms = _arms(options, agents)
    conditions = crossed(conditions_of(options.affordances), arms)
    prices = prices_for(options, agents, _quiet if options.quiet else _say)
    run_id = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
    with (
        interruptible() as cancelled,
        backend_for(
            run_id,
            upstream_ca=options.upstream_ca,
            note=_quiet if options.quiet else _say,
            cancelled=cancelled.is_set,
            choice=BackendChoice(
                name=options.backend,
                allow_unenforced=options.allow_unenforced,
                package_cache=not options.no_package_cache,
            ),
        ) as backend,
    ):
        backend.prepare(dict.fromkeys(task.image or options.image for task in tasks))
        # The engine is at work now; the rest of the program is loaded meanwhile.
        call = RunCall(
            run_id=run_id,
            tasks=tasks,
            agents=agents,
            conditions=conditions,
            arms=arms,
            prices=prices,
            options=options,
        )
        attempts = importlib.import_module("quickstarted.cli.attempts")
        code = attempts.run(call, backend, cancelled.is_set)
    return Interrupted.exit_code if cancelled.is_set() else code


def _agents(options: RunOptions) -> list[Agent]:
    """
    Make the agents that the call names.

    Raises:
        UsageError: One does not exist, is named twice, or `--model` has no use.
        NotYetSupported: One is announced, and not in this version.

    """
    agents = [agent_named(name, options.model) for name in options.agent]
    names = [agent.name for agent in agents]
    if doubles := sorted({name for name in names if names.count(name) > 1}):
        raise UsageError(f"--agent {', '.join(doubles)} is given more than once")
    if options.model and not any(agent.model == options.model for agent in agents):
        raise UsageError(
            f"--model {options.model}: none of the agents takes it",
            hint="Give it with --agent claude, and without a model of the agent's own.",
        )
    return agents


def _arms(options: RunOptions, agents: Sequence[Agent]) -> tuple[Arm, ...]:
    """
    The arms that the call names.

    Raises:
        UsageError: One is not valid, or makes no sense for one of *agents*.

    """
    arms = arms_of(options.arm)
    replays = [agent.name for agent in agents if agent.is_replay]
    if replays and any(arm.name == NO_DOCS for arm in arms):
        raise UsageError(
            f"--arm {NO_DOCS}: --agent {replays[0]} runs what the documentation says, and knows"
            " nothing without it",
            hint="Give an agent that is a model.",
        )
    return arms


def _say(line: str) -> None:
    click.echo(line, err=True)


def _quiet(line: str) -> None:
    del line


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
    tasks = [with_docs_sites(task, options.docs_site) for task in tasks]
    if missing := [line for task in tasks for line in not_yet_supported(task)]:
        raise NotYetSupported("\n".join(missing))
    refuse_doubles(tasks)
    return tasks
