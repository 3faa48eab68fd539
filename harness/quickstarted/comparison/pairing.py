"""Which cells of two runs stand beside each other, and whether their rates are about the same."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from quickstarted.comparison.model import Facet, Mismatch
from quickstarted.results import CellKey, RunResult, SuiteResult

UNKNOWN = "not recorded"
ENFORCED = {True: "enforced", False: "nothing enforced"}


@dataclass(frozen=True, slots=True)
class Pair:
    """The attempts of one cell in both runs."""

    key: CellKey
    before: list[RunResult]
    after: list[RunResult]


def by_cell(suite: SuiteResult) -> dict[CellKey, list[RunResult]]:
    """Its attempts, cells in the order in which they come up."""
    cells: dict[CellKey, list[RunResult]] = {}
    for run in suite.runs:
        cells.setdefault(run.cell_key, []).append(run)
    return cells


def evidence(runs: Sequence[RunResult]) -> list[RunResult]:
    """The attempts that a rate is made of."""
    return [run for run in runs if run.classification.evidential]


def mismatches(pair: Pair) -> Iterator[Mismatch]:
    """
    In what the attempts of *pair* differ, so that a difference of rates would not be the docs'.

    Only attempts with evidence are asked: others are in no rate, and know less of themselves. A
    side without any has no mismatch.
    """
    before, after = evidence(pair.before), evidence(pair.after)
    if not before or not after:
        return
    for facet, facet_of in _FACETS:
        sides = [sorted({facet_of(run) for run in side}) for side in (before, after)]
        if sides[0] != sides[1] or len(sides[0]) > 1:
            if facet == "image" and _same_image(before, after):
                continue
            yield Mismatch(facet=facet, before=sides[0], after=sides[1])


def _models(run: RunResult) -> str:
    """Replay reports none, and is not another model for it."""
    return ", ".join(run.models_reported)


def _image(run: RunResult) -> str:
    """Without a container there is none."""
    return run.image_digest or run.image_id or ("" if run.image is None else UNKNOWN)


def _same_image(before: Sequence[RunResult], after: Sequence[RunResult]) -> bool:
    """Whether all have the one id, whatever registry some of them had a digest of it from."""
    ids = {run.image_id for run in (*before, *after)}
    return len(ids) == 1 and None not in ids


def _prompt(run: RunResult) -> str:
    return run.prompt_hash or ""


def _arm(run: RunResult) -> str:
    return run.arm_hash or ""


def _enforcement(run: RunResult) -> str:
    return ENFORCED[run.enforced]


_FACETS: tuple[tuple[Facet, Callable[[RunResult], str]], ...] = (
    ("models", _models),
    ("image", _image),
    ("prompt", _prompt),
    ("arm", _arm),
    ("enforcement", _enforcement),
)
