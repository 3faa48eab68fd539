"""
An agent that does nothing: what is left is what the task prepared, and the check that judges it.

Not to be chosen on the command line: it shows something about a task's check, never about docs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from quickstarted.agents.assignment import Assignment, Prompt
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt


class IdleAgent:
    """Reads nothing, runs nothing, and says that it is done."""

    is_replay: ClassVar[bool] = False
    name = "untouched"
    model: str | None = None

    def lacks(self, assignment: Assignment) -> str | None:
        """Nothing can always be done."""
        del assignment
        return None

    def prepare(self) -> None:
        """Nothing is needed."""

    def prompt(self, assignment: Assignment) -> Prompt | None:
        """There is no model to tell anything."""
        del assignment
        return None

    def run(self, assignment: Assignment, tools: Toolbelt) -> StopReason:
        """Leave the workspace as `setup` made it."""
        del assignment, tools
        return StopReason.COMPLETED
