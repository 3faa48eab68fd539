"""
Under what else than agent and task an attempt is made, so that conditions can be compared.

A condition is a dimension of a run like agents and repeats: each agent tries each task under each
of them, and no figure is ever made of two. There are two kinds: how much of what a site makes for
agents is served, and the arm, which is what an agent has beside or in place of documentation. A
further kind is a field here and a part of `parts`, and nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from quickstarted.errors import UsageError

AffordancePolicy = Literal["all", "none"]
"""Whether pages that are made for agents are served."""
AFFORDANCE_POLICIES: tuple[AffordancePolicy, ...] = get_args(AffordancePolicy)

DOCS = "docs"
"""The arm of a run without any flag: the documentation, and nothing else."""
NO_DOCS = "no-docs"
"""The arm in which there is no documentation to read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition; equal ones may be compared and pooled, others never."""

    affordances: str = "all"
    """An `AffordancePolicy`, or what the trace of a newer version names."""
    arm: str = DOCS
    """`docs`, `no-docs`, or the name of a folder that is put into the workspace (`--arm`)."""
    arm_hash: str | None = None
    """Digest of that folder: an arm whose content has changed is another one."""

    @property
    def has_docs(self) -> bool:
        """Whether documentation can be read at all."""
        return self.arm != NO_DOCS

    @property
    def parts(self) -> tuple[str, ...]:
        """What differs from a run without any flag, e.g. `affordances-none`, `no-docs`."""
        affordances = () if self.affordances == "all" else (f"affordances-{self.affordances}",)
        return (*affordances, *(() if self.arm == DOCS else (self.arm,)))

    @property
    def suffix(self) -> str:
        """What folders add to the name of an agent: `+affordances-none`; empty for no flag."""
        return "".join(f"+{part}" for part in self.parts)

    @property
    def label(self) -> str:
        """The same for people: `affordances none, arm skill`; empty for no flag."""
        words = [] if self.affordances == "all" else [f"affordances {self.affordances}"]
        if self.arm == NO_DOCS:
            words.append("no docs")
        elif self.arm != DOCS:
            words.append(f"arm {self.arm}")
        return ", ".join(words)


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
