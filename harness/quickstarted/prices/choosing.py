"""Which price table a call uses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from quickstarted.errors import UsageError
from quickstarted.prices.bundled import PACKAGE, bundled, refreshed
from quickstarted.prices.file import read_prices
from quickstarted.prices.table import PriceTable

REMEDY = "pip install 'quickstarted-harness[prices]'"
ADDRESS_VARIABLE = "QUICKSTARTED_PRICES_URL"
"""Where `--refresh-prices` fetches in place of the package's own address, such as a mirror."""


class PriceFlags(Protocol):
    """The values of the flags, among others."""

    @property
    def prices(self) -> Path | None: ...  # noqa: D102
    @property
    def refresh_prices(self) -> bool: ...  # noqa: D102


def price_table(
    flags: PriceFlags, environ: Mapping[str, str], note: Callable[[str], None]
) -> PriceTable | None:
    """
    The table of a call: the file that it names and no other, else the package's.

    Args:
        flags: Of the call.
        environ: The caller's.
        note: Told where there is no table at all.

    Raises:
        UsageError: The file is not one, or the flags contradict each other.
        QuickstartedError: Newer prices are asked for, and cannot be fetched.

    """
    if flags.prices is not None:
        if flags.refresh_prices:
            raise UsageError(
                "--prices and --refresh-prices contradict each other",
                hint="A file has the prices that stand in it; --refresh-prices is for the others.",
            )
        return read_prices(flags.prices)
    try:
        if flags.refresh_prices:
            return refreshed(environ.get(ADDRESS_VARIABLE, "").strip() or None)
        return bundled()
    except ImportError as exc:
        if flags.refresh_prices:
            raise UsageError(
                f"--refresh-prices needs the package {PACKAGE}, which is not there: {exc}",
                hint=REMEDY,
            ) from exc
        note(f"note: costs are not estimated: {REMEDY}, or name a file with --prices")
        return None
