"""What an earlier call has left: what of it counts, and what is to be made again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from quickstarted.records.attempt import Found, Unfinished, read_record, standing_of
from quickstarted.records.call import CallRecord, read_call
from quickstarted.records.documents import Unreadable
from quickstarted.records.identity import Ran, changes, identity_of
from quickstarted.records.index import Index, index_of, named
from quickstarted.records.planned import Planned
from quickstarted.records.refusal import attempts, refusal
from quickstarted.results import (
    AttemptDir,
    AttemptKey,
    CellKey,
    RunResult,
    TryResult,
)
from quickstarted.results.layout import TRACE_NAME, keep_aside, place_of
from quickstarted.verdict import INFRA_ERROR, StopReason

CUT_SHORT = frozenset({StopReason.INTERRUPTED, StopReason.MAX_SPEND})
"""Attempts that ended because the call did; they are still to be made."""
SHOWN_NAMES = 3


@dataclass(kw_only=True)
class Earlier:
    """What is there when a call goes on with another."""

    out: Path
    done: dict[AttemptKey, RunResult] = field(default_factory=dict)
    """What counts, in the order of the plan."""
    in_the_way: list[Found | Unfinished] = field(default_factory=list)
    """What lies where attempts are to be made, and does not count."""
    tries: dict[AttemptKey, list[TryResult]] = field(default_factory=dict)
    adopted: dict[AttemptKey, AttemptDir] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    images: dict[AttemptKey, Ran] = field(default_factory=dict)
    """Of what counts."""
    run_ids: list[str] = field(default_factory=list)
    is_nested: bool = False
    """Whether what stays there wants further attempts in `<task>/<agent>/<n>`."""

    def clear_places(self) -> None:
        """
        Keep aside what is in the way, and write the results of adopted attempts.

        Raises:
            StorageFault: The folder cannot be written to.

        """
        for one in self.in_the_way:
            kept = keep_aside(self.out / one.place).kept_as
            if isinstance(one, Found) and _is_lost_here(one):
                trace = (kept / TRACE_NAME).relative_to(self.out).as_posix()
                tries = self.tries.setdefault(one.result.key, [])
                tries.append(one.result.as_try(trace))
        for key, folder in self.adopted.items():
            folder.write_result(self.done[key])


def earlier_of(
    out: Path,
    plans: Sequence[Planned],
    identities: Mapping[CellKey, Mapping[str, str]],
    retries: int,
) -> Earlier:
    """
    Look at what is there; nothing is changed.

    Args:
        out: The results folder.
        plans: What the call is to make.
        identities: What its attempts are made of.
        retries: How often one that was lost to infrastructure is made again.

    Raises:
        UsageError: A finished attempt was made of something else.

    """
    index = index_of(out)
    earlier = Earlier(out=out, notes=index.problems)
    _take_done(earlier, index, plans, identities, retries)
    previous = _previous_call(earlier)
    if previous is not None:
        earlier.run_ids = [*previous.earlier_run_ids, previous.run_id]
    missing = [plan.key for plan in plans if plan.key not in earlier.done]
    _find_places(earlier, index, missing)
    _take_tries(earlier, index, missing)
    _note_unplanned(earlier, index, {plan.key for plan in plans})
    if earlier.adopted:
        number = attempts(len(earlier.adopted))
        earlier.notes.append(f"{number} had no result yet; it was made from the trace")
    return earlier


def is_made(result: RunResult, retries: int) -> bool:
    """Whether an attempt counts, or is to be made (again)."""
    if result.stop_reason in CUT_SHORT:
        return False
    return result.classification is not INFRA_ERROR or result.tries > retries


def _take_done(
    earlier: Earlier,
    index: Index,
    plans: Sequence[Planned],
    identities: Mapping[CellKey, Mapping[str, str]],
    retries: int,
) -> None:
    changed: list[tuple[AttemptKey, str]] = []
    for key in (plan.key for plan in plans):
        found = index.found.get(key)
        if found is None or not is_made(found.result, retries):
            continue
        try:
            record = read_record(f"{earlier.out}/{found.place}")
        except Unreadable as exc:
            earlier.notes.append(f"{found.place}: {exc}; it counts as not made")
            continue
        if different := changes(identity_of(record), identities[key.cell]):
            changed.append((key, "; ".join(different)))
        earlier.done[key] = found.result
        if found.is_adopted:
            earlier.adopted[key] = AttemptDir(earlier.out / found.place)
        earlier.images[key] = Ran(record.image, record.image_id, record.image_digest)
    if changed:
        raise refusal(changed)


def _previous_call(earlier: Earlier) -> CallRecord | None:
    try:
        return read_call(earlier.out)
    except Unreadable as exc:
        earlier.notes.append(f"{exc}; what the earlier call was to do is not known")
        return None


def _find_places(earlier: Earlier, index: Index, missing: Sequence[AttemptKey]) -> None:
    """
    Say what is in the way, and how deep attempts are to lie so that nothing else is.

    A folder in which finished attempts lie stays where it is: that of a single attempt, of which
    there are several now, or of one that is no part of this call.
    """
    wanted = set(missing)
    homes = {place_of(key, nested=nested) for key in missing for nested in (False, True)}
    staying = {found.place for key, found in index.found.items() if key not in wanted}
    above = {place.partition("/")[0] for place in staying if "/" in place}
    there = [*index.others, *index.found.values()]
    earlier.in_the_way = [
        one for one in there if one.place in homes and one.place not in staying | above
    ]
    earlier.is_nested = bool(above or staying & homes)


def _take_tries(earlier: Earlier, index: Index, missing: Sequence[AttemptKey]) -> None:
    """Tries that calls which this one goes on with have lost, and kept."""
    for key in (*missing, *earlier.adopted):
        lost = [one for one in index.aside.get(key, ()) if _is_lost(one, earlier.run_ids)]
        tries = [one.result.as_try(one.result.trace or "") for one in lost]
        if tries and key in earlier.adopted:
            own = {"tries": len(tries) + 1, "earlier_tries": tries}
            earlier.done[key] = earlier.done[key].model_copy(update=own)
        elif tries:
            earlier.tries[key] = tries


def _is_lost_here(one: Found) -> bool:
    in_place = standing_of(one.place, one.result.key) == "in place"
    return in_place and one.result.classification is INFRA_ERROR


def _is_lost(one: Found, run_ids: Sequence[str]) -> bool:
    return one.result.classification is INFRA_ERROR and one.result.run_id in run_ids


def _note_unplanned(earlier: Earlier, index: Index, planned: set[AttemptKey]) -> None:
    others = [key for key in index.found if key not in planned]
    if not others:
        return
    names = "; ".join(named(key) for key in others[:SHOWN_NAMES])
    more = f"; and {len(others) - SHOWN_NAMES} more" if len(others) > SHOWN_NAMES else ""
    earlier.notes.append(
        f"no part of this call, so kept and not counted: {attempts(len(others))} ({names}{more})"
    )
