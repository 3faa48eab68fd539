"""Tokens and money of many calls: sums that say what they could not count."""

from __future__ import annotations

import math
from collections.abc import Iterable

from quickstarted.events import AgentTurn, ApiRetry, Usage

UNNAMED = "a model without a name"
DECIMALS = 6
"""Of a sum in US dollars; a single token of a small model costs less than one of the sixth."""


class Costs:
    """Costs of an attempt's calls, as its events have them."""

    def __init__(self) -> None:
        self._known: list[float] = []
        self._unpriced: set[str] = set()

    def add(self, event: AgentTurn | ApiRetry) -> None:
        """Take one call. A failed one that reported no tokens has cost nothing."""
        if event.cost_usd is not None:
            self._known.append(event.cost_usd)
        elif isinstance(event, AgentTurn) or add_usage([event]).total:
            self._unpriced.add(event.model or UNNAMED)

    @property
    def usd(self) -> float | None:
        """US dollars; None as soon as one call has no price."""
        return None if self._unpriced else round(math.fsum(self._known), DECIMALS)

    @property
    def unpriced(self) -> list[str]:
        """Models without a price."""
        return sorted(self._unpriced)


def add_usage(parts: Iterable[AgentTurn | ApiRetry | Usage]) -> Usage:
    """The sum of token counts."""
    known = list(parts)
    return Usage(
        input_tokens=sum(part.input_tokens for part in known),
        output_tokens=sum(part.output_tokens for part in known),
        cache_write_tokens=sum(part.cache_write_tokens for part in known),
        cache_read_tokens=sum(part.cache_read_tokens for part in known),
    )


def total_usd(costs: Iterable[float | None]) -> float | None:
    """The sum; None as soon as one is not known."""
    known = list(costs)
    return None if None in known else round(math.fsum(one or 0.0 for one in known), DECIMALS)
