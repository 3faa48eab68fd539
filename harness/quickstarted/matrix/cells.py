"""
Cells, and the order in which their attempts are made.

A cell is what a rate is made of: one task, by one agent, under one condition. What drifts while a
long call runs (a service, a site, a machine) is to drift for all cells alike, so their attempts are
interleaved, and those that differ in the condition alone stand next to each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quickstarted.agents.protocol import Agent
from quickstarted.arms import Arm
from quickstarted.condition import Condition
from quickstarted.task import Task

if TYPE_CHECKING:
    from quickstarted.results import CellKey

MOST_REPEAT = 10_000
"""Attempts of one cell; more is a slip of the finger, and planning it takes minutes."""


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One task, by one agent, under one condition, and how often."""

    task: Task
    agent: Agent
    condition: Condition
    arm: Arm
    """What `condition` calls by its name."""
    repeat: int
    """Attempts, from 1."""

    @property
    def key(self) -> CellKey:
        """What tells it from the others."""
        # The documents of results are loaded while the engine is at work already (cli.attempts).
        from quickstarted.results import CellKey  # noqa: PLC0415

        return CellKey(
            self.task.name, self.agent.name, self.condition.affordances, self.condition.arm
        )


def crossed_cells(
    tasks: Sequence[Task],
    agents: Sequence[Agent],
    conditions: Sequence[Condition],
    arms: Sequence[Arm],
    *,
    repeat: int,
) -> list[Cell]:
    """Every task by every agent under every condition; conditions change fastest."""
    by_name = {arm.name: arm for arm in arms}
    return [
        Cell(task=task, agent=agent, condition=condition, arm=by_name[condition.arm], repeat=repeat)
        for task in tasks
        for agent in agents
        for condition in conditions
    ]


def attempts_of(cells: Sequence[Cell]) -> list[tuple[Cell, int]]:
    """
    Every attempt as cell and number, in the order in which they are begun.

    The number changes slowest, so that all cells advance together; a cell that has all of its
    attempts stands back.
    """
    most = max((cell.repeat for cell in cells), default=0)
    return [
        (cell, number) for number in range(1, most + 1) for cell in cells if number <= cell.repeat
    ]


def is_nested(cells: Sequence[Cell]) -> bool:
    """
    Whether a task has several attempts, so that results need folders by agent and number.

    Asked of all cells of a call, before any choice among them: the same attempt then has the same
    folder in every shard and every selection.
    """
    names = [cell.task.name for cell in cells]
    return len(set(names)) < len(names) or any(cell.repeat > 1 for cell in cells)
