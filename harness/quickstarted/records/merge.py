"""Joining the results of shards: afterwards there is one folder, as of one call that made all."""

from __future__ import annotations

import posixpath
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from quickstarted.errors import UsageError
from quickstarted.figures import gated
from quickstarted.records.attempt import Found, read_attempt
from quickstarted.records.call import CallRecord, call_record, read_call, write_call
from quickstarted.records.copying import Staging
from quickstarted.records.documents import Unreadable, read_document
from quickstarted.records.lock import locked
from quickstarted.records.shards import Shard, Union, missing_said, read_shards, union_of
from quickstarted.results import (
    AttemptKey,
    CallFacts,
    GateRule,
    ResultsDir,
    RunResult,
    SuiteResult,
    suite_result,
)
from quickstarted.results.files import sync_folder
from quickstarted.results.layout import RESULT_NAME, TRACE_NAME, keep_aside, place_of, rebased


@dataclass(frozen=True, kw_only=True)
class Merge:
    """What is to be joined, and where."""

    folders: Sequence[Path]
    out: Path
    run_id: str
    allow_missing: bool = False
    """Whether the result may lack attempts; it says which."""


@dataclass(frozen=True, kw_only=True)
class Merged:
    """What has come of it."""

    suite: SuiteResult
    notes: list[str]
    """What to tell the person who waits."""
    planned: int
    """Attempts of all shards together."""


def merge(wanted: Merge, tables: Callable[[SuiteResult], str]) -> Merged:
    """
    Copy every attempt into one folder, and write its `results.json`.

    What a merge that broke off has copied is not copied again.

    Args:
        wanted: What, and where.
        tables: The text of `suite.md`.

    Raises:
        UsageError: The folders are not the parts of one plan, the same attempt is in two, some are
            missing, or another call writes to the target.
        StorageFault: The target cannot be written; attempts in it are whole all the same.

    """
    _refuse_target(wanted)
    union = union_of(read_shards(wanted.folders))
    rule = _rule(union)
    missing = missing_said(union) if union.missing else []
    if missing and not wanted.allow_missing:
        raise UsageError(
            "attempts are missing:\n" + "\n".join(f"  {line}" for line in missing),
            hint="Give the folders of all shards, finish them with --resume, or give"
            " --allow-missing.",
        )
    notes = [*union.notes, *(f"missing: {line}" for line in missing)]
    with locked(wanted.out, wanted.run_id):
        moved = _make_room(wanted.out, union)
        if moved:
            notes.append(f"earlier results are kept as {', '.join(moved)}")
        write_call(wanted.out, _call(wanted, union))
        runs = _copy_all(wanted.out, union)
        facts = CallFacts(planned=len(union.plan), missing=union.missing)
        suite = suite_result(runs, created=time.time(), call=facts)
        if rule is not None:
            suite = gated(suite, rule)
        # Before the document that counts them: what is below these was renamed into them whole.
        for cell in {(wanted.out / run.trace).parent.parent for run in runs if run.trace}:
            sync_folder(cell)
        ResultsDir(wanted.out).write_suite(suite, tables(suite))
    return Merged(suite=suite, notes=notes, planned=len(union.plan))


def _rule(union: Union) -> GateRule | None:
    """What all shards hold their cells to."""
    first = union.shards[0]
    for other in union.shards:
        if other.call.gate != first.call.gate:
            raise UsageError(
                f"{first.folder} and {other.folder} differ in --min-pass-rate",
                hint="Run the shards with the same flags.",
            )
    return first.call.gate


def _refuse_target(wanted: Merge) -> None:
    out = wanted.out.resolve()
    if any(folder.resolve() == out for folder in wanted.folders):
        raise UsageError(
            f"--out {wanted.out} is one of the folders that are to be joined",
            hint="Give another folder; those of the shards stay as they are.",
        )


def _make_room(out: Path, union: Union) -> list[str]:
    """Keep aside what is there, unless a merge of the same shards has left it."""
    try:
        there = read_call(out)
    except Unreadable:
        there = None
    if there is not None and there.merged_from == _run_ids(union):
        return []
    tasks = dict.fromkeys(key.task for key in union.plan)
    return [str(one.kept_as) for one in ResultsDir(out).set_aside(tasks)]


def _run_ids(union: Union) -> list[str]:
    return sorted(
        one for shard in union.shards for one in (*shard.call.earlier_run_ids, shard.call.run_id)
    )


def _call(wanted: Merge, union: Union) -> CallRecord:
    call = union.shards[0].call
    return call_record(
        union.plan,
        union.plan,
        {cell.key: cell.identity for cell in call.cells},
        run_id=wanted.run_id,
        earlier_run_ids=_run_ids(union),
        merged_from=_run_ids(union),
        backend=call.backend,
        nested=union.is_nested,
        gate=call.gate,
    )


def _copy_all(out: Path, union: Union) -> list[RunResult]:
    """Copy what is made, in the order of the plan."""
    with Staging(out) as staging:
        copier = _Copier(out, union, staging)
        return [copier.copy(key, shard, found) for key, (shard, found) in union.made.items()]


class _Copier:
    """Copies attempts with their lost tries; what is there already is left as it is."""

    def __init__(self, out: Path, union: Union, staging: Staging) -> None:
        self._out = out
        self._nested = union.is_nested
        self._staging = staging
        self._below = {id(shard): _attempts_below(shard) for shard in union.shards}

    def copy(self, key: AttemptKey, shard: Shard, found: Found) -> RunResult:
        """
        Copy one.

        Returns:
            Its result, paths relative to the target.

        Raises:
            StorageFault: It could not be copied.

        """
        place = place_of(key, nested=self._nested)
        tries = [
            one.model_copy(update={"trace": self._copy_try(shard, one.trace, place)})
            for one in found.result.earlier_tries
        ]
        moved = found.result.model_copy(
            update={"trace": f"{place}/{TRACE_NAME}", "earlier_tries": tries}
        )
        if self._is_there(place, moved):
            return moved
        as_it_is = not found.is_adopted and rebased(moved, found.result.trace or "") == found.result
        own = f"{rebased(moved, TRACE_NAME).model_dump_json(indent=2)}\n".encode()
        self._staging.copy(
            shard.folder / found.place,
            place,
            without=self._below[id(shard)].get(found.place, ()),
            instead={} if as_it_is else {RESULT_NAME: own},
        )
        return moved

    def _copy_try(self, shard: Shard, trace: str, place: str) -> str:
        """Copy a lost try beside *place*, under its number or the next free one; its new trace."""
        source = shard.folder / posixpath.dirname(trace)
        number = int(source.suffix.removeprefix(".") or 1)
        while (self._out / (new := f"{place}.{number}")).exists():
            if _same_result(source, self._out / new):
                return f"{new}/{TRACE_NAME}"
            number += 1
        if source.is_dir():
            self._staging.copy(source, new)
        return f"{new}/{TRACE_NAME}"

    def _is_there(self, place: str, moved: RunResult) -> bool:
        if not (self._out / place).exists():
            return False
        there = read_attempt(self._out, place)
        if isinstance(there, Found) and there.result == moved:
            return True
        keep_aside(self._out / place)
        return False


def _attempts_below(shard: Shard) -> dict[str, set[str]]:
    """The folder of a task that is an attempt's itself, to the names in it that are others'."""
    below: dict[str, set[str]] = defaultdict(set)
    for place in shard.index.places:
        task, separator, rest = place.partition("/")
        if separator:
            below[task].add(rest.partition("/")[0])
    return below


def _same_result(one: Path, other: Path) -> bool:
    try:
        return read_document(one / RESULT_NAME) == read_document(other / RESULT_NAME) is not None
    except Unreadable:
        return False
