"""What a call says of how its attempts are made side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from quickstarted.results import RunResult
from quickstarted.suite.limits import LONGEST_PAUSE_S

_MOST_DOUBLINGS = 30
"""More only make numbers that no clock has."""


class StopRule(Protocol):
    """Says when a cell needs no more attempts (`--repeat auto`)."""

    def fewest_more(self, so_far: Sequence[RunResult]) -> int:
        """
        How many more attempts it takes at least until the cell is decided; 0: it is.

        Args:
            so_far: Attempts 1 to n of one cell, none missing in between.

        """


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteOptions:
    """How many at once, and how often again."""

    workers: int = 1
    retries: int = 0
    """Further tries of an attempt that was lost to infrastructure."""
    retry_delay_s: float = 5.0
    """Before the second try; doubled for each further one, up to five minutes."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """Vendor or documentation host to how many attempts may use it at once."""
    stop_rule: StopRule | None = None

    def delay_s(self, tries: int) -> float:
        """How long an attempt that was lost *tries* times waits for the next one."""
        doublings = min(tries - 1, _MOST_DOUBLINGS)
        return min(self.retry_delay_s * 2.0**doublings, LONGEST_PAUSE_S)
