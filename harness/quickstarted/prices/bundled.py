"""
Prices of the package `genai-prices`: those that it has with it, or newer ones where asked for.

The one door to that package. Nothing is fetched unless `--refresh-prices` says so, and what was
fetched serves the one call: the same call on another day does not depend on it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from importlib.metadata import version
from typing import TYPE_CHECKING

from quickstarted.errors import QuickstartedError
from quickstarted.events import Usage
from quickstarted.prices.table import Price, Rates

if TYPE_CHECKING:
    from genai_prices.data_snapshot import DataSnapshot
    from genai_prices.types import ModelInfo, Provider

PACKAGE = "genai-prices"
FETCH_TIMEOUT_S = 30
NOT_PRICES = (AssertionError, LookupError, OSError, TypeError, ValueError)
"""What the package raises for a document that is none of its own; pydantic's are ValueErrors."""
PREFIXES = ("bedrock/", "vertex/", "models/")
"""Of names of models where a cloud serves them, and of Gemini's in full."""
PROVIDERS = (None, "aws", "google", "azure")
"""Asked in turn: whoever the name belongs to, then clouds that have names of their own for it."""


class BundledTable:
    """
    The prices of a snapshot of genai-prices.

    Args:
        snapshot: Makes it; called when the first price is asked for, and never for a replay.
        source: Package, version, and whether newer prices were fetched.
        fetched: The day on which they were; None for those of the package.

    """

    sha256: str | None = None

    def __init__(
        self, snapshot: Callable[[], DataSnapshot], source: str, fetched: str | None = None
    ) -> None:
        self._make = snapshot
        self._made: DataSnapshot | None = None
        self._lock = threading.Lock()
        self.source = source
        self.date = fetched
        """Its data has no date of its own: the version stands for it."""

    def __reduce__(self) -> tuple[object, ...]:
        """Travels with its prices: another machine's package may have others."""
        return _table_of, (self._snapshot, self.source, self.date)

    def price(self, model: str, at: float) -> Price | None:
        """See `PriceTable.price`."""
        found = self._find(model)
        if found is None:
            return None
        provider, info = found
        prices = info.get_prices(_time(at))
        per_call = {name: self._unit_cost(found, usage, at) for name, usage in _ONE_OF_EACH.items()}
        return Price(
            entry=f"{provider.id}/{info.id}",
            rates=Rates(**per_call),
            depends_on_size=any(hasattr(value, "tiers") for value in vars(prices).values()),
        )

    def cost_usd(self, model: str, usage: Usage, at: float) -> Decimal | None:
        """See `PriceTable.cost_usd`."""
        found = self._find(model)
        return None if found is None else _cost(found, usage, at)

    @property
    def _snapshot(self) -> DataSnapshot:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _find(self, model: str) -> tuple[Provider, ModelInfo] | None:
        name = model
        for prefix in PREFIXES:
            name = name.removeprefix(prefix)
        snapshot = self._snapshot
        for provider in PROVIDERS:
            try:
                found = snapshot.find_provider_model(name, None, provider, None)
            except LookupError:
                continue
            if _has_tokens(found[1]):
                return found
        return None

    @staticmethod
    def _unit_cost(found: tuple[Provider, ModelInfo], usage: Usage, at: float) -> Decimal:
        return _cost(found, usage, at) * 1_000_000


_ONE_OF_EACH = {
    "input": Usage(input_tokens=1),
    "output": Usage(output_tokens=1),
    "cache_write": Usage(cache_write_tokens=1),
    "cache_read": Usage(cache_read_tokens=1),
}


def _has_tokens(info: ModelInfo) -> bool:
    """Some entries have prices of pictures or seconds only: their tokens would cost nothing."""
    prices = info.get_prices(datetime.now(tz=UTC))
    return prices.input_mtok is not None and prices.output_mtok is not None


def _table_of(snapshot: DataSnapshot, source: str, fetched: str | None) -> BundledTable:
    return BundledTable(lambda: snapshot, source, fetched)


def bundled() -> BundledTable:
    """
    The prices that the package has with it.

    Raises:
        ImportError: It is not there.

    """
    from genai_prices import data_snapshot  # noqa: PLC0415 - an extra, and slow to load

    return BundledTable(data_snapshot.get_snapshot, f"{PACKAGE} {version(PACKAGE)}")


def refreshed(url: str | None = None) -> BundledTable:
    """
    Prices as they are published now.

    Args:
        url: Where to fetch them in place of the package's own address.

    Raises:
        ImportError: The package is not there.
        QuickstartedError: They could not be fetched, or are not what the package reads.

    """
    import httpx2  # noqa: PLC0415 - comes with it
    from genai_prices import UpdatePrices  # noqa: PLC0415 - an extra, and slow to load

    updater = UpdatePrices(request_timeout=httpx2.Timeout(FETCH_TIMEOUT_S))
    updater.url = url or updater.url
    try:
        snapshot = updater.fetch()
    except (*NOT_PRICES, httpx2.HTTPError, httpx2.InvalidURL) as exc:
        words = f"{type(exc).__name__}: {exc}".splitlines()[0]
        raise QuickstartedError(
            f"--refresh-prices: {updater.url} gave no prices: {words}",
            hint="Leave it out, for the prices of the package, or name a file with --prices.",
        ) from exc
    assert snapshot is not None
    today = datetime.now(tz=UTC).date().isoformat()
    source = f"{PACKAGE} {version(PACKAGE)}, prices fetched from {updater.url}"
    return BundledTable(lambda: snapshot, source, today)


def _cost(found: tuple[Provider, ModelInfo], usage: Usage, at: float) -> Decimal:
    import genai_prices  # noqa: PLC0415 - an extra, and slow to load

    provider, info = found
    counted = genai_prices.Usage(
        input_tokens=usage.total - usage.output_tokens,
        output_tokens=usage.output_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        cache_read_tokens=usage.cache_read_tokens,
    )
    return info.calc_price(counted, provider, genai_request_timestamp=_time(at)).total_price


def _time(at: float) -> datetime:
    return datetime.fromtimestamp(at, tz=UTC)
