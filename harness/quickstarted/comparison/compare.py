"""From two `results.json` to what they say side by side."""

from __future__ import annotations

from collections.abc import Sequence

from quickstarted.comparison.detectable import detectable_difference
from quickstarted.comparison.effort import changes
from quickstarted.comparison.exact import Table, fisher_p, holm, stratified_p
from quickstarted.comparison.intervals import rate_difference
from quickstarted.comparison.model import (
    CellComparison,
    CellName,
    Comparison,
    GroupComparison,
    GroupName,
    RunSide,
    Shown,
    Side,
)
from quickstarted.comparison.notes import notes
from quickstarted.comparison.pairing import Pair, by_cell, evidence, mismatches
from quickstarted.figures.defaults import ALPHA
from quickstarted.results import CellKey, RunResult, SuiteResult, cell_result
from quickstarted.verdict import PASSED


def compare(before: SuiteResult, after: SuiteResult) -> Comparison:
    """
    Compare cell by cell, and over the tasks of each agent and condition.

    Args:
        before: A run.
        after: A later one of the same tasks; the order decides only what is called better.

    """
    were, are = by_cell(before), by_cell(after)
    pairs = [Pair(key, runs, are[key]) for key, runs in were.items() if key in are]
    cells = _decided([_cell(pair) for pair in pairs])
    return Comparison(
        before=_run_side(before),
        after=_run_side(after),
        cells=cells,
        groups=_groups(pairs, cells),
        only_before=[_name(key) for key in were if key not in are],
        only_after=[_name(key) for key in are if key not in were],
        notes=list(notes(before, after)),
    )


def _cell(pair: Pair) -> CellComparison:
    """Without what depends on the other cells."""
    known = CellComparison(
        cell=_name(pair.key),
        before=_side(pair.before),
        after=_side(pair.after),
        mismatches=list(mismatches(pair)),
    )
    if known.mismatches or not known.before.evidential_runs or not known.after.evidential_runs:
        return known
    table = _table(known)
    difference, interval = rate_difference([table])
    return known.model_copy(
        update={
            "difference": difference,
            "interval": interval,
            "p_value": fisher_p(table),
            "detectable": detectable_difference(table),
            "effort": changes(pair.before, pair.after),
        }
    )


def _decided(cells: Sequence[CellComparison]) -> list[CellComparison]:
    """What is shown, given how many cells are compared."""
    adjusted = iter(holm([cell.p_value for cell in cells if cell.p_value is not None]))
    decided = []
    for cell in cells:
        if cell.difference is None:
            decided.append(cell)
            continue
        p_adjusted = next(adjusted)
        shown = _shown(p_adjusted, cell.difference)
        decided.append(cell.model_copy(update={"p_adjusted": p_adjusted, "shown": shown}))
    return decided


def _groups(pairs: Sequence[Pair], cells: Sequence[CellComparison]) -> list[GroupComparison]:
    """Over all tasks of an agent under a condition, models apart; where there are several."""
    tables: dict[tuple[str, str, str, tuple[str, ...]], list[Table]] = {}
    for pair, cell in zip(pairs, cells, strict=True):
        if cell.compared:
            models = tuple(evidence(pair.before)[0].models_reported)
            key = (pair.key.agent, pair.key.affordances, pair.key.arm, models)
            tables.setdefault(key, []).append(_table(cell))
    several = {key: of_group for key, of_group in tables.items() if len(of_group) > 1}
    p_values = [stratified_p(of_group) for of_group in several.values()]
    return [
        _group(key, of_group, p_value, p_adjusted)
        for (key, of_group), p_value, p_adjusted in zip(
            several.items(), p_values, holm(p_values), strict=True
        )
    ]


def _group(
    key: tuple[str, str, str, tuple[str, ...]],
    tables: Sequence[Table],
    p_value: float,
    p_adjusted: float,
) -> GroupComparison:
    agent, affordances, arm, models = key
    difference, interval = rate_difference(tables)
    return GroupComparison(
        group=GroupName(
            agent=agent, affordance_policy=affordances, arm=arm, models_reported=list(models)
        ),
        tasks=len(tables),
        difference=difference,
        interval=interval,
        p_value=p_value,
        p_adjusted=p_adjusted,
        shown=_shown(p_adjusted, difference),
    )


def _shown(p_value: float, difference: float) -> Shown:
    if p_value > ALPHA or difference == 0:
        return "no_difference"
    return "better" if difference > 0 else "worse"


def _table(cell: CellComparison) -> Table:
    return Table(
        passes_before=cell.before.passes,
        attempts_before=cell.before.evidential_runs,
        passes_after=cell.after.passes,
        attempts_after=cell.after.evidential_runs,
    )


def _side(runs: Sequence[RunResult]) -> Side:
    cell = cell_result(runs)
    return Side(
        attempts=cell.attempts,
        evidential_runs=cell.evidential_runs,
        passes=cell.passes,
        pass_rate=cell.pass_rate,
        interval=cell.interval,
    )


def _run_side(suite: SuiteResult) -> RunSide:
    known = evidence(suite.runs)
    return RunSide(
        harness_versions=sorted({run.harness_version or "unknown" for run in suite.runs}),
        created=suite.created,
        attempts=len(suite.runs),
        evidential_runs=len(known),
        passes=sum(run.classification is PASSED for run in known),
    )


def _name(key: CellKey) -> CellName:
    return CellName(task=key.task, agent=key.agent, affordance_policy=key.affordances, arm=key.arm)
