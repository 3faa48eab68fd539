"""From the attempts of one cell to its figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from quickstarted.results.costs import DECIMALS, add_usage, total_usd
from quickstarted.results.models import CellResult, Effort, RunResult
from quickstarted.results.rated import ModelRate, PassesOfK
from quickstarted.results.rates import pass_at_k, pass_hat_k, spread, wilson_interval
from quickstarted.results.suspects import suspect_pages
from quickstarted.verdict import PASSED, SKIPPED

USUAL_K = (2, 3, 5, 10)


def cell_result(runs: Sequence[RunResult]) -> CellResult:
    """
    The figures of one task, agent and condition.

    Where attempts that gave evidence report different models, nothing is made of all of them that
    depends on the model: the rates of each stand in `by_models`.

    Args:
        runs: Its attempts, at least one.

    """
    evidence = [run for run in runs if run.classification.evidential]
    passes = _passes(evidence)
    rates = list(_model_rates(evidence))
    alike = len(rates) < 2
    cost = total_usd(run.spent_usd for run in runs)
    return CellResult(
        task=runs[0].task,
        agent=runs[0].agent,
        affordance_policy=runs[0].affordance_policy,
        arm=runs[0].arm,
        arm_hash=runs[0].arm_hash,
        attempts=len(runs),
        evidential_runs=len(evidence),
        passes=passes,
        pass_rate=passes / len(evidence) if evidence and alike else None,
        interval=wilson_interval(passes, len(evidence)) if alike else None,
        of_k=list(_of_k(passes, len(evidence), len(runs), alike=alike)),
        by_models=[] if alike else rates,
        discarded=dict(
            Counter(
                run.classification
                for run in runs
                if not run.classification.evidential and run.classification is not SKIPPED
            )
        ),
        skipped=sum(run.classification is SKIPPED for run in runs),
        effort=_effort(evidence if alike else ()),
        models_reported=sorted({model for run in runs for model in run.models_reported}),
        tokens=add_usage(run.tokens for run in runs),
        estimated_cost_usd=cost,
        cost_per_pass_usd=(
            None if cost is None or not passes or not alike else round(cost / passes, DECIMALS)
        ),
        unpriced_models=sorted({model for run in runs for model in run.unpriced_models}),
        suspect_pages=suspect_pages(runs),
    )


def _passes(runs: Sequence[RunResult]) -> int:
    return sum(run.classification is PASSED for run in runs)


def _model_rates(evidence: Sequence[RunResult]) -> Iterator[ModelRate]:
    """In the order in which the models first come up."""
    by_models: dict[tuple[str, ...], list[RunResult]] = {}
    for run in evidence:
        by_models.setdefault(tuple(run.models_reported), []).append(run)
    for models, runs in by_models.items():
        passes = _passes(runs)
        interval = wilson_interval(passes, len(runs))
        assert interval is not None
        yield ModelRate(
            models_reported=list(models),
            evidential_runs=len(runs),
            passes=passes,
            pass_rate=passes / len(runs),
            interval=interval,
        )


def _of_k(passes: int, evidence: int, attempts: int, *, alike: bool) -> Iterator[PassesOfK]:
    for k in USUAL_K:
        if k > attempts:
            return
        refused = None if alike else "the attempts report different models"
        if refused is None and evidence < k:
            refused = f"{evidence} of {attempts} attempts gave evidence, and it takes {k}"
        yield PassesOfK(
            k=k,
            pass_at_k=None if refused else pass_at_k(passes, evidence, k),
            pass_hat_k=None if refused else pass_hat_k(passes, evidence, k),
            refused=refused,
        )


def _effort(runs: Sequence[RunResult]) -> Effort:
    return Effort(
        turns=spread([run.turns for run in runs]),
        seconds=spread([run.duration_seconds - run.waited_seconds for run in runs]),
        tokens=spread([run.tokens.total for run in runs]),
        pages=spread([run.docs_pages_read for run in runs]),
        failed_commands=spread([run.failed_commands for run in runs]),
    )
