"""
The sidecar's voice: numbered lines on standard output, or the end of the process.

A report that cannot be written means that traffic would go unrecorded, so the process ends there
and then, and with it every connection.
"""

from __future__ import annotations

import os
import threading
from typing import Any, NoReturn

from quickstarted_proxy import clock
from quickstarted_proxy.control import encode

EXIT_UNHEARD = 74
"""EX_IOERR: nobody reads the reports."""
EXIT_REFUSED = 78
"""EX_CONFIG: the order `start` cannot be carried out."""
EXIT_FAULT = 70
"""EX_SOFTWARE: the sidecar can no longer be relied on."""


class Reporter:
    """Writes reports to a file descriptor; `seq` counts from 0 without a gap."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._seq = 0
        self._lock = threading.Lock()

    def send(self, report: str, **fields: Any) -> None:
        """Write one report; ends the process when that fails."""
        with self._lock:
            message = {"seq": self._seq, "ts": clock.now(), "report": report, **fields}
            try:
                self._write(encode(message))
            except (OSError, ValueError, TypeError):
                os._exit(EXIT_UNHEARD)
            self._seq += 1

    def event(self, event: dict[str, Any]) -> None:
        """Write an event."""
        self.send("event", event=event)

    def end(self, report: str, error: str, exit_code: int) -> NoReturn:
        """Write a last report and end the process."""
        self.send(report, error=error)
        os._exit(exit_code)

    def _write(self, line: bytes) -> None:
        rest = memoryview(line)
        while rest:
            rest = rest[os.write(self._fd, rest) :]
