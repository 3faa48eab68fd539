"""Lines for the person who runs the server: never a body, never a character that does more."""

from __future__ import annotations

import logging
import sys
import traceback
from datetime import UTC, datetime
from typing import TextIO

from quickstarted.console.text import visible

SHOWN_CHARS = 200


class Log:
    """Writes one line at a time to *stream*."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def request(self, client: str, what: str, status: int, took_s: float) -> None:
        """One request, when it is over; *what* is its method and path, without the query."""
        self.line(f"{client} {visible(what[:SHOWN_CHARS])} {status} {took_s:.3f}s")

    def fault(self, exc: BaseException) -> None:
        """Where *exc* came from; what it says stays out, as it may quote a body."""
        self.line(f"fault: {type(exc).__name__}")
        for frame in traceback.extract_tb(exc.__traceback__):
            self.line(f"  {frame.filename}:{frame.lineno} {frame.name}")

    def line(self, text: str) -> None:
        """One line, with the time."""
        at = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        print(f"{at} {visible(text)}", file=self._stream, flush=True)


class UvicornHandler(logging.Handler):
    """What uvicorn warns of, in the same form."""

    def __init__(self, log: Log) -> None:
        super().__init__(logging.WARNING)
        self._log = log

    def emit(self, record: logging.LogRecord) -> None:
        """Write it; a traceback is reduced to its places."""
        self._log.line(record.getMessage().strip())
        if record.exc_info and record.exc_info[1] is not None:
            self._log.fault(record.exc_info[1])


def stderr_log() -> Log:
    """The log of a server on the command line."""
    return Log(sys.stderr)
