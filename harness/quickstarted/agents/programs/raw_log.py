"""The log of a program as it wrote it, kept beside the trace up to a limit."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from quickstarted.errors import StorageFault

MAX_BYTES = 64 * 1024 * 1024
ERRORS_NAME = "agent.stderr.txt"
MAX_ERRORS_BYTES = 1024 * 1024
"""Of what is kept of standard error, from its beginning."""


class RawLog:
    """Takes what a program prints; a context manager."""

    def __init__(self, path: Path, max_bytes: int = MAX_BYTES) -> None:
        self._path = path
        self._room = max_bytes
        self._file: BinaryIO | None = None

    def __enter__(self) -> Self:
        try:
            self._file = self._path.open("wb", buffering=0)
        except OSError as exc:
            raise _fault(self._path, exc) from exc
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def write(self, data: bytes) -> None:
        """
        Keep *data*, with the operating system before this returns.

        Raises:
            StorageFault: It cannot be written.

        """
        assert self._file is not None, "a RawLog is a context manager"
        kept = data[: self._room]
        try:
            self._file.write(kept)
        except OSError as exc:
            raise _fault(self._path, exc) from exc
        self._room -= len(kept)


def keep_errors(folder: Path, content: bytes) -> None:
    """
    Keep what a program wrote to standard error, where it wrote anything.

    Raises:
        StorageFault: It cannot be written.

    """
    if not content:
        return
    path = folder / ERRORS_NAME
    try:
        path.write_bytes(content)
    except OSError as exc:
        raise _fault(path, exc) from exc


def _fault(path: Path, exc: OSError) -> StorageFault:
    return StorageFault(f"keeping the log of the agent's program in {path}: {exc}")
