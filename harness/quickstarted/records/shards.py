"""Results folders that are to be joined: whether they are parts of one plan, and all of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from quickstarted.errors import UsageError
from quickstarted.records.attempt import Found, read_record
from quickstarted.records.call import CallRecord, read_call
from quickstarted.records.documents import Unreadable, read_document
from quickstarted.records.identity import changes, identity_of
from quickstarted.records.index import Index, index_of, named, named_cell
from quickstarted.records.refusal import attempts
from quickstarted.records.resuming import CUT_SHORT
from quickstarted.results import AttemptKey, CellKey, SuiteResult
from quickstarted.results.layout import RESULTS_NAME

SHOWN = 6


@dataclass(frozen=True, kw_only=True)
class Shard:
    """One of the folders."""

    folder: Path
    call: CallRecord
    index: Index

    @property
    def name(self) -> str:
        """For people."""
        shard = self.call.shard
        return f"{self.folder} (shard {shard.number}/{shard.of})" if shard else f"{self.folder}"


@dataclass(frozen=True, kw_only=True)
class Union:
    """All of them together."""

    shards: Sequence[Shard]
    plan: Sequence[AttemptKey]
    """What all of them together were to make, in order."""
    made: Mapping[AttemptKey, tuple[Shard, Found]]
    """What they have made, in the order of the plan."""
    notes: list[str] = field(default_factory=list)

    @property
    def missing(self) -> list[AttemptKey]:
        """What nobody has made."""
        return [key for key in self.plan if key not in self.made]

    @property
    def is_nested(self) -> bool:
        """Whether attempts are to lie in `<task>/<agent>/<n>`."""
        return any(shard.call.nested for shard in self.shards)


def read_shards(folders: Sequence[Path]) -> list[Shard]:
    """
    Read them; nothing is changed.

    Raises:
        UsageError: One is given twice, or does not say what its call was to do.

    """
    real = [folder.resolve() for folder in folders]
    if doubles := [str(one) for one, number in Counter(real).items() if number > 1]:
        raise UsageError(f"{', '.join(doubles)} is given more than once")
    return [_shard(folder) for folder in folders]


def union_of(shards: Sequence[Shard]) -> Union:
    """
    Put them together.

    Raises:
        UsageError: They are parts of different plans, or have made the same attempt.

    """
    first = shards[0]
    for other in shards[1:]:
        if other.call.plan_digest != first.call.plan_digest:
            raise _different(first, other)
    by_key: dict[AttemptKey, list[tuple[Shard, Found]]] = defaultdict(list)
    for shard in shards:
        for key, found in shard.index.found.items():
            if found.result.stop_reason not in CUT_SHORT:
                by_key[key].append((shard, found))
    _refuse_doubles(by_key)
    needless = set().union(*(_needless(shard, by_key) for shard in shards))
    plan = [key for key in first.call.whole_plan if key not in needless]
    made = {key: by_key[key][0] for key in plan if key in by_key}
    union = Union(shards=shards, plan=plan, made=made)
    _check_identities(union)
    union.notes.extend(_notes(union, by_key))
    return union


def missing_said(union: Union) -> list[str]:
    """What is missing, for people: whole shards by their number, else attempts by their names."""
    numbers = {shard.call.shard.number for shard in union.shards if shard.call.shard}
    of = next((shard.call.shard.of for shard in union.shards if shard.call.shard), 0)
    lines = [f"shard {number}/{of}" for number in range(1, of + 1) if number not in numbers]
    missing = set(union.missing)
    for shard in union.shards:
        own = [key for key in shard.call.own_plan if key in missing]
        if own:
            lines.append(f"{shard.name}: {attempts(len(own))} ({_shown(own)})")
    return lines


def _shard(folder: Path) -> Shard:
    try:
        call = read_call(folder)
    except Unreadable as exc:
        raise UsageError(f"{folder}: {exc}") from exc
    if call is None:
        raise UsageError(
            f"{folder}: no call.json in it, so it is not known which attempts there should be",
            hint="Give folders that `quickstarted run --out` has written.",
        )
    return Shard(folder=folder, call=call, index=index_of(folder))


def _needless(shard: Shard, made: Collection[AttemptKey]) -> set[AttemptKey]:
    """What a call has left out because its cells were decided (`--repeat auto`)."""
    if not shard.call.may_stop_early:
        return set()
    try:
        content = read_document(shard.folder / RESULTS_NAME)
        suite = SuiteResult.model_validate_json(content or b"")
    except (Unreadable, ValidationError):
        return set()
    if suite.stopped is not None or suite.attempts_planned != len(suite.runs):
        return set()
    return {key for key in shard.call.own_plan if key not in made}


def _different(one: Shard, other: Shard) -> UsageError:
    """Why they are no parts of one plan."""
    ours = {cell.key: cell.identity for cell in one.call.cells}
    theirs = {cell.key: cell.identity for cell in other.call.cells}
    lines = [
        f"  {named_cell(key)}: {'; '.join(changes(ours[key], theirs[key]))}"
        for key in ours
        if key in theirs and ours[key] != theirs[key]
    ]
    for shard, more in ((one, ours.keys() - theirs), (other, theirs.keys() - ours)):
        lines += [f"  {named_cell(key)}: only in {shard.folder}" for key in sorted(more)]
    if not lines:
        lines = [f"  {len(one.call.plan)} and {len(other.call.plan)} attempts, or another order"]
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"  and {len(lines) - SHOWN} more"]
    return UsageError(
        f"{one.folder} and {other.folder} are parts of different plans:\n" + "\n".join(lines),
        hint="Run all shards with the same tasks and flags, apart from --shard and --out.",
    )


def _refuse_doubles(by_key: Mapping[AttemptKey, list[tuple[Shard, Found]]]) -> None:
    doubles = {key: holders for key, holders in by_key.items() if len(holders) > 1}
    if not doubles:
        return
    lines = [
        f"  {named(key)}: " + ", ".join(str(shard.folder / found.place) for shard, found in holders)
        for key, holders in list(doubles.items())[:SHOWN]
    ]
    if len(doubles) > SHOWN:
        lines.append(f"  and {len(doubles) - SHOWN} more")
    raise UsageError(
        f"{attempts(len(doubles))} made in more than one of the folders:\n" + "\n".join(lines),
        hint="One result counts; leave out the folder that should not.",
    )


def _check_identities(union: Union) -> None:
    """
    See that what was made is what was planned.

    Raises:
        UsageError: It is not.

    """
    planned: dict[CellKey, Mapping[str, str]] = {
        cell.key: cell.identity for cell in union.shards[0].call.cells
    }
    lines = []
    for key, (shard, found) in union.made.items():
        folder = f"{shard.folder}/{found.place}"
        try:
            different = changes(planned[key.cell], identity_of(read_record(folder)))
        except Unreadable as exc:
            different = [str(exc)]
        if different:
            lines.append(f"  {folder}: {'; '.join(different)}")
    if len(lines) > SHOWN:
        lines[SHOWN:] = [f"  and {len(lines) - SHOWN} more"]
    if lines:
        raise UsageError(
            "attempts were made of something else than their call says:\n" + "\n".join(lines),
            hint="Make them again: `quickstarted run` with the flags of that call, without them.",
        )


def _notes(union: Union, by_key: Mapping[AttemptKey, object]) -> list[str]:
    notes = [
        f"{shard.folder}: {problem}" for shard in union.shards for problem in shard.index.problems
    ]
    planned = set(union.plan)
    if others := [key for key in by_key if key not in planned]:
        notes.append(f"no part of the plan: {attempts(len(others))} ({_shown(others)}); left out")
    images: dict[CellKey, set[str]] = defaultdict(set)
    for key, (_, found) in union.made.items():
        result = found.result
        images[key.cell].add(result.image_digest or result.image_id or "")
    notes += [
        f"{named_cell(cell)}: its attempts ran on {len(known)} different images"
        for cell, known in images.items()
        if len(known - {""}) > 1
    ]
    return notes


def _shown(keys: Sequence[AttemptKey]) -> str:
    names = "; ".join(named(key) for key in keys[:SHOWN])
    return names + (f"; and {len(keys) - SHOWN} more" if len(keys) > SHOWN else "")
