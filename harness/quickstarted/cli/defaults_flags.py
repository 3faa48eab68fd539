"""`--no-defaults`, and the defaults of `quickstarted.yaml` where it is not given."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from quickstarted.results.planned import Defaults

META = "quickstarted.defaults"
"""Where the context of a call has its file and options."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def defaults_flags(command: _Command) -> _Command:
    """Give *command* the flag, and the defaults."""
    return click.option(
        "--no-defaults",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_take_defaults,
        help="Do as if there were no quickstarted.yaml.",
    )(command)


def defaults_of(context: click.Context) -> Defaults | None:
    """The file, and the options that nothing typed has beaten; None where there is no file."""
    if META not in context.meta:
        return None
    from quickstarted.results.planned import Defaults  # noqa: PLC0415 - few calls have one

    path, found, names = context.meta[META]
    source = click.core.ParameterSource.DEFAULT_MAP
    used = {
        name: value
        for name, value in found.items()
        if context.get_parameter_source(names[name]) is source
    }
    return Defaults(file=str(path), options=used)


def say_defaults(context: click.Context, say: Callable[[str], None]) -> None:
    """Say where options come from, where they come from a file."""
    if defaults := defaults_of(context):
        from quickstarted.console.plan_table import defaults_said  # noqa: PLC0415 - `--verbose`

        say(defaults_said(defaults))


def _take_defaults(context: click.Context, param: click.Parameter, value: bool) -> None:
    """Before any other parameter is read."""
    del param
    if value or context.resilient_parsing:
        return
    # Reading the file is loaded where there is one.
    from quickstarted.cli import defaults  # noqa: PLC0415

    path = defaults.find_defaults(Path.cwd())
    if path is None:
        return
    found = defaults.read_defaults(path, context.command)
    by_parameter = defaults.default_map(found, context.command)
    context.default_map = by_parameter
    names = dict(zip(found, by_parameter, strict=True))
    context.meta[META] = (path, found, names)
