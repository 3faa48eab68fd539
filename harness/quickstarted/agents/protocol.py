"""What an agent is: it gets an assignment and tools, acts, and says why it stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from quickstarted.agents.assignment import Assignment, Prompt
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.agents.programs.needs import Resident
    from quickstarted.tools import Toolbelt


class NamedAgent(Protocol):
    """
    What all agents tell of themselves.

    Shared by attempts, possibly at the same time: nothing of an attempt is kept in it.
    """

    is_replay: ClassVar[bool]
    """Whether every command is decisive for whose fault a failure is (DESIGN, rows 6 and 7)."""

    @property
    def name(self) -> str:
        """As on the command line; names the results folder."""

    @property
    def model(self) -> str | None:
        """That is asked for; None for an agent without one."""

    def lacks(self, assignment: Assignment) -> str | None:
        """Why there is nothing to run, or None when there is something."""

    def prepare(self) -> None:
        """
        Look for what the agent itself needs, before anything is started for it.

        Raises:
            ModelRejected: There is no key, or the vendor's package is missing.

        """

    def prompt(self, assignment: Assignment) -> Prompt | None:
        """What the agent's model is told; None for an agent without one."""


class ToolAgent(NamedAgent, Protocol):
    """Acts through the toolbelt and nothing else."""

    def run(self, assignment: Assignment, tools: Toolbelt) -> StopReason:
        """
        Work on the assignment until done or stuck.

        Raises:
            BudgetExceeded: A limit of the task was reached.
            Interrupted: Somebody asked to stop.
            AttemptFault: Sandbox, engine or model service failed.

        """


@runtime_checkable
class SandboxAgent(NamedAgent, Protocol):
    """A program that acts from inside the sandbox."""

    def move_in(self) -> Resident:
        """
        Make what acts in one attempt, and says what it needs of the sandbox.

        Raises:
            ModelRejected: There is no key, or no usable address.

        """


Agent = ToolAgent | SandboxAgent
"""Whoever works on a task."""
