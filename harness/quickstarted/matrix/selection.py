"""Choosing among the cells of a call: filters one after the other, each with what it left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from quickstarted.errors import UsageError
from quickstarted.matrix.cells import Cell
from quickstarted.matrix.past import PastAttempt
from quickstarted.verdict import PASSED


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One choice."""

    flag: str
    """As it was given, `--tag web`."""
    keeps: Callable[[Cell], bool]
    advice: str = ""
    """What there is, for a call in which it leaves nothing."""
    may_leave_nothing: bool = False
    """Whether nothing is an answer, as "no task has changed" is, and not a slip of the pen."""


@dataclass(frozen=True, slots=True)
class Removed:
    """What a filter left out of what those before it had left."""

    flag: str
    cells: int


@dataclass(frozen=True, slots=True)
class Selection:
    """What is left of the cells of a call."""

    cells: list[Cell]
    removed: list[Removed]
    """By each filter, in order; also those that left out none."""
    nothing: str = ""
    """Why there is nothing to do, where a filter said so that may."""


def select(cells: Sequence[Cell], filters: Iterable[Filter]) -> Selection:
    """
    Apply *filters* in order.

    Raises:
        UsageError: Nothing is left, and the filter that left nothing may not do so; says which
            filter left out how many.

    """
    left, removed, advice = list(cells), [], ""
    may_be_empty = False
    for one in filters:
        kept = [cell for cell in left if one.keeps(cell)]
        removed.append(Removed(one.flag, len(left) - len(kept)))
        if left and not kept:
            advice, may_be_empty = one.advice, one.may_leave_nothing
        left = kept
    if left:
        return Selection(left, removed)
    lines = [f"  {one.flag} left out {one.cells}" for one in removed if one.cells]
    said = "\n".join([f"nothing is left of {_counted(len(cells))} to run:", *lines])
    if may_be_empty:
        return Selection([], removed, nothing="\n".join(filter(None, [said, advice])))
    raise UsageError(said, hint=advice)


def keyword_filter(text: str) -> Filter:
    """
    `-k`: words about the task's name, its tags and the agent's name.

    Raises:
        UsageError: It is not an expression.

    """
    # The parser is loaded only where there is something to parse.
    from quickstarted.matrix.expression import expression  # noqa: PLC0415

    test = expression(text)
    return Filter(
        flag=f'-k "{text}"',
        keeps=lambda cell: test((cell.task.name, *cell.task.tags, cell.agent.name)),
        advice="A word of -k is part of a task's name, of a tag or of an agent's name.",
    )


def tag_filter(tags: Sequence[str], cells: Sequence[Cell]) -> Filter:
    """`--tag`: tasks that have one of *tags*."""
    wanted = frozenset(tags)
    known = sorted({tag for cell in cells for tag in cell.task.tags})
    return Filter(
        flag=_flags("--tag", tags),
        keeps=lambda cell: not wanted.isdisjoint(cell.task.tags),
        advice=f"The tasks have the tags {', '.join(known)}." if known else "No task has a tag.",
    )


def failed_filter(past: Sequence[PastAttempt]) -> Filter:
    """`--last-failed`: cells that have an attempt in *past* that did not pass."""
    failed = {attempt.cell for attempt in past if attempt.classification != PASSED}
    return Filter(
        flag="--last-failed",
        keeps=lambda cell: cell.key in failed,
        advice="" if failed else "Every attempt of the last call passed.",
        may_leave_nothing=not failed,
    )


def classification_filter(wanted: Sequence[str], past: Sequence[PastAttempt]) -> Filter:
    """`--only`: cells that have an attempt in *past* with one of the classifications."""
    meant = {attempt.cell for attempt in past if attempt.classification in wanted}
    there = sorted({attempt.classification for attempt in past})
    return Filter(
        flag=_flags("--only", wanted),
        keeps=lambda cell: cell.key in meant,
        advice=f"The last call has {', '.join(there)}." if there else "The last call has none.",
    )


def _flags(name: str, values: Sequence[str]) -> str:
    return " ".join(f"{name} {value}" for value in values)


def _counted(number: int) -> str:
    return f"{number} cell{'' if number == 1 else 's'}"
