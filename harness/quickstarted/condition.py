"""
Under what else than agent and task an attempt is made, so that conditions can be compared.

A condition is a dimension of a run like agents and repeats: each agent tries each task under each
of them, and no figure is ever made of two. The one kind so far is how much of what a site makes for
agents is served; a further kind is a field here and a part of `parts`, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from quickstarted.errors import UsageError

AffordancePolicy = Literal["all", "none"]
"""Whether pages that are made for agents are served."""
AFFORDANCE_POLICIES: tuple[AffordancePolicy, ...] = get_args(AffordancePolicy)


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition; equal ones may be compared and pooled, others never."""

    affordances: str = "all"
    """An `AffordancePolicy`, or what the trace of a newer version names."""

    @property
    def parts(self) -> tuple[str, ...]:
        """What differs from a run without any flag, e.g. `affordances-none`."""
        return () if self.affordances == "all" else (f"affordances-{self.affordances}",)

    @property
    def suffix(self) -> str:
        """What folders add to the name of an agent: `+affordances-none`; empty for no flag."""
        return "".join(f"+{part}" for part in self.parts)

    @property
    def label(self) -> str:
        """The same for people: `affordances none`; empty for no flag."""
        return ", ".join(part.replace("-", " ") for part in self.parts)


DEFAULT_CONDITION = Condition()


def conditions_of(affordances: Sequence[str]) -> tuple[Condition, ...]:
    """
    The conditions that a call names, in its order.

    Args:
        affordances: What was given to `--affordances`; nothing means `all`.

    Raises:
        UsageError: One is given more than once.

    """
    if doubles := sorted({name for name in affordances if affordances.count(name) > 1}):
        raise UsageError(f"--affordances {', '.join(doubles)} is given more than once")
    return tuple(Condition(affordances=name) for name in affordances) or (DEFAULT_CONDITION,)
