"""From the results of attempts to `results.json` and to the exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from quickstarted import __version__
from quickstarted.condition import Condition
from quickstarted.results.models import CellResult, Effort, RunResult, SuiteResult
from quickstarted.results.rates import spread, wilson_interval
from quickstarted.results.summary import add_usage
from quickstarted.verdict import DOCS_GAP, PASSED, SKIPPED


def suite_result(runs: Iterable[RunResult], *, created: float) -> SuiteResult:
    """Put *runs* together; *created* is in epoch seconds. Cells stand in the order of the runs."""
    known = list(runs)
    cells: dict[tuple[str, str, Condition], list[RunResult]] = {}
    for run in known:
        cells.setdefault((run.task, run.agent, run.condition), []).append(run)
    return SuiteResult(
        harness_version=__version__,
        created=created,
        enforced=all(run.enforced for run in known),
        cells=[cell_result(of_cell) for of_cell in cells.values()],
        runs=known,
    )


def cell_result(runs: Sequence[RunResult]) -> CellResult:
    """
    The figures of one task, agent and condition.

    Args:
        runs: Its attempts, at least one.

    """
    evidence = [run for run in runs if run.classification.evidential]
    passes = sum(run.classification is PASSED for run in evidence)
    costs = [run.estimated_cost_usd for run in runs]
    return CellResult(
        task=runs[0].task,
        agent=runs[0].agent,
        affordance_policy=runs[0].affordance_policy,
        attempts=len(runs),
        evidential_runs=len(evidence),
        passes=passes,
        pass_rate=passes / len(evidence) if evidence else None,
        interval=wilson_interval(passes, len(evidence)),
        discarded=dict(
            Counter(
                run.classification
                for run in runs
                if not run.classification.evidential and run.classification is not SKIPPED
            )
        ),
        skipped=sum(run.classification is SKIPPED for run in runs),
        effort=_effort(evidence),
        models_reported=sorted({model for run in runs for model in run.models_reported}),
        tokens=add_usage(run.tokens for run in runs),
        estimated_cost_usd=None if None in costs else sum(cost or 0.0 for cost in costs),
    )


def exit_code(runs: Iterable[RunResult], *, strict_inconclusive: bool = False) -> int:
    """
    What the program says to its caller.

    Returns:
        0 when every attempt that gave evidence passed, 1 for a documentation gap, 2 when none gave
        evidence (1 with *strict_inconclusive*).

    """
    seen = {run.classification for run in runs}
    if DOCS_GAP in seen:
        return 1
    if PASSED in seen:
        return 0
    return 1 if strict_inconclusive else 2


def _effort(runs: Sequence[RunResult]) -> Effort:
    return Effort(
        turns=spread([run.turns for run in runs]),
        seconds=spread([run.duration_seconds - run.waited_seconds for run in runs]),
        tokens=spread([run.tokens.total for run in runs]),
        pages=spread([run.docs_pages_read for run in runs]),
        failed_commands=spread([run.failed_commands for run in runs]),
    )
