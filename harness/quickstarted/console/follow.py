"""A trace that is still being written, event by event as they come."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from quickstarted.errors import TraceInvalid
from quickstarted.events import RunEnd, TraceEvent
from quickstarted.trace import parse_event

POLL_S = 0.1
READ_BYTES = 1 << 20


def follow_trace(
    path: Path, *, wait: Callable[[], None] = lambda: time.sleep(POLL_S)
) -> Iterator[TraceEvent]:
    """
    Read what is there and what comes, until `run_end`.

    The writer puts the finished trace in the place of this one; the open file still gets every
    line up to `run_end`, so nothing is missed and nothing comes twice.

    Args:
        path: The trace.
        wait: Called when there is nothing new.

    Raises:
        TraceInvalid: A line is no event, or the trace went away before it had a `run_end`.

    """
    try:
        stream = path.open("rb", buffering=0)
    except OSError as exc:
        raise TraceInvalid(f"{path}: {exc.strerror or exc}") from exc
    with stream:
        for number, line in enumerate(_lines(stream, path, wait), start=1):
            event = parse_event(line, f"{path}:{number}")
            yield event
            if isinstance(event, RunEnd):
                return


def _lines(stream: BinaryIO, path: Path, wait: Callable[[], None]) -> Iterator[bytes]:
    """Whole lines only: the end of one that is being written is left for the next look."""
    done = 0
    rest = b""
    while True:
        piece = stream.read(READ_BYTES)
        if piece:
            *lines, rest = (rest + piece).split(b"\n")
            for line in lines:
                done += len(line) + 1
                yield line
            continue
        if os.fstat(stream.fileno()).st_size < done + len(rest):
            # The writer took back a line that the disk had no room for.
            rest = b""
            stream.seek(done)
        elif _is_gone(stream, path):
            raise TraceInvalid(f"{path}: went away before the run ended")
        wait()


def _is_gone(stream: BinaryIO, path: Path) -> bool:
    """Whether *path* is no longer the open file."""
    try:
        there = path.stat()
    except FileNotFoundError:
        return True
    here = os.fstat(stream.fileno())
    return (there.st_ino, there.st_dev) != (here.st_ino, here.st_dev)
