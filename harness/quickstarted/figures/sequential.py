"""
`--repeat auto`: attempts of a cell until its pass rate is decided, with the error rates stated.

Nothing here needs numpy or scipy, as it is at work while attempts are made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

from quickstarted.errors import UsageError
from quickstarted.figures.defaults import ALPHA, BETA, LOW_MARGIN, MARGIN, POWER
from quickstarted.figures.design import LONGEST, Design, Goal, design, with_most
from quickstarted.figures.lattice import walk
from quickstarted.results import RunResult
from quickstarted.verdict import PASSED

PRECISION = 1e-7

Side = Literal["below", "reached"]


class Decision(NamedTuple):
    """What the attempts of a cell have come to."""

    side: Side
    attempts: int
    """How many that gave evidence it took; later ones do not matter."""


class ErrorRates(NamedTuple):
    """How often a decision is wrong; exact, and true for the two rates that the test is about."""

    false_below: float
    """When the true rate is the wanted one."""
    missed: float
    """When it is lower by the margin."""


@dataclass(frozen=True)
class SequentialPlan:
    """
    Wald's sequential test of a pass rate, ended at a most number of attempts.

    Args:
        min_pass_rate: The wanted rate, above 0 and at most 1.
        margin: A rate lower by this is to be found; None: `MARGIN`, or half of a small rate.
        alpha: At most so often a cell with the wanted rate is called below it.
        beta: At most so often one that is lower by *margin* is not; not held where *longest* says
            fewer attempts than that takes (`error_rates` has what is true).
        longest: At most so many attempts that give evidence; None: as many as *beta* takes.

    Raises:
        UsageError: There is no such test.

    """

    min_pass_rate: float
    margin: float | None = None
    alpha: float = ALPHA
    beta: float = BETA
    longest: int | None = None

    def __post_init__(self) -> None:
        if not 0 < self.min_pass_rate <= 1:
            raise UsageError(f"a pass rate of {self.min_pass_rate} cannot be tested")
        if not 0 < self.indifference < self.min_pass_rate:
            raise UsageError(
                f"a margin of {self.indifference} below a rate of {self.min_pass_rate} leaves"
                " nothing to find",
                hint="Give a margin above 0 and below --min-pass-rate.",
            )
        # A call is refused before its first attempt, and not when a cell is to be decided.
        _ = self._design

    @property
    def indifference(self) -> float:
        """The margin that is used."""
        if self.margin is not None:
            return self.margin
        return min(MARGIN, self.min_pass_rate * LOW_MARGIN)

    @property
    def goal(self) -> Goal:
        """The two rates, and how surely they are told apart."""
        return Goal(
            reached=self.min_pass_rate,
            below=self.min_pass_rate - self.indifference,
            alpha=self.alpha,
            beta=self.beta,
        )

    @cached_property
    def most(self) -> int:
        """So many attempts that give evidence decide every cell."""
        if self.longest is not None:
            if self.longest > LONGEST:
                raise UsageError(
                    f"--repeat auto:{self.longest}: a sequential test has at most {LONGEST}"
                    " attempts",
                    hint="Leave the number out: it is then as many as the test takes.",
                )
            return self.longest
        most = with_most(self.goal)
        if most is None or most > LONGEST:
            raise UsageError(
                f"a rate of {self.min_pass_rate:.4g} cannot be told from"
                f" {self.goal.below:.4g} with {LONGEST} attempts",
                hint="Give a larger --margin.",
            )
        return most

    @cached_property
    def _design(self) -> Design:
        made = design(self.goal, self.most)
        if made is None:
            plural = "" if self.most == 1 else "s"
            raise UsageError(
                f"{self.most} attempt{plural} can never show that a rate is below"
                f" {self.min_pass_rate:.4g}, whatever becomes of them",
                hint="Let --repeat auto make more attempts.",
            )
        return made

    @property
    def error_rates(self) -> ErrorRates:
        """Exact."""
        return ErrorRates(self._design.at_reached.below, self._design.at_below.reached)

    def expected(self, rate: float) -> float:
        """The expected number of attempts when the true rate is *rate*; exact."""
        return walk(self._design.bounds, rate).attempts

    def called_below(self, rate: float) -> float:
        """Probability that a cell with the true rate *rate* is found to be below; exact."""
        return walk(self._design.bounds, rate).below

    @cached_property
    def detectable_rate(self) -> float:
        """The highest true rate that is found to be below with probability `POWER`."""
        low, high = 0.0, self.min_pass_rate
        while high - low > PRECISION:
            middle = (low + high) / 2
            low, high = (middle, high) if self.called_below(middle) >= POWER else (low, middle)
        return low

    def decide(self, outcomes: Sequence[bool]) -> Decision | None:
        """
        The first decision that the attempts come to; None: it takes more.

        Args:
            outcomes: Whether each attempt passed that gave evidence, by its number, which is the
                order of the test whatever the order in which they ended.

        """
        bounds, failures = self._design.bounds, 0
        for number, passed in enumerate(outcomes[: self.most]):
            failures += not passed
            if failures >= bounds.below_from[number]:
                return Decision("below", number + 1)
            if failures <= bounds.reached_to[number]:
                return Decision("reached", number + 1)
        return None

    def fewest_more(self, so_far: Sequence[RunResult]) -> int:
        """
        How many more attempts it takes at least until the cell is decided; 0: it is.

        Args:
            so_far: Attempts 1 to n of one cell, none missing in between.

        """
        outcomes = evidence_in_order(so_far)
        if self.decide(outcomes) is not None:
            return 0
        bounds, failures, made = self._design.bounds, outcomes.count(False), len(outcomes)
        for more in range(1, self.most - made + 1):
            number = made + more - 1
            if failures + more >= bounds.below_from[number]:
                return more
            if failures <= bounds.reached_to[number]:
                return more
        raise AssertionError("the bounds meet at the last attempt")


def evidence_in_order(runs: Sequence[RunResult]) -> list[bool]:
    """
    Whether each attempt passed that gave evidence, by its number, up to the first that is missing.

    What comes after a gap ended before the attempt in it; to count it would favour the quick ones.
    """
    by_number = {run.attempt: run for run in runs}
    outcomes = []
    for number in range(1, max(by_number, default=0) + 1):
        run = by_number.get(number)
        if run is None:
            break
        if run.classification.evidential:
            outcomes.append(run.classification is PASSED)
    return outcomes
