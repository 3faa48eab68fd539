"""How money is said, and that some of it is not known."""

from __future__ import annotations

from collections.abc import Sequence

from quickstarted.results import PriceSource, SuiteResult

SMALLEST_USD = 0.0001


def usd(value: float) -> str:
    """`$0`, `<$0.0001`, `$0.0123`, `$1.23`, `$1,234.50`."""
    if value == 0:
        return "$0"
    if value < SMALLEST_USD:
        return f"<${SMALLEST_USD}"
    return f"${value:,.2f}" if round(value, 4) >= 1 else f"${value:.4f}"


def cost_said(value: float | None, unpriced: Sequence[str]) -> str:
    """The cost, or the models for which there is no price; not yet `visible`."""
    if value is not None:
        return usd(value)
    return f"no price for {', '.join(unpriced)}" if unpriced else "no price"


def source_said(source: PriceSource) -> str:
    """`genai-prices 0.2.3`, `prices.yaml of 2026-11-30`; not yet `visible`."""
    return f"{source.source} of {source.date}" if source.date else source.source


def max_spend_reached(suite: SuiteResult) -> str:
    """What is said where a call ended at `--max-spend`."""
    limit = usd(suite.max_spend_usd or 0.0)
    spent = cost_said(suite.estimated_cost_usd, suite.unpriced_models)
    made, planned = len(suite.runs), suite.attempts_planned or len(suite.runs)
    return (
        f"stopped at --max-spend {limit}: {spent} spent, {made} of {planned} attempts begun;"
        " the results of those that ended by themselves stay"
    )
