"""Replay: reads the route as a reader would, then runs the documented commands in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from quickstarted.agents.protocol import Assignment, Outcome
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt


class ReplayAgent:
    """Runs the task's `replay` commands and stops at the first that fails."""

    is_replay: ClassVar[bool] = True
    name = "replay"

    def __init__(self, model: str | None = None) -> None:
        self.model = model

    def lacks(self, assignment: Assignment) -> str | None:
        """A task without a `replay` block has nothing to run."""
        return None if assignment.replay else "the task has no `replay` block"

    def run(self, assignment: Assignment, tools: Toolbelt) -> Outcome:
        """A page that cannot be read is on record and stops nothing: the commands are the test."""
        for url in assignment.route:
            tools.read_docs(url)
        for command in assignment.replay:
            if tools.bash(command).exit_code != 0:
                return Outcome(stop_reason=StopReason.COMMAND_FAILED)
        return Outcome(stop_reason=StopReason.COMPLETED)
