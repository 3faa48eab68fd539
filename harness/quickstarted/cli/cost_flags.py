"""The flags that say what calls of models cost, and what a call of the program may spend."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from quickstarted.agents.protocol import Agent
from quickstarted.cli.finite import FiniteRange
from quickstarted.cli.typed_paths import TypedPath
from quickstarted.errors import UsageError

if TYPE_CHECKING:
    from quickstarted.prices import PriceTable, SpendMeter

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FLAGS = (
    click.option(
        "--prices",
        type=TypedPath(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Prices of models, YAML or JSON; default: those of the package genai-prices.",
    ),
    click.option(
        "--refresh-prices",
        is_flag=True,
        help="Fetch what genai-prices publishes now, for this call.",
    ),
    click.option(
        "--max-spend",
        type=FiniteRange(0, min_open=True),
        metavar="USD",
        help="Stop when all attempts together would cost more than this, as far as is estimated.",
    ),
)


class CostFlags(Protocol):
    """The values of the flags, among others."""

    @property
    def prices(self) -> Path | None: ...  # noqa: D102
    @property
    def refresh_prices(self) -> bool: ...  # noqa: D102
    @property
    def max_spend(self) -> float | None: ...  # noqa: D102


def cost_flags(command: _Command) -> _Command:
    """Give *command* the flags."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def prices_for(
    flags: CostFlags, agents: Sequence[Agent], note: Callable[[str], None]
) -> PriceTable | None:
    """
    The price table of a call; None where no model works, or there is none.

    Args:
        flags: Of the call.
        agents: That it names.
        note: Told where costs cannot be estimated.

    Raises:
        UsageError: The file is not one, or `--max-spend` could not be kept.
        QuickstartedError: Newer prices are asked for, and cannot be fetched.

    """
    # genai-prices takes a quarter of a second to load, and a replay has no use for it.
    from quickstarted.prices import has_price, price_table  # noqa: PLC0415

    models = [agent for agent in agents if not agent.is_replay]
    if not models and flags.prices is None:
        return None
    table = price_table(flags, os.environ, note)
    if flags.max_spend is not None:
        _refuse_unpriced(
            [
                agent.name
                for agent in models
                if table is None or (agent.model and not has_price(table, agent.model, time.time()))
            ],
            table,
        )
    return table


def meter_for(flags: CostFlags) -> SpendMeter | None:
    """What the attempts of a call may spend together; None where it is not limited."""
    from quickstarted.prices import SpendMeter  # noqa: PLC0415

    return None if flags.max_spend is None else SpendMeter(flags.max_spend)


def _refuse_unpriced(names: Sequence[str], table: PriceTable | None) -> None:
    if names:
        where = f"in {table.source}" if table else "anywhere: there is no price table"
        raise UsageError(
            f"--max-spend: there is no price {where} for {', '.join(names)}",
            hint="Name its price in a file (--prices FILE, see docs/costs.md), or set no limit.",
        )
