"""
Failures as GitHub shows them beside the lines of a file: workflow commands on the job's log.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from quickstarted.ci.checkout import Checkout
from quickstarted.ci.outcomes import Outcome
from quickstarted.ci.sources import Place, place_of
from quickstarted.console.words import count, meaning
from quickstarted.verdict import Classification

MOST_OF_A_LEVEL = 10
"""GitHub shows so many errors and so many warnings of a step, and drops the others in silence."""
NAMED_ATTEMPTS = 5
_SILENT = (Classification.PASSED, Classification.SKIPPED)

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """One remark at a place, or of the job where there is none."""

    level: Level
    title: str
    message: str
    place: Place | None = None


def annotations_of(outcomes: Iterable[Outcome], checkout: Checkout) -> list[Annotation]:
    """
    An error for each place that shows a gap, a warning for what gave no evidence or does not count.

    Attempts of one task with the same ending at the same place are one remark.
    """
    groups: dict[tuple[str, bool, Classification, Place | None], list[Outcome]] = {}
    for outcome in outcomes:
        run = outcome.run
        if run.classification not in _SILENT and (outcome.counts or run.condition.has_docs):
            key = (run.task, outcome.is_gap, run.classification, place_of(outcome, checkout))
            groups.setdefault(key, []).append(outcome)
    return [_annotation(place, group) for (*_, place), group in groups.items()]


def annotation_lines(annotations: Sequence[Annotation]) -> list[str]:
    """The workflow commands; where there are too many of a level, the last says how many more."""
    lines: list[str] = []
    for level in ("error", "warning"):
        of_level = [one for one in annotations if one.level == level]
        kept = of_level
        if len(of_level) > MOST_OF_A_LEVEL:
            kept = of_level[: MOST_OF_A_LEVEL - 1]
            more = count(len(of_level) - len(kept), "further remark")
            kept = [*kept, _more(kept[0].level, more)]
        lines += map(annotation_line, kept)
    return lines


def annotation_line(annotation: Annotation) -> str:
    """`::error file=docs/start.md,line=3,title=...::message`."""
    properties = {"title": annotation.title}
    if annotation.place is not None:
        file, line = annotation.place
        properties = {"file": file, "line": str(line), **properties}
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{annotation.level} {said}::{_data(annotation.message)}"


def silencing() -> tuple[str, str]:
    """
    The command after which GitHub takes no line of the log for a command, and the one that ends it.

    What commands in a sandbox print stands in the log, and anybody could have written it.
    """
    token = secrets.token_hex(16)
    return f"::stop-commands::{token}", f"::{token}::"


def _annotation(place: Place | None, group: Sequence[Outcome]) -> Annotation:
    first = group[0]
    names = [outcome.name for outcome in group[:NAMED_ATTEMPTS]]
    if len(group) > len(names):
        names.append(f"and {count(len(group) - len(names), 'further attempt')}")
    return Annotation(
        level="error" if first.is_gap else "warning",
        title=f"{first.run.task}: {meaning(first.run)}",
        message="\n".join([", ".join(names), *(line.strip() for line in first.lines[1:])]),
        place=place,
    )


def _more(level: Level, more: str) -> Annotation:
    return Annotation(
        level=level,
        title=f"{more} not shown",
        message="GitHub shows ten of a step. The job summary and suite.md have all of them.",
    )


def _data(text: str) -> str:
    """As `escapeData` of actions/toolkit does it."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """As `escapeProperty` of actions/toolkit does it."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
