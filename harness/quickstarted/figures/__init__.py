"""What may be concluded from the attempts of a cell: the gate, and how many attempts it takes."""

from quickstarted.figures.binomial import attempts_needed
from quickstarted.figures.gate import (
    any_false_below,
    gate_exit_code,
    gated,
    judge,
    plan_for,
    rule_for,
)
from quickstarted.figures.sequential import Decision, ErrorRates, SequentialPlan

__all__ = [
    "Decision",
    "ErrorRates",
    "SequentialPlan",
    "any_false_below",
    "attempts_needed",
    "gate_exit_code",
    "gated",
    "judge",
    "plan_for",
    "rule_for",
]
