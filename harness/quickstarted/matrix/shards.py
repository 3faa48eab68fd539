"""
`--shard I/N`: which attempts of a call are this machine's.

A function of nothing but the attempts and durations that all machines are given: what one of them
has in its folders, in which order it lists the attempts, and how far it is, change nothing.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from quickstarted.errors import UsageError
from quickstarted.matrix.cells import Cell
from quickstarted.matrix.past import PastAttempt
from quickstarted.results import AttemptKey, CellKey

MAX_SHARDS = 10_000


@dataclass(frozen=True, slots=True)
class Shard:
    """One of several parts of a call."""

    index: int
    """From 1."""
    count: int

    def __str__(self) -> str:
        return f"{self.index}/{self.count}"


def read_shard(text: str) -> Shard:
    """
    Read the value of `--shard`.

    Raises:
        UsageError: It is not one.

    """
    index, separator, count = text.partition("/")
    if not separator or not all(_is_number(part) for part in (index, count)):
        raise UsageError(f"--shard {text}: write it as I/N, such as 1/4")
    shard = Shard(int(index), int(count))
    if not 1 <= shard.index <= shard.count <= MAX_SHARDS:
        raise UsageError(
            f"--shard {text}: I goes from 1 to N, and N to {MAX_SHARDS:,}: the shards of 1/4 are"
            " 1/4, 2/4, 3/4 and 4/4"
        )
    return shard


def attempts_of_shard(
    attempts: Sequence[tuple[Cell, int]], seconds: Mapping[CellKey, float], shard: Shard
) -> list[tuple[Cell, int]]:
    """Those of *attempts* that are in *shard*, in their order."""
    keys = [cell.key.attempt(number) for cell, number in attempts]
    where = assigned(keys, seconds, shard.count)
    return [one for key, one in zip(keys, attempts, strict=True) if where[key] == shard.index]


def assigned(
    keys: Iterable[AttemptKey], seconds: Mapping[CellKey, float], count: int
) -> dict[AttemptKey, int]:
    """
    The shard of each attempt, from 1: the longest first, to whoever has the least so far.

    Args:
        keys: Of all attempts of the call, each once, in any order.
        seconds: What an attempt of a cell is known to take; others count as the median of those
            that are known.
        count: Of shards.

    """
    usual = median(seconds.values()) if seconds else 1.0
    costs = {key: max(seconds.get(key.cell, usual), 0.0) for key in keys}
    loads = [(0.0, 0, index) for index in range(1, count + 1)]
    where = {}
    for key in sorted(costs, key=lambda key: (-costs[key], key)):
        # The number of attempts decides between equal loads, also where attempts take no time.
        load, size, index = loads[0]
        heapq.heapreplace(loads, (load + costs[key], size + 1, index))
        where[key] = index
    return where


def median_seconds(past: Iterable[PastAttempt]) -> dict[CellKey, float]:
    """What an attempt of each cell took, in the median of those that came to an end."""
    taken: dict[CellKey, list[float]] = {}
    for attempt in past:
        if attempt.came_to_an_end:
            taken.setdefault(attempt.cell, []).append(attempt.duration_seconds)
    return {cell: median(values) for cell, values in taken.items()}


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= len(str(MAX_SHARDS))
