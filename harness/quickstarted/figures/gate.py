"""
`--min-pass-rate`: a cell fails when its attempts show that its rate is too low, and only then.

An attempt fails now and then where documentation is good, so a gate that is red for any failure is
red for no reason, and the more often the more attempts there are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from quickstarted.figures.binomial import (
    attempts_needed,
    detectable_rate,
    false_below,
    is_below,
    p_below,
)
from quickstarted.figures.sequential import SequentialPlan, evidence_in_order
from quickstarted.results import (
    AutoRule,
    CellResult,
    GateResult,
    GateRule,
    RunResult,
    SuiteResult,
    exit_code,
)
from quickstarted.verdict import PASSED

DECIMALS = 6


def rule_for(min_pass_rate: float, plan: SequentialPlan | None = None) -> GateRule:
    """What is asked of every cell, as results have it; *plan* with `--repeat auto`."""
    if plan is None:
        return GateRule(min_pass_rate=min_pass_rate)
    rates = plan.error_rates
    return GateRule(
        min_pass_rate=min_pass_rate,
        alpha=plan.alpha,
        auto=AutoRule(
            margin=plan.indifference,
            beta=plan.beta,
            most=plan.most,
            false_below=round(rates.false_below, DECIMALS),
            missed=round(rates.missed, DECIMALS),
        ),
    )


@lru_cache(maxsize=8)
def plan_for(rule: GateRule) -> SequentialPlan | None:
    """The sequential test of *rule*; None where all attempts are made before it is decided."""
    if rule.auto is None:
        return None
    return SequentialPlan(
        rule.min_pass_rate,
        margin=rule.auto.margin,
        alpha=rule.alpha,
        beta=rule.auto.beta,
        longest=rule.auto.most,
    )


def gated(suite: SuiteResult, rule: GateRule) -> SuiteResult:
    """
    *suite* with what the gate says of every cell.

    What fails without documentation is no fault of it: cells of the arm `no-docs` are judged only
    where there are no others, as `exit_code` has it.
    """
    runs: dict[tuple[object, ...], list[RunResult]] = {}
    for run in suite.runs:
        runs.setdefault((*run.cell_key, run.arm_hash), []).append(run)
    judged_keys = {key for key, of_cell in runs.items() if of_cell[0].condition.has_docs} or set(
        runs
    )
    cells = []
    for cell in suite.cells:
        key = (*_key(cell), cell.arm_hash)
        gate = judge(runs[key], rule) if key in judged_keys else None
        cells.append(cell.model_copy(update={"gate": gate}))
    return suite.model_copy(update={"gate": rule, "cells": cells})


def judge(runs: Sequence[RunResult], rule: GateRule) -> GateResult:
    """
    What the attempts of one cell show.

    Args:
        runs: Of the cell, in any order; only those that gave evidence matter.
        rule: What is asked of it.

    """
    evidence = [run for run in runs if run.classification.evidential]
    passes = sum(run.classification is PASSED for run in evidence)
    if not evidence:
        return GateResult(verdict="undecided", undecided="no_evidence", evidential_runs=0, passes=0)
    if len({tuple(run.models_reported) for run in evidence}) > 1:
        return GateResult(
            verdict="undecided",
            undecided="models_differ",
            evidential_runs=len(evidence),
            passes=passes,
        )
    plan = plan_for(rule)
    if plan is not None:
        return _sequential(evidence_in_order(runs), plan)
    return _binomial(passes, len(evidence), rule)


def gate_exit_code(suite: SuiteResult, *, strict_inconclusive: bool = False) -> int:
    """
    What the program says to its caller.

    Returns:
        Without a gate that of `exit_code`. With one: 1 when a cell is below, else 2 when one is
        undecided (1 with *strict_inconclusive*) or there is none, else 0.

    """
    if suite.gate is None:
        return exit_code(suite.runs, strict_inconclusive=strict_inconclusive)
    verdicts = {cell.gate.verdict for cell in suite.cells if cell.gate is not None}
    if "below" in verdicts:
        return 1
    if verdicts == {"not_below"}:
        return 0
    return 1 if strict_inconclusive else 2


def any_false_below(suite: SuiteResult) -> float:
    """
    How often at least one cell of *suite* is called below, though all have the wanted rate.

    Each cell is judged at alpha by itself; cells are independent attempts, so this is exact.
    """
    none = 1.0
    for cell in suite.cells:
        if cell.gate is not None:
            none *= 1 - (cell.gate.false_below or 0.0)
    return 1 - none


def _binomial(passes: int, attempts: int, rule: GateRule) -> GateResult:
    rate, alpha = rule.min_pass_rate, rule.alpha
    could_show = detectable_rate(attempts, rate, alpha=alpha)
    if could_show is None:
        return GateResult(
            verdict="undecided",
            undecided="too_few",
            evidential_runs=attempts,
            passes=passes,
            p_value=_rounded(p_below(passes, attempts, rate)),
            false_below=0.0,
            needed=attempts_needed(rate, alpha=alpha),
        )
    return GateResult(
        verdict="below" if is_below(passes, attempts, rate, alpha=alpha) else "not_below",
        evidential_runs=attempts,
        passes=passes,
        p_value=_rounded(p_below(passes, attempts, rate)),
        detectable_rate=_rounded(could_show),
        false_below=_rounded(false_below(attempts, rate, alpha=alpha)),
    )


def _sequential(outcomes: Sequence[bool], plan: SequentialPlan) -> GateResult:
    decision = plan.decide(outcomes)
    used = outcomes if decision is None else outcomes[: decision.attempts]
    false_rate = _rounded(plan.error_rates.false_below)
    if decision is None:
        return GateResult(
            verdict="undecided",
            undecided="too_few",
            evidential_runs=len(used),
            passes=sum(used),
            false_below=false_rate,
            needed=plan.most,
        )
    return GateResult(
        verdict="below" if decision.side == "below" else "not_below",
        evidential_runs=len(used),
        passes=sum(used),
        detectable_rate=_rounded(plan.detectable_rate),
        false_below=false_rate,
    )


def _key(cell: CellResult) -> tuple[str, str, str, str]:
    return cell.task, cell.agent, cell.affordance_policy, cell.arm


def _rounded(value: float) -> float:
    return round(value, DECIMALS)
