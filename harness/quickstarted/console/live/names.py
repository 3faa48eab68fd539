"""How attempts and cells are called on one line, the same everywhere."""

from __future__ import annotations

from quickstarted.condition import Condition
from quickstarted.console.money import cost_said
from quickstarted.console.text import visible
from quickstarted.console.words import count, seconds
from quickstarted.console.words import label as verdict_of
from quickstarted.results import AttemptKey, CellKey, RunResult


def cell_name(cell: CellKey) -> str:
    """`flask claude`, `flask claude+no-docs`: task and folder of results; visible."""
    condition = Condition(affordances=cell.affordances, arm=cell.arm)
    return visible(f"{cell.task} {cell.agent}{condition.suffix}")


def attempt_name(key: AttemptKey, number_of_try: int = 1) -> str:
    """`flask claude #3`, `flask claude #3, try 2`; visible."""
    return f"{cell_name(key.cell)}{number_said(key, number_of_try)}"


def number_said(key: AttemptKey, number_of_try: int = 1) -> str:
    """What tells an attempt from the others of its cell: ` #3`, ` #3, try 2`."""
    again = f", try {number_of_try}" if number_of_try > 1 else ""
    return f" #{key.attempt}{again}"


def label(key: AttemptKey, number_of_try: int = 1) -> str:
    """What stands before each line of an attempt among others: `flask claude #3 | `; visible."""
    return f"{attempt_name(key, number_of_try)} | "


def ending(key: AttemptKey, result: RunResult, columns: int) -> str:
    """`[PASS] flask claude #3 (12.3 s, 4 turns, $0.0120)`; as many figures as fit; visible."""
    figures = [seconds(result.duration_seconds)]
    if result.turns:
        cost = cost_said(result.estimated_cost_usd, result.unpriced_models)
        figures += [count(result.turns, "turn"), visible(cost)]
    figures += [count(result.docs_pages_read, "page"), count(result.commands, "command")]
    head = f"[{verdict_of(result)}] {attempt_name(key, result.tries)}"
    while figures and len(said := f"{head} ({', '.join(figures)})") > columns:
        figures.pop()
    return said if figures else head
