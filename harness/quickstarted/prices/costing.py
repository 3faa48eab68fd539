"""
Puts costs on the events of model calls, and counts them, as they are written.

One place for every agent: a loop of ours and a program in the sandbox write the same events, so
both are priced, limited and recorded alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from quickstarted.budget import Budget
from quickstarted.errors import PriceUnknown
from quickstarted.events import AgentTurn, ApiRetry, Event, Usage
from quickstarted.prices.table import PriceTable

UNFINISHED = "unfinished"
"""The stop reason of a turn that the end of the attempt broke off; its model is the one asked."""


@dataclass(kw_only=True)
class Costing:
    """The costs of one attempt."""

    table: PriceTable | None
    budget: Budget
    asked: str | None
    """The model that was asked for; None where the agent chooses."""

    def __post_init__(self) -> None:
        self._reported: str | None = None

    def sink(self, write: Callable[[Event], None]) -> Callable[[Event], None]:
        """*write*, with costs on what is written."""

        def write_priced(event: Event) -> None:
            if isinstance(event, AgentTurn | ApiRetry):
                self._write(event, write)
            else:
                write(event)

        return write_priced

    def _write(self, event: AgentTurn | ApiRetry, write: Callable[[Event], None]) -> None:
        model, is_whole = self._model_of(event), _is_whole(event)
        usage = Usage(
            input_tokens=event.input_tokens,
            output_tokens=event.output_tokens,
            cache_write_tokens=event.cache_write_tokens,
            cache_read_tokens=event.cache_read_tokens,
        )
        is_free = not usage.total and not is_whole
        cost = 0.0 if is_free else self._cost(model, usage, event.ts)
        update: dict[str, Any] = {"cost_usd": cost}
        if model is not None:
            update["model"] = model
        write(event.model_copy(update=update))
        if cost is not None:
            self.budget.charge(cost)
        elif is_whole and self.budget.limits_cost:
            raise no_price(model or "the model", self.table)

    def _model_of(self, event: AgentTurn | ApiRetry) -> str | None:
        """Broken calls name no model of their own: the one that was reported last is meant."""
        if _is_whole(event):
            self._reported = event.model
        return self._reported or event.model or self.asked

    def _cost(self, model: str | None, usage: Usage, at: float) -> float | None:
        if self.table is None or model is None:
            return None
        cost = self.table.cost_usd(model, usage, at)
        return None if cost is None else round(float(cost), 9)


def _is_whole(event: AgentTurn | ApiRetry) -> bool:
    return isinstance(event, AgentTurn) and event.stop_reason != UNFINISHED


def no_price(model: str, table: PriceTable | None) -> PriceUnknown:
    """A limit on cost cannot be kept."""
    where = f"in {table.source}" if table else "at all: there is no price table"
    return PriceUnknown(
        f"cost is limited, and there is no price for {model} {where}",
        hint="Name its price in a file (--prices FILE, see docs/costs.md), or set no limit.",
    )
