"""What a model is told of a task, for who wants to read it before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

import click

from quickstarted.agents.assignment import Assignment
from quickstarted.agents.prompt import prompt_for
from quickstarted.task import Task


def show_prompts(tasks: Sequence[Task]) -> int:
    """Print the prompt of each task, as every model gets it, and its hash; the exit code."""
    for n, task in enumerate(tasks):
        if n:
            click.echo()
        # The documented commands are an agent's that replays them, and in no prompt.
        prompt = prompt_for(Assignment(goal=task.goal, route=task.route, replay=()))
        click.echo(f"== {task.name}: {prompt.hash}")
        click.echo(f"-- system\n{prompt.system}\n-- task\n{prompt.task}")
    return 0
