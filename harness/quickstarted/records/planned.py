"""What records need to know of an attempt that is to be made; plans are on a higher floor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from quickstarted.events import Event
from quickstarted.records.identity import identity_of
from quickstarted.results import AttemptKey, CellKey, RunRecord


class Planned(Protocol):
    """An `AttemptPlan`, as far as it matters here."""

    @property
    def key(self) -> AttemptKey:
        """What tells it from all others."""

    def record(self, backend: str, events: Iterable[Event]) -> RunRecord:
        """What its `run.json` will say, as far as *events* have told."""


P = TypeVar("P", bound=Planned)


def identities_of(plans: Sequence[Planned], backend: str) -> dict[CellKey, Mapping[str, str]]:
    """What must not change between the attempts of each cell; the same for all of them."""
    known: dict[CellKey, Mapping[str, str]] = {}
    for plan in plans:
        if plan.key.cell not in known:
            known[plan.key.cell] = identity_of(plan.record(backend, ()))
    return known
