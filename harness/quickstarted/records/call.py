"""
`call.json`: what a call is to do, written before it does any of it.

Resuming and merging need to know which attempts there should be, which no number of finished ones
can tell.
"""

from __future__ import annotations

import hashlib
import json
import socket
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal

import psutil
from pydantic import Field, ValidationError

from quickstarted import __version__
from quickstarted.records.documents import read_document, why_invalid
from quickstarted.results import AttemptKey, CellKey, GateRule
from quickstarted.results.document import Document
from quickstarted.results.files import write_text
from quickstarted.results.layout import CALL_NAME


class ShardRecord(Document):
    """Which part of a plan a call makes."""

    number: int
    """From 1."""
    of: int


class PlannedCell(Document):
    """A cell, and what its attempts are made of."""

    task: str
    agent: str
    affordances: str
    arm: str
    identity: dict[str, str]
    """
    What must not change between its attempts, by name, long texts as digests
    (`records.identity`).
    """

    @property
    def key(self) -> CellKey:
        """What tells it from the others."""
        return CellKey(self.task, self.agent, self.affordances, self.arm)


class CallRecord(Document):
    """The document `call.json`."""

    schema_version: Literal[1] = 1
    harness_version: str
    run_id: str
    """Of the call that wrote it."""
    earlier_run_ids: list[str] = Field(default_factory=list)
    """Of the calls that it goes on with (`--resume`), the first one first."""
    pid: int
    host: str
    started: float
    """Epoch seconds at which the call began."""
    backend: str
    nested: bool
    """Whether attempts lie in `<task>/<agent>/<n>`."""
    shard: ShardRecord | None = None
    plan_digest: str
    """`sha256:` and the digest of the whole plan, the same in all of its shards."""
    cells: list[PlannedCell]
    plan: list[tuple[int, int]]
    """Every attempt of the whole plan, in order: place of its cell in `cells`, and its number."""
    may_stop_early: bool = False
    """Whether a cell needs no further attempts once it is decided (`--repeat auto`)."""
    gate: GateRule | None = None
    """What cells are held to (`--min-pass-rate`); judged once all attempts of a cell are there."""
    merged_from: list[str] | None = None
    """Run ids of all calls whose attempts were joined here (`quickstarted merge`), sorted."""
    own: list[int] | None = None
    """Places in `plan` of what this call makes; None is all of it."""

    @property
    def whole_plan(self) -> list[AttemptKey]:
        """Every attempt, whichever shard makes it."""
        keys = [cell.key for cell in self.cells]
        return [keys[cell].attempt(number) for cell, number in self.plan]

    @property
    def own_plan(self) -> list[AttemptKey]:
        """What this call makes."""
        whole = self.whole_plan
        return whole if self.own is None else [whole[place] for place in self.own]


def call_record(
    whole: Sequence[AttemptKey],
    own: Sequence[AttemptKey],
    identities: Mapping[CellKey, Mapping[str, str]],
    **facts: object,
) -> CallRecord:
    """
    Say what a call is to do.

    Args:
        whole: The plan of all shards, in order.
        own: What this call makes of it.
        identities: Of all cells.
        facts: Other fields, at least `run_id`, `backend` and `nested`.

    """
    places = {key: place for place, key in enumerate(whole)}
    numbers = {cell: number for number, cell in enumerate(dict.fromkeys(key.cell for key in whole))}
    cells = [PlannedCell(**cell._asdict(), identity=dict(identities[cell])) for cell in numbers]
    plan = [(numbers[key.cell], key.attempt) for key in whole]
    return CallRecord.model_validate(
        {
            "harness_version": __version__,
            "pid": psutil.Process().pid,
            "host": socket.gethostname(),
            "started": time.time(),
            "plan_digest": plan_digest(cells, plan),
            "cells": cells,
            "plan": plan,
            "own": None if list(own) == list(whole) else [places[key] for key in own],
            **facts,
        }
    )


def plan_digest(cells: Sequence[PlannedCell], plan: Sequence[tuple[int, int]]) -> str:
    """`sha256:` and the digest of what is to be done, in order, and of what it is made of."""
    said = json.dumps([[cell.model_dump() for cell in cells], plan], sort_keys=True)
    return f"sha256:{hashlib.sha256(said.encode()).hexdigest()}"


def write_call(out: Path, call: CallRecord) -> None:
    """
    Write `call.json`, whole or not at all.

    Raises:
        StorageFault: It cannot be written.

    """
    write_text(out / CALL_NAME, call.model_dump_json() + "\n")


def read_call(out: Path) -> CallRecord | None:
    """
    What the last call in *out* was to do; None where none says so.

    Raises:
        Unreadable: There is a `call.json`, and it says nothing.

    """
    content = read_document(out / CALL_NAME)
    if content is None:
        return None
    try:
        return CallRecord.model_validate_json(content)
    except ValidationError as exc:
        raise why_invalid(CALL_NAME, content, exc) from exc
