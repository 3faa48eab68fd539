"""
What a command printed: head and tail for its reader, all of it up to a limit for the record.

The memory held is bounded by the reader's limit, however much is printed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from quickstarted.errors import StorageFault
from quickstarted_proxy.substitution import StreamReplacer

FULL_OUTPUT_BYTES = 16 * 1024**2
"""Of one command, kept on the host."""
LONGEST_CHARACTER_BYTES = 4


@dataclass(frozen=True, kw_only=True)
class Printed:
    """The output of one command."""

    text: str
    total_bytes: int
    truncated: bool
    full_path: str | None
    """File with the output up to `FULL_OUTPUT_BYTES`; None where `text` is all of it."""


class OutputKeeper:
    """
    Takes output as it comes.

    Args:
        path: The file for the full output; made only when the output does not fit.
        max_chars: How many characters the reader gets, apart from the line that says what was cut.
        scrubber: Takes secrets out first.
        listener: Is given all of it, as it comes.

    """

    def __init__(
        self,
        path: Path,
        max_chars: int,
        scrubber: StreamReplacer | None = None,
        listener: Callable[[bytes], None] | None = None,
    ) -> None:
        self._path = path
        self._scrubber = scrubber
        self._listener = listener
        self._max_chars = max(max_chars, 0)
        self._keep_bytes = max(self._max_chars, 1) * LONGEST_CHARACTER_BYTES
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0
        self._file: BinaryIO | None = None
        self._room = FULL_OUTPUT_BYTES

    @property
    def total_bytes(self) -> int:
        """All that was printed so far."""
        return self._total

    def write(self, data: bytes) -> None:
        """
        Take the next bytes.

        Raises:
            StorageFault: The file cannot be written.

        """
        self._take(self._scrubber.feed(data) if self._scrubber else data)

    def _take(self, data: bytes) -> None:
        if self._listener and data:
            self._listener(data)
        self._total += len(data)
        room = self._keep_bytes - len(self._head)
        if room > 0:
            self._head += data[:room]
        if len(data) > room:
            self._spill(data[max(room, 0) :])

    def finish(self) -> Printed:
        """Close the file and say what the reader gets."""
        if self._scrubber:
            self._take(self._scrubber.end())
        if self._total <= self._keep_bytes:
            text = visible(bytes(self._head))
            if len(text) <= self._max_chars:
                return Printed(text=text, total_bytes=self._total, truncated=False, full_path=None)
        self._open()
        assert self._file is not None
        self._file.close()
        return Printed(
            text=self._cut(), total_bytes=self._total, truncated=True, full_path=str(self._path)
        )

    def _spill(self, data: bytes) -> None:
        self._open()
        if self._room > 0:
            self._record(data[: self._room])
        self._tail += data[-self._keep_bytes :]
        if len(self._tail) > 2 * self._keep_bytes:
            del self._tail[: -self._keep_bytes]

    def _open(self) -> None:
        if self._file is not None:
            return
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb")
        except OSError as exc:
            raise StorageFault(f"recording a command's output in {self._path}: {exc}") from exc
        self._record(bytes(self._head[: self._room]))

    def _record(self, data: bytes) -> None:
        assert self._file is not None
        try:
            self._file.write(data)
        except OSError as exc:
            raise StorageFault(f"recording a command's output in {self._path}: {exc}") from exc
        self._room -= len(data)

    def _cut(self) -> str:
        head_chars = self._max_chars // 2
        head = first_characters(bytes(self._head), head_chars)
        kept = bytes(self._tail) if self._tail else bytes(self._head)
        if self._tail and len(self._tail) < self._keep_bytes:
            kept = bytes(self._head[len(self._tail) :] + self._tail)[-self._keep_bytes :]
        tail = last_characters(kept, self._max_chars - head_chars)
        cut = self._total - len(head) - len(tail)
        return f"{visible(head)}\n[... {cut:,} bytes cut ...]\n{visible(tail)}"


def visible(data: bytes) -> str:
    """Decode as UTF-8; what is not, and NUL, becomes U+FFFD."""
    return data.decode("utf-8", "replace").replace("\0", "\ufffd")


def first_characters(data: bytes, count: int) -> bytes:
    """Return the bytes of the first *count* characters; each undecodable byte counts as one."""
    return data.decode("utf-8", "surrogateescape")[:count].encode("utf-8", "surrogateescape")


def last_characters(data: bytes, count: int) -> bytes:
    """Return the bytes of the last *count* characters."""
    if count == 0:
        return b""
    return data.decode("utf-8", "surrogateescape")[-count:].encode("utf-8", "surrogateescape")
