"""`quickstarted run`: attempts, and what they say about the documentation."""

from __future__ import annotations

import importlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import click

from quickstarted.arms import METAVAR as ARM
from quickstarted.cli.backends import (
    BackendChoice,
    allow_unenforced_option,
    backend_for,
    backend_option,
)
from quickstarted.cli.cells import cells_for, tasks_for
from quickstarted.cli.choosing import Chosen, choose, is_choice
from quickstarted.cli.ci_flags import ci_flags
from quickstarted.cli.cost_flags import cost_flags, prices_for
from quickstarted.cli.defaults_flags import defaults_flags, defaults_of, say_defaults
from quickstarted.cli.docs_flags import docs_flags, refuse_contradictions
from quickstarted.cli.executors import RAY, executor_flags, refuse_contradicting_executor
from quickstarted.cli.gate_flags import gate_flags, refuse_powerless, settled
from quickstarted.cli.interrupts import interruptible
from quickstarted.cli.matrix_flags import (
    flags_of,
    matrix_flags,
    matrix_of,
    typed_parameters,
)
from quickstarted.cli.notes import Say, say
from quickstarted.cli.progress_flags import progress_flags, refuse_text_and_json
from quickstarted.cli.prompts import show_prompts
from quickstarted.cli.run_options import RunCall, RunOptions
from quickstarted.cli.schedule_flags import schedule_flags
from quickstarted.cli.task_args import METAVAR
from quickstarted.cli.typed_paths import TypedPath
from quickstarted.condition import AFFORDANCE_POLICIES
from quickstarted.errors import Interrupted
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE

EPILOG = """\
\b
Exit codes:
  0    every attempt that gave evidence passed; with --min-pass-rate: no cell is shown to be below
  1    a documentation gap; with --min-pass-rate: a cell is shown to be below
  2    no evidence at all: infrastructure, or the task itself
  3    the call or a task file is not valid
  130  interrupted: Ctrl-C once ends cleanly, twice at once; or stopped at --max-spend

\b
Examples:
  quickstarted run tasks/demo.yaml --agent replay
  quickstarted run --agent replay --repeat 3 --out results/
  quickstarted run tasks/flask.yaml --agent claude --out results/
  quickstarted run --agent claude --min-pass-rate 0.9 --repeat auto
  quickstarted run tasks/flask.yaml --agent openai:MODEL --agent gemini:MODEL
  quickstarted run --matrix matrix.yaml --workers 8 --plan
  quickstarted run --agent claude -k "flask and not slow" --changed-since origin/main
  quickstarted run tasks/flask.yaml --agent claude --affordances all --affordances none
  quickstarted run tasks/flask.yaml --agent claude --arm docs --arm no-docs --max-spend 5
  quickstarted run --agent claude --repeat 5 --workers 8 --json > progress.jsonl
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
@gate_flags
@click.option(
    "--out",
    type=TypedPath(path_type=Path, file_okay=False),
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
@defaults_flags
@matrix_flags
@docs_flags
@cost_flags
@schedule_flags
@executor_flags
@ci_flags
@click.option(
    "--keep-sandbox",
    is_flag=True,
    help="Keep what the agent left as an image for 7 days; see `check --sandbox`.",
)
@click.option(
    "--upstream-ca",
    type=TypedPath(path_type=Path, exists=True, dir_okay=False),
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
@progress_flags
def command(**flags: object) -> int:
    """
    Run attempts and say whether an agent that has only the docs reaches the outcome they promise.

    TASK is a task file, a folder or a glob; without one, every task in tasks/ is run.
    """
    task_args = flags.pop("task")
    assert isinstance(task_args, tuple)
    context = click.get_current_context()
    typed = typed_parameters(context)
    matrix = matrix_of(context.params["matrix"], typed)
    if matrix is not None:
        flags |= flags_of(matrix, typed)
    options = RunOptions(typed=typed, **settled(flags))  # type: ignore[arg-type] # click has checked the types
    refuse_contradictions(options)
    refuse_contradicting_executor(options)
    refuse_text_and_json(options)
    if options.verbose:
        say_defaults(context, say)
    if options.show_prompt and not is_choice(options):
        return show_prompts(tasks_for(task_args, options, matrix))
    chosen = choose(cells_for(task_args, options, matrix), options, say)
    if options.show_prompt:
        return show_prompts(chosen.tasks)
    if chosen.nothing and not options.plan:
        nothing = importlib.import_module("quickstarted.cli.nothing_to_do")
        green: int = nothing.nothing_to_do(chosen.nothing, options)
        return green
    refuse_powerless(options.gate, (cell.repeat for cell in chosen.cells))
    if options.plan:
        plan = importlib.import_module("quickstarted.cli.plan")
        shown: int = plan.show_plan(chosen, options, defaults_of(context), as_json=options.as_json)
        return shown
    return run(chosen, options)


def run(chosen: Chosen, options: RunOptions) -> int:
    """Run the attempts that are *chosen* as *options* say and return the exit code."""
    agents = {cell.agent.name: cell.agent for cell in chosen.cells}
    prices = prices_for(options, list(agents.values()), _quiet if options.quiet else say)
    call = RunCall(
        run_id=f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}",
        attempts=chosen.attempts,
        whole=chosen.whole,
        shard=chosen.shard,
        nested=chosen.nested,
        prices=prices,
        options=options,
    )
    note = _quiet if options.quiet else say
    with interruptible() as cancelled:
        if options.executor.name == RAY:
            on_cluster = importlib.import_module("quickstarted.cli.on_cluster")
            code: int = on_cluster.run(call, cancelled.is_set, note)
        else:
            code = _run_here(call, cancelled.is_set, note)
    return Interrupted.exit_code if cancelled.is_set() else code


def _run_here(call: RunCall, cancelled: Callable[[], bool], note: Say) -> int:
    options = call.options
    with backend_for(
        call.run_id,
        upstream_ca=options.upstream_ca,
        note=note,
        cancelled=cancelled,
        choice=BackendChoice(
            name=options.backend,
            allow_unenforced=options.allow_unenforced,
            package_cache=not options.no_package_cache,
        ),
    ) as backend:
        backend.prepare(call.images)
        # The engine is at work now; the rest of the program is loaded meanwhile.
        attempts = importlib.import_module("quickstarted.cli.attempts")
        code: int = attempts.run_here(call, backend, cancelled)
    return code


def _quiet(line: str) -> None:
    del line
