"""Bounded files on the host for output that comes when nobody waits for it."""

from __future__ import annotations

import threading
from pathlib import Path

from quickstarted.sandbox.commands.output import visible
from quickstarted_proxy.substitution import StreamReplacer

LATE_BYTES = 1024**2
"""Of the background children of one command."""
SERVICE_BYTES = 16 * 1024**2
TAIL_BYTES = 8 * 1024


class BoundedLog:
    """
    A file that takes at most so many bytes, and the last bytes of all in memory.

    What does not fit, and what the disk does not take, is dropped: no command fails for want of a
    log.
    """

    def __init__(self, path: Path, max_bytes: int, scrubber: StreamReplacer | None = None) -> None:
        self._path = path
        self._scrubber = scrubber
        self._room = max_bytes
        self._tail = bytearray()
        self._lock = threading.Lock()

    def write(self, data: bytes) -> None:
        """Take the next bytes."""
        with self._lock:
            if self._scrubber:
                data = self._scrubber.feed(data)
            self._tail += data
            del self._tail[:-TAIL_BYTES]
            data = data[: self._room]
            self._room -= len(data)
        if not data:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open("ab") as file:
                file.write(data)
        except OSError:
            self._room = 0

    def tail(self) -> str:
        """The last of what was printed."""
        with self._lock:
            return visible(bytes(self._tail))
