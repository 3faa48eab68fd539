"""The line that sums a call up, on a terminal and as a sign of life in a log."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quickstarted.console.live.board import Board
from quickstarted.console.live.estimate import left_said
from quickstarted.console.live.show import Wait
from quickstarted.console.words import count
from quickstarted.verdict import Classification

_FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


def total_said(board: Board, columns: int | None = None) -> str:
    """
    `12 of 40 done, 8 under way, 9 passed, about 6 min left, $1.20 spent`. Hold the lock.

    Args:
        board: How the call stands.
        columns: Parts are left out until so many are enough; the first one stays.

    """
    parts = _parts(board)
    while len(parts) > 1 and columns is not None and len(_joined(parts)) > columns:
        parts.remove(max(parts))
    return _joined(parts)


def _joined(parts: Sequence[tuple[int, str]]) -> str:
    return ", ".join(text for _, text in parts)


def _parts(board: Board) -> list[tuple[int, str]]:
    """In order, each with its place in the order of what can be done without."""
    endings = board.endings()
    done = endings.total()
    passed, failed = endings[Classification.PASSED], endings[Classification.DOCS_GAP]
    planned = sum(cell.planned for cell in board.cells.values())
    parts = [(0, f"{done} of {planned} done")]
    if board.under_way:
        parts.append((6, f"{len(board.under_way)} under way"))
    parts.append((2, f"{passed} passed"))
    if failed:
        parts.append((3, f"{failed} failed"))
    if without := done - passed - failed:
        parts.append((5, f"{without} without evidence"))
    if done < planned:
        parts.append((1, left_said(board.left_s())))
    if any(cell.uses_model for cell in board.cells.values()):
        parts.append((4, f"{board.spending().cost_said} spent"))
    return parts


def waits_said(waits: Sequence[Wait]) -> list[str]:
    """One line for each thing that attempts wait for; not yet `visible`."""
    return [f"{count(wait.attempts, 'attempt')} waiting: {wait.reason}" for wait in waits]


class WaitNews:
    """Tells for a log what is waited for, but not each time that only a figure in it changes."""

    def __init__(self) -> None:
        self._kinds: list[str] = []

    def lines(self, waits: Sequence[Wait]) -> list[str]:
        """What is to be said of *waits*, often nothing; not yet `visible`."""
        kinds = [_FIGURE.sub("", wait.reason) for wait in waits]
        if kinds == self._kinds:
            return []
        self._kinds = kinds
        return waits_said(waits)
