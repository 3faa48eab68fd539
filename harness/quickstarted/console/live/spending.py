"""Tokens and money as they are spent, and that some of it is not known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from quickstarted.console.money import usd
from quickstarted.events import AgentTurn, ApiRetry
from quickstarted.results import RunResult


@dataclass(slots=True)
class Spending:
    """A sum over calls of models."""

    tokens: int = 0
    known_usd: float = 0.0
    is_partial: bool = False
    """Something in it has no price."""

    def add_call(self, event: AgentTurn | ApiRetry) -> None:
        """One call of a model, or a failed try of one."""
        tokens = (
            event.input_tokens
            + event.output_tokens
            + event.cache_read_tokens
            + event.cache_write_tokens
        )
        self.tokens += tokens
        if event.cost_usd is not None or tokens or isinstance(event, AgentTurn):
            self.add_cost(event.cost_usd)

    def add_result(self, result: RunResult) -> None:
        """A whole try."""
        self.tokens += result.tokens.total
        self.add_cost(result.estimated_cost_usd)

    def add_cost(self, cost_usd: float | None) -> None:
        """Money; None has no price."""
        self.known_usd += cost_usd or 0.0
        self.is_partial = self.is_partial or cost_usd is None

    def plus(self, others: Iterable[Spending]) -> Spending:
        """The sum with *others*."""
        total = Spending(self.tokens, self.known_usd, self.is_partial)
        for one in others:
            total.tokens += one.tokens
            total.known_usd += one.known_usd
            total.is_partial = total.is_partial or one.is_partial
        return total

    @property
    def cost_said(self) -> str:
        """`$0.4100`, `over $0.4100` where some of it has no price, `no price`."""
        if not self.is_partial:
            return usd(self.known_usd)
        return f"over {usd(self.known_usd)}" if self.known_usd else "no price"


def tokens_said(number: int) -> str:
    """`950`, `12k`, `1.2M`."""
    if number < 1000:
        return str(number)
    if number < 999_500:
        return f"{number / 1000:.0f}k"
    return f"{number / 1_000_000:.1f}M"
