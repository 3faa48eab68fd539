"""Putting a trace that is whole into the order in which things happened."""

from __future__ import annotations

import itertools
import math
import operator
import os
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from quickstarted.results.files import replacing, storage_fault, sync_folder

COPY_BYTES = 1 << 20


@dataclass(slots=True)
class LineIndex:
    """Times and offsets of the lines written so far: 16 bytes a line."""

    times: array[float] = field(default_factory=lambda: array("d"))
    ends: array[int] = field(default_factory=lambda: array("q"))
    """For each line the offset just behind it."""
    latest: float = -math.inf
    run_end: int | None = None
    """Number of the line that stays last."""

    @property
    def size_bytes(self) -> int:
        """Of all lines."""
        return self.ends[-1] if self.ends else 0

    def add(self, ts: float, line_bytes: int, *, is_run_end: bool) -> None:
        """Take a line that is in the file."""
        if is_run_end:
            self.run_end = len(self.times)
        self.ends.append(self.size_bytes + line_bytes)
        self.times.append(ts)
        self.latest = max(self.latest, ts)

    def in_order(self) -> list[int]:
        """Numbers of the lines by time; equal times keep the order of writing."""
        order = sorted(range(len(self.times)), key=self.times.__getitem__)
        if self.run_end is not None:
            order.remove(self.run_end)
            order.append(self.run_end)
        return order


def rewrite_in_order(path: Path, descriptor: int, index: LineIndex) -> None:
    """
    Sort the lines of *path* by time; equal times keep the order of writing, and `run_end` is last.

    Only times and offsets are held in memory, never lines.

    Args:
        path: The trace, not yet in order.
        descriptor: Open for reading on it.
        index: Its lines.

    Raises:
        StorageFault: The disk is full or fails; *path* stays as it was.

    """
    order = index.in_order()
    if all(map(operator.eq, order, itertools.count())):
        try:
            os.fsync(descriptor)
            sync_folder(path.parent)
        except OSError as exc:
            raise storage_fault(path, exc) from exc
        return
    with replacing(path) as stream:
        for start, end in _pieces(order, index.ends):
            _copy(descriptor, start, end, stream)


def _pieces(order: Sequence[int], ends: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Byte ranges of the lines in *order*; neighbours in the file are one range."""
    starts = (ends[line - 1] if line else 0 for line in order)
    ranges = zip(starts, (ends[line] for line in order), strict=True)
    start, end = next(ranges)
    for next_start, next_end in ranges:
        if next_start != end:
            yield start, end
            start = next_start
        end = next_end
    yield start, end


def _copy(descriptor: int, start: int, end: int, stream: BinaryIO) -> None:
    while start < end:
        piece = os.pread(descriptor, min(COPY_BYTES, end - start), start)
        if not piece:
            raise OSError(0, "the trace is shorter than what was written to it")
        stream.write(piece)
        start += len(piece)
