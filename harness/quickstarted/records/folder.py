"""
The results folder of one call: locked, said what is to come, and what is there already.

Without `--resume` older results are kept aside. With it they count, as far as they are whole and
were made of the same: a folder of which one attempt was made of something else is refused before
anything in it is touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic

from quickstarted.records.call import ShardRecord, call_record, write_call
from quickstarted.records.images import ImageOf, check_images
from quickstarted.records.lock import locked
from quickstarted.records.planned import P, identities_of
from quickstarted.records.resuming import Earlier, earlier_of
from quickstarted.results import (
    AttemptDir,
    AttemptKey,
    GateRule,
    ResultsDir,
    RunResult,
    TryResult,
)


@dataclass(frozen=True, kw_only=True)
class Opening(Generic[P]):
    """What a call wants of its results folder."""

    out: Path
    plans: Sequence[P]
    """What the call is to make, in order."""
    run_id: str
    backend: str
    """Its name."""
    nested: bool = False
    """Whether attempts lie in `<task>/<agent>/<n>`."""
    resume: bool = False
    retries: int = 0
    """With more tries left, an attempt that was lost to infrastructure is made again."""
    shard: tuple[int, int] | None = None
    """Its number, from 1, and of how many."""
    may_stop_early: bool = False
    """Whether a cell needs no further attempts once it is decided (`--repeat auto`)."""
    gate: GateRule | None = None
    """What cells are held to."""
    image_of: ImageOf[P] | None = field(default=None, repr=False)
    """
    Says what the engine makes of the image of an attempt, now; asked once for each cell that has
    finished attempts and others. One that it cannot have is told of by the attempts that need it.
    """
    whole: Sequence[P] | None = None
    """The plan of all shards, in order; None: there are none, and it is `plans`."""


@dataclass(kw_only=True)
class Folder(Generic[P]):
    """A results folder that is this call's alone, until it is left."""

    results: ResultsDir
    missing: list[P]
    """What is to be made, in order."""
    done: list[RunResult] = field(default_factory=list)
    """What is made already, in the order of the plan; paths of traces are relative to `--out`."""
    tries: dict[AttemptKey, list[TryResult]] = field(default_factory=dict)
    """Lost tries of what is missing, the first one first; their paths as in `done`."""
    adopted: list[AttemptDir] = field(default_factory=list)
    """Attempts whose process did not live to write their result; perhaps not their report."""
    notes: list[str] = field(default_factory=list)
    """What to tell the person who waits."""


@contextmanager
def open_folder(opening: Opening[P]) -> Iterator[Folder[P]]:
    """
    Take the results folder, and write `call.json`.

    Raises:
        UsageError: Another call has it, or what is there was made of something else.
        StorageFault: It cannot be written to.

    """
    with locked(opening.out, opening.run_id):
        whole = opening.plans if opening.whole is None else opening.whole
        identities = identities_of(whole, opening.backend)
        earlier = Earlier(out=opening.out)
        if opening.resume:
            earlier = earlier_of(opening.out, opening.plans, identities, opening.retries)
            missing = [plan for plan in opening.plans if plan.key not in earlier.done]
            if opening.image_of is not None:
                check_images(earlier.images, missing, opening.image_of)
            earlier.clear_places()
            moved = []
        else:
            missing = list(opening.plans)
            tasks = dict.fromkeys(plan.key.task for plan in opening.plans)
            moved = ResultsDir(opening.out).set_aside(tasks)
        nested = opening.nested or earlier.is_nested
        call = call_record(
            [plan.key for plan in whole],
            [plan.key for plan in opening.plans],
            identities,
            run_id=opening.run_id,
            earlier_run_ids=earlier.run_ids,
            backend=opening.backend,
            nested=nested,
            may_stop_early=opening.may_stop_early,
            gate=opening.gate,
            shard=_shard(opening.shard),
        )
        write_call(opening.out, call)
        kept = ", ".join(str(one.kept_as) for one in moved)
        yield Folder(
            results=ResultsDir(opening.out, nested=nested),
            missing=missing,
            done=list(earlier.done.values()),
            tries=earlier.tries,
            adopted=list(earlier.adopted.values()),
            notes=[*earlier.notes, *([f"earlier results are kept as {kept}"] if kept else [])],
        )


def _shard(shard: tuple[int, int] | None) -> ShardRecord | None:
    return None if shard is None else ShardRecord(number=shard[0], of=shard[1])
