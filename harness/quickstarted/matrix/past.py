"""
What earlier attempts were, as far as plans and choices ask: read from `results.json`.

Only the few fields that are asked for: a document of ten thousand attempts, or of another version,
is read in a moment.
"""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from quickstarted.condition import DOCS
from quickstarted.errors import UsageError
from quickstarted.results import CellKey, SuiteResult
from quickstarted.verdict import Classification

RESULTS_NAME = "results.json"
MOST_KEPT = 10
LOST = frozenset({Classification.HARNESS_ERROR, Classification.INFRA_ERROR, Classification.SKIPPED})
_KEPT = re.compile(rf"{re.escape(RESULTS_NAME)}\.([0-9]+)")


class PastAttempt(BaseModel):
    """One attempt that was made."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    task: str
    agent: str
    affordance_policy: str = "all"
    arm: str = DOCS
    classification: str
    duration_seconds: float
    """Waiting included."""
    estimated_cost_usd: float | None = None
    """None: not known."""

    @property
    def cell(self) -> CellKey:
        """Whose attempt it was."""
        return CellKey(self.task, self.agent, self.affordance_policy, self.arm)

    @property
    def came_to_an_end(self) -> bool:
        """Whether time and cost are those of an attempt, not of one that was lost on the way."""
        return self.classification not in LOST


class _Document(BaseModel):
    model_config = ConfigDict(extra="ignore")

    runs: list[PastAttempt]


def read_past(path: Path) -> list[PastAttempt]:
    """
    The attempts of a `results.json`.

    Raises:
        UsageError: It cannot be read, or is none.

    """
    try:
        return _Document.model_validate_json(path.read_bytes()).runs
    except OSError as exc:
        raise UsageError(f"{path}: cannot be read: {exc.strerror}") from exc
    except ValidationError as exc:
        first = exc.errors(include_url=False, include_input=False)[0]
        where = "".join(f"{part}: " for part in (".".join(map(str, first["loc"])),) if part)
        raise UsageError(
            f"{path} is not a document of results: {where}{first['msg']}",
            hint=f"Name a {RESULTS_NAME} that `quickstarted run` or `merge` has written.",
        ) from exc


def past_of(suite: SuiteResult) -> list[PastAttempt]:
    """The attempts of results that were read already."""
    return [PastAttempt.model_validate(run, from_attributes=True) for run in suite.runs]


def kept_documents(out: Path) -> list[Path]:
    """
    The `results.json` of the folder *out*, and those that were kept aside, the newest first.

    Of the latter the newest ten: who runs every day has kept hundreds, and the oldest tell of
    models and pages that are no more.
    """
    kept = [
        (int(match[1]), path)
        for path in (out.iterdir() if out.is_dir() else ())
        if (match := _KEPT.fullmatch(path.name)) and path.is_file()
    ]
    newest = out / RESULTS_NAME
    older = [path for _, path in sorted(kept, reverse=True)][:MOST_KEPT]
    return [newest, *older] if newest.is_file() else older
