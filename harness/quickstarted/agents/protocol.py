"""What an agent is: it gets an assignment and tools, acts, and says why it stopped."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Protocol

from quickstarted.events import Usage
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What an agent may know of a task: never its check."""

    goal: str
    route: tuple[str, ...]
    """URLs of the documentation, in the order in which a reader takes them."""
    replay: tuple[str, ...]
    """The documented commands, for the agent that replays them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How an agent's phase ended."""

    stop_reason: StopReason
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    waited_s: float = 0.0
    """Seconds spent waiting for throttles and rate limits; not part of the budget."""


class Agent(Protocol):
    """
    Acts through the toolbelt and nothing else.

    `run` lets `AttemptFault` and `BudgetExceeded` pass: the attempt turns them into its ending.
    """

    name: str
    """As on the command line; names the results folder."""
    model: str | None
    is_replay: ClassVar[bool]
    """Whether every command is decisive for whose fault a failure is (DESIGN, rows 6 and 7)."""

    def lacks(self, assignment: Assignment) -> str | None:
        """Why there is nothing to run, or None when there is something."""

    def run(self, assignment: Assignment, tools: Toolbelt) -> Outcome:
        """Work on the assignment until done, stuck, or out of budget."""
