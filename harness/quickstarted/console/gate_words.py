"""What a gate asks of cells and what it says of each, once for terminal and tables."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.condition import Condition
from quickstarted.console.words import count
from quickstarted.figures import any_false_below, plan_for
from quickstarted.results import CellResult, GateResult, GateRule, SuiteResult

VERDICTS = {"below": "below", "not_below": "not below", "undecided": "undecided"}


def gate_lines(suite: SuiteResult) -> Iterator[str]:
    """The rule and a line for every cell; nothing without a gate; not yet `visible`."""
    rule = suite.gate
    judged = [cell for cell in suite.cells if cell.gate is not None]
    if rule is None or not judged:
        return
    yield rule_said(rule)
    for cell in judged:
        assert cell.gate is not None
        yield f"{VERDICTS[cell.gate.verdict]}: {_name(cell)}: {verdict_said(cell.gate, rule)}"
    if len(judged) > 1:
        yield together_said(suite)


def rule_said(rule: GateRule) -> str:
    """What is asked, and by which test."""
    asked = f"--min-pass-rate {rule.min_pass_rate:g}"
    if rule.auto is None:
        return (
            f"{asked}: a cell fails where its attempts show, at a level of {rule.alpha:.0%}, that"
            " its rate is lower (exact binomial test, one-sided)"
        )
    return f"{asked} --repeat auto: {auto_said(rule)}"


def auto_said(rule: GateRule) -> str:
    """The sequential test with its error rates, and the attempts to expect of it."""
    auto, plan = rule.auto, plan_for(rule)
    assert auto is not None
    assert plan is not None
    low = rule.min_pass_rate - auto.margin
    return (
        f"attempts are made until a cell is decided, at most {auto.most}; a cell that truly passes"
        f" {_rate(rule.min_pass_rate)} is called below in {_rate(auto.false_below)} of cases and"
        f" takes {plan.expected(rule.min_pass_rate):.1f} attempts on the average, one that passes"
        f" {_rate(low)} is missed in {_rate(auto.missed)} and takes {plan.expected(low):.1f}; one"
        f" that always passes takes {plan.expected(1.0):.0f}"
    )


def verdict_said(gate: GateResult, rule: GateRule) -> str:
    """Why, and what such attempts could have shown."""
    passed = f"{gate.passes:,} of {gate.evidential_runs:,} passed"
    match gate.undecided:
        case "no_evidence":
            return "no attempt gave evidence"
        case "models_differ":
            return "its attempts report different models, which are not one rate"
        case "too_few":
            return (
                f"{passed}; {count(gate.evidential_runs, 'attempt')} with evidence did not decide,"
                f" {'up to ' if rule.auto else ''}{gate.needed:,} can"
            )
    could = ""
    if gate.detectable_rate is not None:
        could = f"; a true rate of {_rate(gate.detectable_rate)} or less is found in 4 of 5 cases"
    if gate.p_value is None:
        return f"{passed}, which decides it{could}"
    chance = "less than 0.1%" if gate.p_value < 0.001 else _rate(gate.p_value)
    return (
        f"{passed}; at a rate of {_rate(rule.min_pass_rate)} as few or fewer do in {chance} of"
        f" cases{could}"
    )


def together_said(suite: SuiteResult) -> str:
    """Each cell is judged by itself; what that comes to for all of them."""
    judged = sum(cell.gate is not None for cell in suite.cells)
    return (
        f"each cell is judged by itself: if all {judged} had exactly the wanted rate, one or more"
        f" would be called below in {_rate(any_false_below(suite))} of runs"
    )


def _name(cell: CellResult) -> str:
    label = Condition(affordances=cell.affordance_policy, arm=cell.arm).label
    return f"{cell.task} by {cell.agent}{', ' if label else ''}{label}"


def _rate(value: float) -> str:
    """`90%`, `4.6%`, `0.3%`."""
    percent = 100 * value
    return f"{percent:.0f}%" if percent >= 10 or percent == round(percent) else f"{percent:.1f}%"
