"""
What a person's shell in a sandbox needs: a program with a terminal of its own.

Apart from `protocol.Sandbox`, as no attempt needs it and not every backend has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol, runtime_checkable


class Terminal(Protocol):
    """A program behind a pseudo-terminal in the sandbox; used by one thread."""

    def fileno(self) -> int:
        """Readable when the program has printed something."""

    def read(self, timeout_s: float) -> bytes | None:
        """Return what was printed, b"" once the program has ended, None when nothing came."""

    def send(self, data: bytes, timeout_s: float) -> bool:
        """Type *data*; False when it was not taken in time."""

    def resize(self, rows: int, columns: int) -> None:
        """Tell the program how large the window is; it gets SIGWINCH."""

    def close(self) -> None:
        """Let go of it; what reads from the terminal is hung up."""


@runtime_checkable
class HasTerminal(Protocol):
    """A sandbox that can give one."""

    def open_terminal(self, argv: Sequence[str], env: Mapping[str, str]) -> Terminal:
        """
        Start a program as the agent's user.

        Args:
            argv: Program and arguments.
            env: Variables beside those of every command.

        Raises:
            SandboxFault: The sandbox is gone.
            EngineFault: The engine is not there.

        """
