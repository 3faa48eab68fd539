"""What two runs of the same tasks say side by side: the document of `diff --json`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from quickstarted.condition import NO_DOCS
from quickstarted.figures.defaults import ALPHA, POWER
from quickstarted.results.document import Document

Shown = Literal["better", "worse", "no_difference"]
"""`no_difference`: none is shown, which is not that there is none."""

Facet = Literal["models", "image", "prompt", "arm", "enforcement"]
"""In what the attempts of two cells may differ so that their rates are not about the same."""

Metric = Literal["turns", "seconds", "tokens", "pages", "failed_commands", "cost_per_pass_usd"]


class CellName(Document):
    """One task, by one agent, under one condition."""

    task: str
    agent: str
    affordance_policy: str
    arm: str


class GroupName(Document):
    """One agent under one condition, over its tasks."""

    agent: str
    affordance_policy: str
    arm: str
    models_reported: list[str]


class Side(Document):
    """The attempts of a cell in one of the runs."""

    attempts: int
    evidential_runs: int
    passes: int
    pass_rate: float | None
    interval: tuple[float, float] | None
    """95% Wilson score interval."""


class Change(Document):
    """A figure of effort before and after: means over the attempts that gave evidence."""

    metric: Metric
    before: float | None
    """`cost_per_pass_usd` is what all attempts cost by those that passed; None where unknown."""
    after: float | None
    difference: float | None
    interval: tuple[float | None, float | None] | None
    """95% bootstrap interval of the difference; an end that is None is not bounded."""


class Mismatch(Document):
    """Why a cell cannot be compared."""

    facet: Facet
    before: list[str]
    """What attempts say; several where they do not agree among themselves."""
    after: list[str]


class CellComparison(Document):
    """One cell of both runs."""

    cell: CellName
    before: Side
    after: Side
    mismatches: list[Mismatch] = Field(default_factory=list)
    """Any: the cell is not compared, and has no difference."""
    difference: float | None = None
    """Rate after less rate before; None without evidence on both sides."""
    interval: tuple[float, float] | None = None
    """95%, Newcombe's hybrid score interval."""
    p_value: float | None = None
    """Of Fisher's exact test, two-sided."""
    p_adjusted: float | None = None
    """By Holm's method, for all cells that are compared."""
    shown: Shown | None = None
    """By `p_adjusted`."""
    detectable: float | None = None
    """The smallest true difference that so many attempts show with probability `POWER`."""
    effort: list[Change] = Field(default_factory=list)

    @property
    def compared(self) -> bool:
        """Whether there is a difference to speak of."""
        return self.difference is not None


class GroupComparison(Document):
    """All tasks of one agent under one condition, each compared with itself."""

    group: GroupName
    tasks: int
    difference: float
    """Weighted mean of the tasks' differences (Mantel and Haenszel)."""
    interval: tuple[float, float]
    """95%, of Newcombe's kind."""
    p_value: float
    """Of the exact conditional test over tasks, two-sided."""
    p_adjusted: float
    """By Holm's method, for all groups."""
    shown: Shown


class RunSide(Document):
    """One of the two runs as a whole."""

    harness_versions: list[str]
    created: float
    """Epoch seconds."""
    attempts: int
    evidential_runs: int
    passes: int


class Comparison(Document):
    """Two runs of the same tasks."""

    schema_version: Literal[1] = 1
    alpha: float = ALPHA
    power: float = POWER
    before: RunSide
    after: RunSide
    cells: list[CellComparison]
    """On both sides, in the order of the run before."""
    groups: list[GroupComparison]
    """Where an agent has more than one task that is compared."""
    only_before: list[CellName]
    only_after: list[CellName]
    notes: list[str]
    """What differs or holds, and is no reason not to compare."""

    @property
    def compared(self) -> list[CellComparison]:
        """Cells with evidence of the same kind on both sides."""
        return [cell for cell in self.cells if cell.compared]

    @property
    def refused(self) -> list[CellComparison]:
        """Cells whose two sides are not about the same."""
        return [cell for cell in self.cells if cell.mismatches]

    @property
    def without_evidence(self) -> list[CellComparison]:
        """Cells that have none on one side."""
        return [cell for cell in self.cells if not cell.mismatches and not cell.compared]

    @property
    def is_worse(self) -> bool:
        """
        Whether a regression is shown, of a cell or over the tasks of an agent.

        What changes without documentation is no fault of it: the arm `no-docs` counts only where
        there is no other.
        """
        return "worse" in self._shown

    @property
    def is_better(self) -> bool:
        """Whether an improvement is shown, in the same way."""
        return "better" in self._shown

    @property
    def _shown(self) -> set[Shown | None]:
        cells, groups = self.compared, self.groups
        if any(cell.cell.arm != NO_DOCS for cell in cells):
            cells = [cell for cell in cells if cell.cell.arm != NO_DOCS]
            groups = [group for group in groups if group.group.arm != NO_DOCS]
        return {cell.shown for cell in cells} | {group.shown for group in groups}
