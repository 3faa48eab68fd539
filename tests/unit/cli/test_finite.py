"""Numbers that Python knows and nobody can mean."""

from __future__ import annotations

import click
import pytest

from quickstarted.cli import doctor, run
from quickstarted.cli.finite import FiniteRange

NUMBERS = [
    *(param for param in run.command.params if isinstance(param.type, click.FloatRange)),
    *(param for param in doctor.command.params if isinstance(param.type, click.FloatRange)),
]


@pytest.mark.parametrize("value", ["nan", "inf", "1e400"])
@pytest.mark.parametrize("option", NUMBERS, ids=lambda option: option.name)
def test_no_option_takes_a_number_that_is_not_finite(option, value):
    with pytest.raises(click.BadParameter, match=r"can be meant here|not in the range"):
        option.type.convert(value, option, None)


def test_other_numbers_are_taken_as_ever():
    assert (0.5, 3.0) == tuple(FiniteRange(0).convert(text, None, None) for text in ("0.5", "3"))
