"""Which cells a call of `run` means: its tasks by its agents under its conditions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from quickstarted.agents import Agent, agent_named
from quickstarted.arms import Arm, arms_of, crossed
from quickstarted.cli.run_options import RunOptions
from quickstarted.cli.task_args import refuse_doubles, with_docs_sites
from quickstarted.condition import NO_DOCS, conditions_of
from quickstarted.errors import NotYetSupported, TaskInvalid, UsageError
from quickstarted.matrix import Cell, crossed_cells
from quickstarted.task import Task, find_tasks, load_task, not_yet_supported
from quickstarted.task.examples import find_example

if TYPE_CHECKING:
    from quickstarted.matrix.file import Matrix


def cells_for(
    task_args: Sequence[str], options: RunOptions, matrix: Matrix | None = None
) -> list[Cell]:
    """
    The cells that the call means, in the order of its tasks.

    Raises:
        UsageError: A flag is not valid, or what it names cannot go together.
        FileInvalid: With the problems of all task files, or of *matrix*.

    """
    tasks = tasks_for(task_args, options, matrix)
    if matrix is not None:
        from quickstarted.matrix.product import cells_of  # noqa: PLC0415 - see `tasks_for`

        return cells_of(matrix, tasks, options.repeat)
    agents = _agents(options)
    arms = _arms(options, agents)
    conditions = crossed(conditions_of(options.affordances), arms)
    return crossed_cells(tasks, agents, conditions, arms, repeat=options.repeat)


def tasks_for(args: Sequence[str], options: RunOptions, matrix: Matrix | None = None) -> list[Task]:
    """
    Load what the call or its *matrix* names, with `--docs-site` applied.

    Raises:
        FileInvalid: With the problems of all files.
        NotYetSupported: A task needs what this version cannot do.
        UsageError: No task, two of one name, or a `--docs-site` that is not one.

    """
    if matrix is not None:
        # Reading matrix files is loaded only where there is one.
        from quickstarted.matrix.product import task_paths  # noqa: PLC0415

        return loaded(task_paths(matrix), options)
    examples = [find_example(name).path for name in options.example]
    paths = examples + (find_tasks(args) if args or not examples else [])
    return loaded(paths, options)


def loaded(paths: Sequence[Path], options: RunOptions) -> list[Task]:
    """
    Load the task files *paths*, with `--docs-site` applied.

    Raises:
        TaskInvalid: With the problems of all files.
        NotYetSupported: A task needs what this version cannot do.
        UsageError: Two of one name, or a `--docs-site` that is not one.

    """
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
