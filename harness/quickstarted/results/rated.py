"""What a cell's rate is read with: k attempts at once, each model by itself, the gate."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from quickstarted.results.document import Document

Verdict = Literal["below", "not_below", "undecided"]
"""`below`: the attempts show it. `not_below`: they do not, though they could have."""

Undecided = Literal["no_evidence", "too_few", "models_differ"]
"""`too_few`: whatever had become of so few attempts, they could not have decided."""


class PassesOfK(Document):
    """What to expect of k attempts, estimated without bias from those that gave evidence."""

    k: int
    pass_at_k: float | None
    """That at least one of k passes (Chen et al. 2021)."""
    pass_hat_k: float | None
    """That all k pass, pass^k (Yao et al. 2024)."""
    refused: str | None = None
    """Why there is no figure."""


class ModelRate(Document):
    """The attempts of a cell that reported the same models."""

    models_reported: list[str]
    evidential_runs: int
    passes: int
    pass_rate: float
    interval: tuple[float, float]
    """95% Wilson score interval."""


class AutoRule(Document):
    """How `--repeat auto` decides: `quickstarted.figures.sequential`."""

    margin: float
    """A rate lower by this is to be found."""
    beta: float
    """At most so often it is not, with as many attempts as that takes."""
    most: int
    """Attempts of a cell."""
    false_below: float
    """How often a cell with the wanted rate is called below it; exact."""
    missed: float
    """How often one that is lower by the margin is not; exact."""


class GateRule(Document):
    """What `--min-pass-rate` asks of every cell."""

    min_pass_rate: float = Field(gt=0, le=1)
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """At most so often a cell whose true rate is the wanted one is called below it."""
    auto: AutoRule | None = None
    """The sequential test, with `--repeat auto`; else the exact binomial test."""


class GateResult(Document):
    """Whether the attempts of a cell show that its rate is below the wanted one."""

    verdict: Verdict
    undecided: Undecided | None = None
    """Why."""
    evidential_runs: int
    """Those that the test has used."""
    passes: int
    p_value: float | None = None
    """Probability of as few passes or fewer at the wanted rate; None in a sequential test."""
    detectable_rate: float | None = None
    """A cell with this true rate is called below 4 times out of 5, one with a lower rate more."""
    false_below: float | None = None
    """How often a cell with the wanted rate is called below it by as many attempts; exact."""
    needed: int | None = None
    """So many attempts with evidence can decide, where there are too few."""
