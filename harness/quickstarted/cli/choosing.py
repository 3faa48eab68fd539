"""Which attempts of all that a call means are made: choices among its cells, and one shard."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from quickstarted.cli.run_options import RunOptions
from quickstarted.errors import UsageError
from quickstarted.matrix import Cell, attempts_of, is_nested
from quickstarted.task import Task

if TYPE_CHECKING:
    from quickstarted.matrix.past import PastAttempt
    from quickstarted.matrix.selection import Filter, Removed
    from quickstarted.results import SuiteResult

Attempt = tuple[Cell, int]
"""A cell and the number of its attempt."""


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The attempts that a call makes."""

    attempts: Sequence[Attempt]
    """Of this shard, in the order in which they are begun."""
    whole: Sequence[Attempt]
    """Of all shards."""
    nested: bool
    """Whether the folders of results are by agent and number (`ResultsDir`)."""
    shard: tuple[int, int] | None = None
    """Its number, from 1, and of how many."""
    left_out: Sequence[Removed] = ()
    """What choices left out."""
    nothing: str = ""
    """Why there is nothing to do, where that is an answer: nothing has changed, nothing failed."""

    @property
    def tasks(self) -> list[Task]:
        """Of this shard."""
        return list({cell.task.name: cell.task for cell in self.cells}.values())

    @cached_property
    def cells(self) -> list[Cell]:
        """Of this shard."""
        return list({id(cell): cell for cell, _ in self.attempts}.values())


def choose(cells: Sequence[Cell], options: RunOptions, say: Callable[[str], None]) -> Chosen:
    """
    Choose among *cells* as *options* say.

    Args:
        cells: All that the call means.
        options: Of the call.
        say: Told for which tasks a choice could not be made.

    Raises:
        UsageError: A choice is none, or leaves nothing.

    """
    nested = is_nested(cells)
    left_out: Sequence[Removed] = ()
    if is_choice(options):
        # Reading earlier results and asking git is loaded only where it is asked for.
        from quickstarted.matrix.selection import select  # noqa: PLC0415

        selection = select(cells, _filters(cells, options, say))
        cells, left_out = selection.cells, selection.removed
        if selection.nothing:
            return Chosen(
                attempts=[], whole=[], nested=nested, left_out=left_out, nothing=selection.nothing
            )
    whole = attempts_of(cells)
    if options.shard is None:
        return Chosen(attempts=whole, whole=whole, nested=nested, left_out=left_out)
    from quickstarted.matrix import shards  # noqa: PLC0415

    shard = shards.read_shard(options.shard)
    seconds = shards.median_seconds(_durations(options))
    own = shards.attempts_of_shard(whole, seconds, shard)
    number = (shard.index, shard.count)
    return Chosen(attempts=own, whole=whole, nested=nested, shard=number, left_out=left_out)


def past_documents(options: RunOptions) -> list[Path]:
    """Documents of results that say what attempts of this kind took."""
    from quickstarted.matrix.past import kept_documents  # noqa: PLC0415

    named = [options.durations] if options.durations else []
    known = {path.resolve() for path in named}
    return [*named, *(path for path in kept_documents(options.out) if path.resolve() not in known)]


def is_choice(options: RunOptions) -> bool:
    """Whether the call is about some of its cells only."""
    return bool(
        options.keyword is not None
        or options.tag
        or options.changed_since is not None
        or options.last_failed
        or options.only
    )


def _filters(
    cells: Sequence[Cell], options: RunOptions, say: Callable[[str], None]
) -> Iterator[Filter]:
    from quickstarted.matrix import selection  # noqa: PLC0415

    if options.keyword is not None:
        yield selection.keyword_filter(options.keyword)
    if options.tag:
        yield selection.tag_filter(options.tag, cells)
    if options.changed_since is not None:
        yield _changed_filter(cells, options.changed_since, say)
    if options.last_failed:
        yield selection.failed_filter(_last(options, "--last-failed", say))
    if options.only:
        yield selection.classification_filter(options.only, _last(options, "--only", say))


def _changed_filter(cells: Sequence[Cell], revision: str, say: Callable[[str], None]) -> Filter:
    from quickstarted.matrix.changes import changes_since  # noqa: PLC0415
    from quickstarted.matrix.selection import Filter  # noqa: PLC0415

    flag = f"--changed-since {revision}"
    changes = changes_since(revision, cells)

    def keeps(cell: Cell) -> bool:
        known = set(changes.untold)
        is_kept = changes.concerns(cell)
        for task in changes.untold.keys() - known:
            say(f"note: {flag}: cannot tell for {task}, so it is run: {changes.untold[task]}")
        return is_kept

    return Filter(
        flag=flag,
        keeps=keeps,
        may_leave_nothing=True,
        advice=f"No task's file, check, workspace, local site or metadata.sources differs from"
        f" {revision}.",
    )


def _last(options: RunOptions, flag: str, say: Callable[[str], None]) -> list[PastAttempt]:
    """
    The attempts of the last call in `--out`.

    A call that was killed has left attempts that its tables do not have, or no tables at all.
    """
    from quickstarted.matrix.past import RESULTS_NAME, past_of, read_past  # noqa: PLC0415
    from quickstarted.records.left_behind import left_behind  # noqa: PLC0415

    path = options.out / RESULTS_NAME
    known = read_past(path) if path.is_file() else None
    left = left_behind(options.out, _document(path))
    if left is not None:
        if known is not None:
            say(f"note: {flag}: attempts that {path} lacks are read, too")
        for problem in left.problems:
            say(f"note: {flag}: {problem}")
        return past_of(left.suite)
    if known is None:
        raise UsageError(
            f"{flag}: there is no {path}, so there was no last call",
            hint=f"Run without {flag} first, or name the folder with --out.",
        )
    return known


def _document(path: Path) -> SuiteResult | None:
    """The whole of a `results.json`; None where it is not there, or of another version."""
    from quickstarted.results import SuiteResult  # noqa: PLC0415

    try:
        return SuiteResult.model_validate_json(path.read_bytes())
    except (OSError, ValidationError):
        return None


def _durations(options: RunOptions) -> list[PastAttempt]:
    """
    What shards are balanced by.

    Never what is in `--out`: that is another on each machine, and grows as its shard is run.
    """
    from quickstarted.matrix.past import read_past  # noqa: PLC0415

    return read_past(options.durations) if options.durations else []
