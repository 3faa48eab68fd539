"""Takes the marks of the recorded shell out of what its terminal prints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from quickstarted.authoring.recording.shell_rc import LINE_BREAK, OSC

LONGEST_MARK = 1 << 20
"""Bytes; what is longer without an end is no mark of ours."""


@dataclass(frozen=True, slots=True)
class Printed:
    """Bytes for the person's terminal."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Began:
    """A command begins to run."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """The shell is about to ask for the next command."""

    exit_code: int
    ports: tuple[int, ...]
    command: str
    """The one that has ended; empty where there was none, as at the start."""


@dataclass(frozen=True, slots=True)
class Left:
    """The shell ends, and knows that it does."""


class MarkFilter:
    """Splits a stream into what is printed and what is marked; marks may come in pieces."""

    def __init__(self, nonce: str) -> None:
        self._start = f"\x1b]{OSC};{nonce};".encode()
        self._held = b""

    def feed(self, data: bytes) -> Iterator[Printed | Began | Prompted | Left]:
        """Take what was read; what may be the beginning of a mark is held back."""
        rest = self._held + data
        while rest:
            at = rest.find(self._start)
            if at < 0:
                keep = _tail_that_begins(rest, self._start)
                self._held = rest[len(rest) - keep :]
                if printed := rest[: len(rest) - keep]:
                    yield Printed(printed)
                return
            if at:
                yield Printed(rest[:at])
            end = rest.find(b"\a", at)
            if end < 0:
                self._held = rest[at:]
                if len(self._held) > LONGEST_MARK:
                    yield Printed(self._held)
                    self._held = b""
                return
            yield _mark(rest[at + len(self._start) : end].decode("utf-8", "replace"))
            rest = rest[end + 1 :]
        self._held = b""

    def rest(self) -> bytes:
        """What is held back when the stream ends."""
        held, self._held = self._held, b""
        return held


def _mark(text: str) -> Began | Prompted | Left:
    if text in _PLAIN:
        return _PLAIN[text]
    _, code, ports, command = [*text.split(";", 3), "", "", ""][:4]
    return Prompted(
        exit_code=int(code) if code.isdigit() else 0,
        ports=tuple(int(port) for port in ports.split(",") if port.isdigit()),
        command=command.replace("\r\n", "\n").replace(LINE_BREAK, "\n"),
    )


_PLAIN: dict[str, Began | Left] = {"B": Began(), "X": Left()}


def _tail_that_begins(data: bytes, start: bytes) -> int:
    """Length of the longest end of *data* with which *start* begins."""
    for length in range(min(len(data), len(start) - 1), 0, -1):
        if data.endswith(start[:length]):
            return length
    return 0
