"""What a price table is: a name and a date of its own, and prices by a model's reported name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from quickstarted.events import Usage

TOKENS_PER_RATE = 1_000_000
"""Rates are in US dollars for so many tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """US dollars per million tokens of each of the four counters."""

    input: Decimal
    output: Decimal
    cache_write: Decimal
    cache_read: Decimal

    def cost(self, usage: Usage) -> Decimal:
        """What *usage* costs in US dollars."""
        total = (
            self.input * usage.input_tokens
            + self.output * usage.output_tokens
            + self.cache_write * usage.cache_write_tokens
            + self.cache_read * usage.cache_read_tokens
        )
        return total / TOKENS_PER_RATE


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """The entry of a table that a model is priced by."""

    entry: str
    """As the table calls it: a name, a pattern, or `vendor/name`."""
    rates: Rates
    """For a short call, where a longer one costs more."""
    depends_on_size: bool = False
    """Whether a call with much input has other rates."""


class PriceTable(Protocol):
    """Prices of models; the same for all attempts of a call, and safe to ask from any thread."""

    @property
    def source(self) -> str:
        """Where the prices come from: a file, or a package with its version."""

    @property
    def date(self) -> str | None:
        """`YYYY-MM-DD` of the prices; None where nobody said."""

    @property
    def sha256(self) -> str | None:
        """Hex digest of the file; None for prices that are in no file of the caller's."""

    def price(self, model: str, at: float) -> Price | None:
        """The entry for *model* at *at*, epoch seconds; None where there is none."""

    def cost_usd(self, model: str, usage: Usage, at: float) -> Decimal | None:
        """What one call that used *usage* costs; None where there is no price."""


def has_price(table: PriceTable | None, model: str, at: float) -> bool:
    """Whether costs of *model* can be estimated."""
    return table is not None and table.price(model, at) is not None


def price_record(table: PriceTable, models: Mapping[str, float]) -> dict[str, Any]:
    """
    What `run.json` says of prices: where they come from, and what each model was priced by.

    Args:
        table: That was used.
        models: As the vendor reported them, with the time of a call, epoch seconds.

    """
    found = {model: table.price(model, at) for model, at in models.items()}
    return {
        "source": table.source,
        "date": table.date,
        "sha256": table.sha256,
        "models": {model: price and _rates(price) for model, price in found.items()},
    }


def _rates(price: Price) -> dict[str, Any]:
    """The entry, and its rates in US dollars per million tokens."""
    rates = price.rates
    return {
        "entry": price.entry,
        "input": float(rates.input),
        "output": float(rates.output),
        "cache_write": float(rates.cache_write),
        "cache_read": float(rates.cache_read),
        "depends_on_size": price.depends_on_size,
    }
