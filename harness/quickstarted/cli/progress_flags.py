"""The flags that say what is shown while attempts are made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import click

from quickstarted.errors import UsageError

_Command = TypeVar("_Command", bound=Callable[..., Any])
_FLAGS = (
    click.option("--verbose", is_flag=True, help="Show the output of every command."),
    click.option("--quiet", is_flag=True, help="Show only the verdicts."),
    click.option(
        "--json",
        "as_json",
        is_flag=True,
        help="For programs: standard output is one JSON object a line; with --plan, one document.",
    ),
)


class ProgressFlags(Protocol):
    """The values of the flags, among others."""

    @property
    def as_json(self) -> bool: ...  # noqa: D102
    @property
    def show_prompt(self) -> bool: ...  # noqa: D102


def progress_flags(command: _Command) -> _Command:
    """Give *command* the flags."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def refuse_text_and_json(flags: ProgressFlags) -> None:
    """
    See that nothing but JSON will be on standard output where it was asked for.

    Raises:
        UsageError: Another flag prints text there.

    """
    if flags.as_json and flags.show_prompt:
        raise UsageError(
            "--show-prompt prints text, and --json says that standard output is JSON",
            hint="Leave out one of them.",
        )
