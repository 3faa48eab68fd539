"""The flags that say how often attempts are repeated, and what their pass rates are held to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from quickstarted.cli.finite import FiniteRange
from quickstarted.errors import UsageError
from quickstarted.matrix import MOST_REPEAT

if TYPE_CHECKING:
    from quickstarted.figures import SequentialPlan
    from quickstarted.results import GateRule, SuiteResult

_AUTO = re.compile(r"auto(?::([1-9][0-9]{0,4}))?")
_Command = TypeVar("_Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Repeat:
    """What was given to `--repeat`."""

    attempts: int | None
    """Of each cell; None: until it is decided."""
    longest: int | None = None
    """With `auto`: at most so many; None: as many as it takes."""


def read_repeat(context: click.Context, param: click.Parameter, text: str) -> Repeat:
    """
    Read `5`, `auto`, `auto:40`.

    Raises:
        click.BadParameter: It is none of them.

    """
    if found := _AUTO.fullmatch(text):
        return Repeat(None, int(found[1]) if found[1] else None)
    is_number = text.isascii() and text.isdigit() and len(text) <= len(str(MOST_REPEAT))
    if is_number and 1 <= int(text) <= MOST_REPEAT:
        return Repeat(int(text))
    raise click.BadParameter(
        f"{text!r} is neither a number from 1 to {MOST_REPEAT:,} nor auto nor auto:MOST",
        ctx=context,
        param=param,
    )


_FLAGS = (
    click.option(
        "--repeat",
        callback=read_repeat,
        default="1",
        show_default=True,
        metavar="N|auto[:MOST]",
        help="Attempts of each cell. auto: until each is decided for or against --min-pass-rate, at"
        " most MOST.",
    ),
    click.option(
        "--min-pass-rate",
        type=FiniteRange(0, 1, min_open=True),
        metavar="R",
        help="Fail only where a cell's attempts show that its true pass rate is below R (0.9), at a"
        " level of 5%; see docs/numbers.md.",
    ),
    click.option(
        "--margin",
        type=FiniteRange(0, 1, min_open=True, max_open=True),
        metavar="D",
        help="With --repeat auto: a rate lower by D is to be found in 4 of 5 cases. Default: 0.2.",
    ),
    click.option(
        "--strict-inconclusive",
        is_flag=True,
        help="Exit with 1 instead of 2 where there is no evidence, or not enough.",
    ),
)


def gate_flags(command: _Command) -> _Command:
    """Give *command* the flags."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def settled(flags: Mapping[str, object]) -> dict[str, object]:
    """
    *flags* as `RunOptions` has them: `repeat` a number, and what cells are held to as `gate`.

    Raises:
        UsageError: They contradict each other, or say what cannot be tested.

    """
    known = dict(flags)
    repeat, rate, margin = known["repeat"], known.pop("min_pass_rate"), known.pop("margin")
    assert isinstance(repeat, Repeat)
    assert rate is None or isinstance(rate, float)
    assert margin is None or isinstance(margin, float)
    if margin is not None and repeat.attempts is not None:
        raise UsageError(
            "--margin is about --repeat auto",
            hint="A fixed number of attempts says by itself what rate it can find.",
        )
    if repeat.attempts is not None:
        return known | {"repeat": repeat.attempts, "gate": _fixed(rate)}
    if rate is None:
        raise UsageError(
            "--repeat auto repeats until a rate is decided, and there is none",
            hint="Give it with --min-pass-rate, as 0.9.",
        )
    if known.get("shard") is not None:
        raise UsageError(
            "--repeat auto needs all attempts of a cell in one call, and --shard takes them apart",
            hint="Give each machine tasks of its own instead.",
        )
    from quickstarted.figures import SequentialPlan, rule_for  # noqa: PLC0415 - few calls need it

    plan = SequentialPlan(rate, margin, longest=repeat.longest)
    return known | {"repeat": plan.most, "gate": rule_for(rate, plan)}


def refuse_powerless(rule: GateRule | None, repeats: Iterable[int]) -> None:
    """
    Refuse a gate that could never be red.

    Args:
        rule: What cells are held to.
        repeats: Attempts of each cell.

    Raises:
        UsageError: Not even failures alone would show a cell to be below.

    """
    if rule is None or rule.auto is not None:
        return
    from quickstarted.figures import attempts_needed  # noqa: PLC0415 - few calls need it

    needed = attempts_needed(rule.min_pass_rate, alpha=rule.alpha)
    fewest = min(repeats, default=needed)
    if fewest < needed:
        raise UsageError(
            f"--min-pass-rate {rule.min_pass_rate:g} and --repeat {fewest} can"
            " never fail: even if none passed, that would not show the rate to be lower",
            hint=f"Give --repeat {needed} or more, or --repeat auto.",
        )


def stop_rule_for(rule: GateRule | None) -> SequentialPlan | None:
    """What ends a cell's attempts early; None: nothing."""
    if rule is None:
        return None
    from quickstarted.figures import plan_for  # noqa: PLC0415 - few calls need it

    return plan_for(rule)


def judged_by(
    rule: GateRule | None, shard: tuple[int, int] | None
) -> Callable[[SuiteResult], SuiteResult]:
    """
    What adds the gate to results.

    A shard has some of the attempts of a cell, and judges nothing: `merge` does, by the rule that
    the shards have written down.
    """
    if rule is None:
        return lambda suite: suite
    if shard is not None:
        return lambda suite: suite.model_copy(update={"gate": rule})
    from quickstarted.figures import gated  # noqa: PLC0415 - few calls need it

    return lambda suite: gated(suite, rule)


def exit_code_for(
    suite: SuiteResult, shard: tuple[int, int] | None, *, strict_inconclusive: bool
) -> int:
    """What the program says of *suite*; a shard with a gate says only whether it has evidence."""
    if suite.gate is None:
        from quickstarted.results import exit_code  # noqa: PLC0415 - loaded beside the engine

        return exit_code(suite.runs, strict_inconclusive=strict_inconclusive)
    if shard is None:
        from quickstarted.figures import gate_exit_code  # noqa: PLC0415 - few calls need it

        return gate_exit_code(suite, strict_inconclusive=strict_inconclusive)
    if any(run.classification.evidential for run in suite.runs):
        return 0
    return 1 if strict_inconclusive else 2


def _fixed(rate: float | None) -> GateRule | None:
    if rate is None:
        return None
    from quickstarted.figures import rule_for  # noqa: PLC0415 - few calls need it

    return rule_for(rate)
