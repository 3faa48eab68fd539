"""What the agent's commands printed, for `expect_output`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from quickstarted.errors import StorageFault

MAX_COMMAND_BYTES = 16 * 1024 * 1024
"""Of one command; more is not recorded either."""

_CONTROL = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
"""CSI and OSC sequences of a terminal (ECMA-48 5.4; colours, cursor, titles, links)."""


class Printed(Protocol):
    """What is read of a `CommandResult`."""

    @property
    def exit_code(self) -> int:
        """0 when the command succeeded."""

    @property
    def output(self) -> str:
        """What it printed, perhaps cut."""

    @property
    def full_output_path(self) -> str | None:
        """File on the host with all of it, where there is one."""


def collect_output(results: Iterable[Printed]) -> bytes:
    """
    What the commands that exited 0 printed, in order, each from the start of a line.

    Without the terminal's control sequences, so that a text matches as a person reads it.

    Raises:
        StorageFault: A recorded output cannot be read.

    """
    return b"".join(_lines(_printed(each)) for each in results if each.exit_code == 0)


def _printed(result: Printed) -> bytes:
    if result.full_output_path is None:
        return result.output.encode("utf-8", "surrogateescape")
    try:
        with Path(result.full_output_path).open("rb") as file:
            return file.read(MAX_COMMAND_BYTES)
    except OSError as exc:
        raise StorageFault(
            f"the output of a command cannot be read: {exc}",
            hint="Nothing may be taken out of the results folder while the attempt runs.",
        ) from exc


def _lines(printed: bytes) -> bytes:
    text = _CONTROL.sub(b"", printed)
    return text if not text or text.endswith(b"\n") else text + b"\n"
