"""Replay: reads the route as a reader would, then runs the documented commands in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from quickstarted.agents.protocol import Assignment, Prompt
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt


class ReplayAgent:
    """Runs the task's `replay` commands and stops at the first that fails."""

    is_replay: ClassVar[bool] = True
    name = "replay"
    model: str | None = None

    def lacks(self, assignment: Assignment) -> str | None:
        """A task without a `replay` block has nothing to run."""
        return None if assignment.replay else "the task has no `replay` block"

    def prepare(self) -> None:
        """It needs nothing."""

    def prompt(self, assignment: Assignment) -> Prompt | None:
        """It is told nothing that it would have to understand."""
        del assignment
        return None

    def run(self, assignment: Assignment, tools: Toolbelt) -> StopReason:
        """A page that cannot be read is on record and stops nothing: the commands are the test."""
        for url in assignment.route:
            tools.read_docs(url)
        for command in assignment.replay:
            if tools.bash(command).exit_code != 0:
                return StopReason.COMMAND_FAILED
        return StopReason.COMPLETED
