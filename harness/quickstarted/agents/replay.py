"""
Replay: reads the route as a reader would, then runs the documented commands in order.

They are listed in the task, or those of the pages themselves (`replay: from_docs`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from quickstarted.agents.assignment import Assignment, Prompt
from quickstarted.agents.from_docs import Walkthrough
from quickstarted.agents.kinds import AgentKind
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt


class ReplayAgent:
    """Runs the task's `replay` commands, or its pages, and stops at the first that fails."""

    is_replay: ClassVar[bool] = True
    name = "replay"
    model: str | None = None

    def lacks(self, assignment: Assignment) -> str | None:
        """A task without a `replay` block has nothing to run."""
        is_there = assignment.replay or assignment.replays_pages
        return None if is_there else "the task has no `replay` block"

    def prepare(self) -> None:
        """It needs nothing."""

    def prompt(self, assignment: Assignment) -> Prompt | None:
        """It is told nothing that it would have to understand."""
        del assignment
        return None

    def run(self, assignment: Assignment, tools: Toolbelt) -> StopReason:
        """A page that cannot be read is on record and stops nothing: the commands are the test."""
        if assignment.replays_pages:
            return Walkthrough(tools).take(assignment.route)
        for url in assignment.route:
            tools.read_docs(url)
        for command in assignment.replay:
            if tools.bash(command).exit_code != 0:
                return StopReason.COMMAND_FAILED
        return StopReason.COMPLETED


KIND = AgentKind(make=lambda _argument: ReplayAgent())
