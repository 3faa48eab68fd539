"""The flags that say how attempts are made side by side, and how often again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from quickstarted.cli.finite import FiniteRange
from quickstarted.cli.gate_flags import stop_rule_for
from quickstarted.errors import UsageError

if TYPE_CHECKING:
    from quickstarted.plan import AttemptPlan
    from quickstarted.results import GateRule
    from quickstarted.suite import Floors, Room, SuiteOptions

GIB = 1024**3

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FLAGS = (
    click.option(
        "--workers",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        metavar="N",
        help="Attempts side by side.",
    ),
    click.option(
        "--limit",
        multiple=True,
        metavar="NAME=N",
        help="At most N attempts at once that use NAME, a vendor or a documentation host.",
    ),
    click.option(
        "--resume",
        is_flag=True,
        help="Go on with the call whose results are in --out: make what is missing.",
    ),
    click.option(
        "--retries",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        metavar="N",
        help="Make an attempt that was lost to infrastructure again, up to N times; each is kept.",
    ),
    click.option(
        "--min-free-disk",
        type=FiniteRange(min=0),
        default=1.0,
        show_default=True,
        metavar="GIB",
        help="Begin no attempt with less free on the disks of results and engine.",
    ),
    click.option(
        "--min-free-memory",
        type=FiniteRange(min=0),
        default=0.5,
        show_default=True,
        metavar="GIB",
        help="Begin no attempt with less memory free.",
    ),
)


class ScheduleFlags(Protocol):
    """The values of the flags, among others."""

    @property
    def typed(self) -> frozenset[str]: ...  # noqa: D102
    @property
    def out(self) -> Path: ...  # noqa: D102
    @property
    def workers(self) -> int: ...  # noqa: D102
    @property
    def limit(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def resume(self) -> bool: ...  # noqa: D102
    @property
    def retries(self) -> int: ...  # noqa: D102
    @property
    def gate(self) -> GateRule | None: ...  # noqa: D102
    @property
    def min_free_disk(self) -> float: ...  # noqa: D102
    @property
    def min_free_memory(self) -> float: ...  # noqa: D102


def schedule_flags(command: _Command) -> _Command:
    """Give *command* the flags."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def suite_options(flags: ScheduleFlags, plans: Sequence[AttemptPlan]) -> SuiteOptions:
    """
    How the attempts *plans* are made side by side.

    Raises:
        UsageError: A limit is not one, or is typed and nothing in the call uses what it names.

    """
    from quickstarted.suite import SuiteOptions, unused_limits  # noqa: PLC0415

    limits = _limits(flags.limit)
    unused = unused_limits(limits, plans)
    # A file is about other calls too, and about what choices have left out of this one.
    if unused and "limit" in flags.typed:
        raise UsageError(
            f"--limit {unused[0]}: no attempt of this call uses it",
            hint="Name a vendor (anthropic, openai, gemini) or a host of the documentation.",
        )
    return SuiteOptions(
        workers=flags.workers,
        retries=flags.retries,
        limits={name: most for name, most in limits.items() if name not in unused},
        stop_rule=stop_rule_for(flags.gate),
    )


def room_for(flags: ScheduleFlags, engine_folder: Path | None) -> Room:
    """
    What is kept free.

    Args:
        flags: Of the call.
        engine_folder: Where the engine keeps containers, where that is on this machine.

    """
    from quickstarted.suite import Room  # noqa: PLC0415

    folders = (flags.out,) if engine_folder is None else (flags.out, engine_folder)
    return Room(folders=folders, floors=floors_of(flags))


def floors_of(flags: ScheduleFlags) -> Floors:
    """What a machine keeps free."""
    from quickstarted.suite import Floors  # noqa: PLC0415

    return Floors(
        disk_bytes=int(flags.min_free_disk * GIB), memory_bytes=int(flags.min_free_memory * GIB)
    )


def _limits(texts: Sequence[str]) -> dict[str, int]:
    limits: dict[str, int] = {}
    for name, most in map(_limit, texts):
        if name in limits:
            raise UsageError(
                f"--limit {name} is given twice, as {limits[name]} and as {most}", hint="Give one."
            )
        limits[name] = most
    return limits


def _limit(text: str) -> tuple[str, int]:
    name, separator, number = text.rpartition("=")
    if not separator or not name or re.fullmatch("[1-9][0-9]{0,8}", number) is None:
        raise UsageError(
            f"--limit {text}: expected a name and a number from 1, such as anthropic=4"
        )
    return name, int(number)
