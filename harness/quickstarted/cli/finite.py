"""
Numbers that are typed.

Python reads `nan` and `inf` as numbers, and click lets both through every range that is open to
their side; a floor, a limit or a pause can be neither.
"""

from __future__ import annotations

import math
from typing import Any

import click


class FiniteRange(click.FloatRange):
    """`click.FloatRange`, of finite numbers only."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """
        Read a number.

        Raises:
            click.BadParameter: It is none, is not finite, or lies outside of the range.

        """
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not a number that can be meant here", param, ctx)
        return number
