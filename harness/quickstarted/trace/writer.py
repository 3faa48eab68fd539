"""
The trace as it is written: every event is with the operating system before `write` returns.

After SIGKILL of the harness the file holds all that happened, in the order in which it became
known; `finish` puts it into the order in which it happened.
"""

from __future__ import annotations

import errno
import json
import os
from functools import cache
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Self

from quickstarted.errors import StorageFault
from quickstarted.events import EventBase, RunEnd, RunStart
from quickstarted.results.files import storage_fault
from quickstarted.trace.order import LineIndex, rewrite_in_order

_FLAGS = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC

_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False)


def encode(event: EventBase) -> bytes:
    """One line: ASCII JSON without NaN; optional fields that say nothing are left out."""
    optional = _optional_fields(type(event))
    said = {
        name: value
        for name, value in event.model_dump(mode="json").items()
        if value is not None or name not in optional
    }
    return _ENCODER.encode(said).encode("ascii") + b"\n"


@cache
def _optional_fields(kind: type[EventBase]) -> frozenset[str]:
    return frozenset(
        name
        for name, field in kind.model_fields.items()
        if not field.is_required() and field.default is None
    )


class TraceWriter:
    """
    Writes the trace of one attempt.

    The first event is `run_start`, and nothing lies before it or after `run_end` in time: an event
    of another clock that would (the sidecar's, by milliseconds) is moved to the bound, and its own
    time is kept as `ts_reported`. `write` may be called from several threads.

    Args:
        path: The file to make; an existing one is never touched.

    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fault: StorageFault | None = None
        """The first failed write: whoever judges the attempt must look, as it may have happened on
        a thread that nobody waits for."""
        self._lock = Lock()
        self._descriptor = -1
        self._index = LineIndex()
        self._start: float | None = None
        self._end: float | None = None
        self._finished = False
        self._torn = False

    def __enter__(self) -> Self:
        try:
            self._descriptor = os.open(self.path, _FLAGS, 0o644)
        except OSError as exc:
            raise storage_fault(self.path, exc) from exc
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            if self._descriptor >= 0:
                os.close(self._descriptor)
            self._descriptor = -1

    def write(self, event: EventBase) -> None:
        """
        Append *event*; when this returns, a crash of the harness cannot lose it.

        Raises:
            StorageFault: The disk is full or fails. The lines before are whole, the attempt has
                lost a record, and `fault` says so from now on.
            RuntimeError: The event comes before `run_start`, is a second one of it or of
                `run_end`, or comes after `finish`.

        """
        with self._lock:
            self._check_turn(event)
            placed = self._within_run(event)
            line = encode(placed)
            try:
                self._append(line)
            except OSError as exc:
                fault = storage_fault(self.path, exc)
                self.fault = self.fault or fault
                raise fault from exc
            if self._start is None:
                self._start = placed.ts
            if isinstance(placed, RunEnd):
                self._end = placed.ts
            self._index.add(placed.ts, len(line), is_run_end=isinstance(placed, RunEnd))

    def finish(self) -> None:
        """
        Put the file into the order of `ts`, `run_start` first and `run_end` last, on disk.

        Raises:
            StorageFault: The disk is full or fails; the file stays whole in the order of writing.
            RuntimeError: There is no `run_end` yet, or this was called before.

        """
        with self._lock:
            if self._end is None or self._finished:
                raise RuntimeError(f"{self.path}: no run_end, or finished before")
            try:
                rewrite_in_order(self.path, self._descriptor, self._index)
            except StorageFault as exc:
                self.fault = self.fault or exc
                raise
            self._finished = True

    def _check_turn(self, event: EventBase) -> None:
        if self._finished or self._descriptor < 0:
            raise RuntimeError(f"{self.path}: {_name(event)} comes after the end of the trace")
        if isinstance(event, RunStart) is not (self._start is None):
            raise RuntimeError(f"{self.path}: {_name(event)}, but a trace has one run_start, first")
        if isinstance(event, RunEnd) and self._end is not None:
            raise RuntimeError(f"{self.path}: a second run_end")

    def _within_run(self, event: EventBase) -> EventBase:
        at = event.ts
        if self._start is not None:
            at = max(at, self._start)
        if isinstance(event, RunEnd):
            at = max(at, self._index.latest)
        elif self._end is not None:
            at = min(at, self._end)
        if at == event.ts:
            return event
        return event.model_copy(update={"ts": at, "ts_reported": event.ts})

    def _append(self, line: bytes) -> None:
        """Write the whole line or none of it."""
        if self._torn:
            raise OSError(errno.EIO, "an earlier line is torn and could not be taken back")
        rest = memoryview(line)
        try:
            while rest:
                rest = rest[os.write(self._descriptor, rest) :]
        except OSError:
            # A disk can become full in the middle of a line.
            try:
                os.ftruncate(self._descriptor, self._index.size_bytes)
            except OSError:
                self._torn = True
            raise


def _name(event: EventBase) -> str:
    return str(getattr(event, "type", type(event).__name__))
