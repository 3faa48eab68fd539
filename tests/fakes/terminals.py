"""A person at a terminal: the program behind a real pseudo-terminal, driven by what it shows."""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pexpect

PROMPT = r"\(recording\) [^\r\n]*[$#] "
TIMEOUT_S = 60
ROWS, COLUMNS = 40, 120


class Person:
    """Types, and waits for what is shown."""

    def __init__(self, child: pexpect.spawn) -> None:
        self.child = child

    def sees(self, pattern: str) -> str:
        """Wait for *pattern*; what was shown before it."""
        self.child.expect(pattern)
        return self.child.before

    def gives(self, command: str) -> str:
        """Type a command at the prompt; all that is shown until the next prompt."""
        self.child.sendline(command)
        return self.sees(PROMPT)

    def types(self, keys: str) -> None:
        """Press keys, without Enter."""
        self.child.send(keys)

    def leaves(self) -> int:
        """Wait for the program's end; its exit code."""
        self.child.expect(pexpect.EOF)
        self.child.close()
        return self.child.exitstatus

    def mode(self) -> list:
        """What the terminal does with keys, as `termios` has it, the speed aside."""
        modes = termios.tcgetattr(self.child.child_fd)
        return [*modes[:4], modes[6]]


@contextmanager
def at_terminal(
    args: Sequence[str | Path], folder: Path, env: Mapping[str, str] | None = None
) -> Iterator[Person]:
    """The program in *folder*, ended at the end whatever it does."""
    child = pexpect.spawn(
        sys.executable,
        ["-m", "quickstarted", *map(str, args)],
        cwd=str(folder),
        env={**os.environ, "TERM": "xterm", "NO_COLOR": "1", **(env or {})},
        encoding="utf-8",
        timeout=TIMEOUT_S,
        dimensions=(ROWS, COLUMNS),
    )
    try:
        yield Person(child)
    finally:
        child.close(force=True)
