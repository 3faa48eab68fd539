"""From the results of attempts to `results.json` and to the exit code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from quickstarted import __version__
from quickstarted.condition import Condition
from quickstarted.results.cells import cell_result
from quickstarted.results.costs import total_usd
from quickstarted.results.keys import AttemptKey
from quickstarted.results.models import (
    MissingAttempt,
    PriceSource,
    RunResult,
    Stopped,
    SuiteResult,
)
from quickstarted.verdict import DOCS_GAP, PASSED


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFacts:
    """What a call says of itself beside its attempts."""

    planned: int | None = None
    """Attempts."""
    stopped: Stopped | None = None
    max_spend_usd: float | None = None
    missing: Sequence[AttemptKey] = ()
    """Known not to come, where shards were joined without all of them."""


def suite_result(
    runs: Iterable[RunResult],
    *,
    created: float,
    call: CallFacts = CallFacts(),
) -> SuiteResult:
    """Put *runs* together; *created* is in epoch seconds. Cells stand in the order of the runs."""
    known = list(runs)
    cells: dict[tuple[str, str, Condition], list[RunResult]] = {}
    for run in known:
        cells.setdefault((run.task, run.agent, run.condition), []).append(run)
    return SuiteResult(
        harness_version=__version__,
        created=created,
        enforced=all(run.enforced for run in known),
        attempts_planned=call.planned,
        stopped=call.stopped,
        missing=[_missing(key) for key in call.missing],
        max_spend_usd=call.max_spend_usd,
        estimated_cost_usd=total_usd(run.spent_usd for run in known),
        unpriced_models=_unpriced(known),
        prices=_prices(known),
        cells=[cell_result(of_cell) for of_cell in cells.values()],
        runs=known,
    )


def exit_code(runs: Iterable[RunResult], *, strict_inconclusive: bool = False) -> int:
    """
    What the program says to its caller.

    Returns:
        0 when every attempt that gave evidence passed, 1 for a documentation gap, 2 when none gave
        evidence (1 with *strict_inconclusive*). What fails without documentation is no gap in it:
        attempts of the arm `no-docs` count only where there are no others.

    """
    known = list(runs)
    with_docs = [run for run in known if run.condition.has_docs]
    seen = {run.classification for run in with_docs or known}
    if DOCS_GAP in seen:
        return 1
    if PASSED in seen:
        return 0
    return 1 if strict_inconclusive else 2


def _missing(key: AttemptKey) -> MissingAttempt:
    return MissingAttempt(
        task=key.task,
        agent=key.agent,
        affordance_policy=key.affordances,
        arm=key.arm,
        attempt=key.attempt,
    )


def _unpriced(runs: Iterable[RunResult]) -> list[str]:
    return sorted({model for run in runs for model in run.unpriced_models})


def _prices(runs: Iterable[RunResult]) -> list[PriceSource]:
    """Of the attempts that used a model."""
    return list(dict.fromkeys(run.prices for run in runs if run.prices and run.turns))
