"""What `suite.md` says of rates beside the table: the gate, models, k attempts, where to look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from quickstarted.condition import Condition
from quickstarted.console.gate_words import VERDICTS, rule_said, together_said, verdict_said
from quickstarted.console.markdown import code, table
from quickstarted.console.text import visible
from quickstarted.results import CellResult, SuiteResult

PAGES = 5
"""Suspect pages of a cell that are named."""


def rate_sections(suite: SuiteResult) -> Iterator[str]:
    """Headings and tables; each only where there is something in it."""
    yield from _gate(suite)
    yield from _models(suite)
    yield from _of_k(suite)
    yield from _suspects(suite)


def _gate(suite: SuiteResult) -> Iterator[str]:
    rule = suite.gate
    if rule is None:
        return
    yield "## The wanted rate"
    yield f"{rule_said(rule)}."
    judged = [(cell, cell.gate) for cell in suite.cells if cell.gate is not None]
    if not judged:
        yield "It is judged once the attempts of all shards are together (`quickstarted merge`)."
        return
    yield table(
        ("cell is", "task", "agent", "affordances", "arm", "why"),
        (
            (_verdict(gate.verdict), *_names(cell), visible(verdict_said(gate, rule)))
            for cell, gate in judged
        ),
    )
    if len(judged) > 1:
        yield f"{together_said(suite).capitalize()}."


def _verdict(verdict: str) -> str:
    said = VERDICTS[verdict]
    return said if verdict == "not_below" else f"**{said}**"


def _models(suite: SuiteResult) -> Iterator[str]:
    mixed = [cell for cell in suite.cells if cell.by_models]
    if not mixed:
        return
    yield "## Cells whose attempts report different models"
    yield "They have no rate: attempts of different models are not one number."
    yield table(
        ("task", "agent", "affordances", "arm", "models", "passed", "rate", "95% interval"),
        (
            (
                *_names(cell),
                code(", ".join(one.models_reported) or "none"),
                f"{one.passes:,} of {one.evidential_runs:,}",
                f"{one.pass_rate:.0%}",
                "{:.0%} to {:.0%}".format(*one.interval),
            )
            for cell in mixed
            for one in cell.by_models
        ),
    )


def _of_k(suite: SuiteResult) -> Iterator[str]:
    sizes = sorted({one.k for cell in suite.cells for one in cell.of_k})
    if not sizes:
        return
    yield "## Several attempts"
    yield (
        "How likely at least one of k attempts passes (pass@k), and how likely all of them do"
        " (pass^k), estimated without bias from the attempts that gave evidence."
    )
    yield table(
        ("task", "agent", "affordances", "arm", *(f"k = {k}" for k in sizes)),
        (list(_of_cell(cell, sizes)) for cell in suite.cells if cell.of_k),
    )


def _of_cell(cell: CellResult, sizes: Sequence[int]) -> Iterator[str]:
    yield from _names(cell)
    known = {one.k: one for one in cell.of_k}
    for k in sizes:
        one = known.get(k)
        if one is None:
            yield ""
        elif one.pass_at_k is None or one.pass_hat_k is None:
            yield f"none: {visible(one.refused or '')}"
        else:
            yield f"{one.pass_at_k:.0%} one, {one.pass_hat_k:.0%} all"


def _suspects(suite: SuiteResult) -> Iterator[str]:
    suspect = [cell for cell in suite.cells if cell.suspect_pages]
    if not suspect:
        return
    yield "## Pages to look at first"
    yield (
        "Every failed attempt has read them, and fewer of those that passed. That is where to look,"
        " and no proof."
    )
    yield "\n".join(
        f"- {_cell_named(cell)}: " + ", ".join(code(page) for page in cell.suspect_pages[:PAGES])
        for cell in suspect
    )


def _cell_named(cell: CellResult) -> str:
    label = Condition(affordances=cell.affordance_policy, arm=cell.arm).label
    condition = f", {visible(label)}" if label else ""
    return f"{code(cell.task)} by {code(cell.agent)}{condition}"


def _names(cell: CellResult) -> tuple[str, str, str, str]:
    return code(cell.task), code(cell.agent), code(cell.affordance_policy), code(cell.arm)
