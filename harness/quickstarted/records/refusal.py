"""How `--resume` says what has changed since."""

from __future__ import annotations

from collections.abc import Iterable

from quickstarted.errors import UsageError
from quickstarted.records.index import named_cell
from quickstarted.results import AttemptKey, CellKey

SHOWN_CELLS = 6


def refusal(changed: Iterable[tuple[AttemptKey, str]]) -> UsageError:
    """
    The error that says which attempts were made of something else than now.

    Args:
        changed: Attempts, each with what is different, for people.

    """
    cells: dict[tuple[CellKey, str], int] = {}
    for key, what in changed:
        cells[key.cell, what] = cells.get((key.cell, what), 0) + 1
    lines = [
        f"  {named_cell(cell)} ({attempts(number)}): {what}"
        for (cell, what), number in cells.items()
    ]
    if len(lines) > SHOWN_CELLS:
        lines[SHOWN_CELLS:] = [f"  and {len(lines) - SHOWN_CELLS} more"]
    return UsageError(
        "--resume: finished attempts were made of something else than this call would make:\n"
        + "\n".join(lines),
        hint="Undo the change; or leave out --resume, which makes all of them again and keeps what"
        " is there aside.",
    )


def attempts(number: int) -> str:
    """`1 attempt`, `2 attempts`."""
    return f"{number} attempt{'' if number == 1 else 's'}"
