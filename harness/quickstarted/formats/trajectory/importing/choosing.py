"""
Which format a file is, and why: the first record that tells decides, in a stated order.

A file is a list of runs, each by itself, or one stream of events. Formats that can be known by one
record come first; those that many things look like (messages, lists of events) come last, and only
once the first 60 records show nothing better.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from quickstarted.formats.trajectory.importing.importer import Claim, Importer, Record

LOOKED_AT_RECORDS = 60
LOOKED_AT_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Choice:
    """
    What a file is.

    Attributes:
        importer: Of the stream; None where each record is looked at by itself.
        records: All of the file, those that were looked at first.

    """

    importer: Importer | None
    why: str
    records: Iterator[Record]


def detect(record: Record, importers: Sequence[Importer]) -> tuple[Importer, Claim] | None:
    """The first of *importers* that knows *record*, and why."""
    for importer in importers:
        claim = importer.detects(record.value)
        if claim is not None:
            return importer, claim
    return None


def choose(records: Iterator[Record], importers: Sequence[Importer]) -> Choice:
    """What the file is that *records* come from."""
    seen: list[Record] = []
    size_bytes = 0
    weak: tuple[int, Importer, str] | None = None
    for record in records:
        seen.append(record)
        size_bytes += record.size_bytes
        found = detect(record, importers)
        if found is not None:
            importer, claim = found
            why = f"{claim.why} ({record.where})"
            if claim.is_whole:
                if weak is None:
                    return Choice(None, "", chain(seen, records))
            elif not claim.is_weak:
                return Choice(importer, why, chain(seen, records))
            else:
                rank = importers.index(importer)
                weak = min(weak or (rank, importer, why), (rank, importer, why), key=_rank)
        if len(seen) >= LOOKED_AT_RECORDS or size_bytes > LOOKED_AT_BYTES:
            break
    if weak is None:
        return Choice(None, "", chain(seen, records))
    return Choice(weak[1], weak[2], chain(seen, records))


def _rank(one: tuple[int, Importer, str]) -> int:
    return one[0]
