"""
An agent that does nothing: what is left is the task's own preparation, and the check that judges it.

Not to be chosen on the command line: it shows something about a task's check, never about docs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from quickstarted.agents.protocol import Assignment, Outcome
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

    def run(self, assignment: Assignment, tools: Toolbelt) -> Outcome:
        """Leave the workspace as `setup` made it."""
        del assignment, tools
        return Outcome(stop_reason=StopReason.COMPLETED)
