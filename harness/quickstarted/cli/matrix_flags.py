"""The flags that say which attempts a call is to make: a matrix file, a choice, a shard, a plan."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from quickstarted.cli.gate_flags import read_repeat
from quickstarted.cli.typed_paths import TypedPath
from quickstarted.errors import UsageError
from quickstarted.verdict import Classification

if TYPE_CHECKING:
    from quickstarted.matrix.file import Matrix

IN_THE_FILE = ("task", "agent", "model", "repeat", "affordances", "arm", "example")
"""Parameters of `run` whose values a matrix file has."""

_Command = TypeVar("_Command", bound=Callable[..., Any])


def _part(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """1/1 is the whole call: where `N` is a variable, what cannot be shared out is no part."""
    del context, parameter
    return None if value == "1/1" else value


_FLAGS = (
    click.option(
        "--matrix",
        type=TypedPath(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="Run what FILE names: tasks, agents, conditions, and how often; see docs/matrix.md.",
    ),
    click.option(
        "-k",
        "keyword",
        metavar="EXPR",
        help="Only cells with these words in the task's name, a tag or the agent's name; with and,"
        " or, not, ().",
    ),
    click.option(
        "--tag", multiple=True, metavar="TAG", help="Only tasks that have TAG, or one of several."
    ),
    click.option(
        "--changed-since",
        metavar="REV",
        help="Only cells whose task file, check, workspace, local site, arm or metadata.sources git"
        " says have changed since this branch left REV.",
    ),
    click.option(
        "--last-failed",
        is_flag=True,
        help="Only cells with an attempt in --out that did not pass.",
    ),
    click.option(
        "--only",
        multiple=True,
        type=click.Choice([one.value for one in Classification]),
        metavar="CLASSIFICATION",
        help="Only cells with such an attempt in --out, as docs_gap or infra_error.",
    ),
    click.option(
        "--shard",
        metavar="I/N",
        callback=_part,
        help="Only part I of N of the attempts; all N together make each once. See `merge`.",
    ),
    click.option(
        "--durations",
        type=TypedPath(path_type=Path, dir_okay=False),
        metavar="FILE",
        help="An earlier results.json: shards are balanced, and --plan estimates, by what attempts"
        " took there.",
    ),
    click.option(
        "--plan",
        is_flag=True,
        help="Say what would be run, what of it is done, and what the rest is likely to cost and"
        " take; run nothing.",
    ),
)


def matrix_flags(command: _Command) -> _Command:
    """Give *command* the flags."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def matrix_of(path: Path | None, typed: Collection[str]) -> Matrix | None:
    """
    Read the file that `--matrix` names; None where there is none.

    Args:
        path: What was given.
        typed: Names of the parameters that were given on the command line.

    Raises:
        UsageError: Something else in the call says what stands in the file.
        FileInvalid: With all that is wrong with the file.

    """
    if path is None:
        return None
    if both := [name for name in IN_THE_FILE if name in typed]:
        words = ", ".join("TASK" if name == "task" else f"--{name}" for name in both)
        raise UsageError(
            f"{words} together with --matrix: {path} says what is run",
            hint="Change the file, choose among its cells with -k or --tag, or leave --matrix out.",
        )
    from quickstarted.matrix.file import load_matrix  # noqa: PLC0415 - only where it is asked for

    return load_matrix(path)


def flags_of(matrix: Matrix, typed: Collection[str]) -> dict[str, object]:
    """What *matrix* says in place of flags: always how often, and other things if not *typed*."""
    file = matrix.file
    flags: dict[str, object] = {
        "workers": file.workers,
        "limit": tuple(f"{name}={number}" for name, number in file.limits.items()),
        "min_pass_rate": file.min_pass_rate,
    }
    given = {name: value for name, value in flags.items() if value and name not in typed}
    context = click.get_current_context()
    repeat = read_repeat(context, click.Option(["--repeat"]), str(file.repeat))
    return {**given, "repeat": repeat}


def typed_parameters(context: click.Context) -> frozenset[str]:
    """Names of the parameters that were given on the command line."""
    typed = click.core.ParameterSource.COMMANDLINE
    names: Sequence[str] = tuple(context.params)
    return frozenset(name for name in names if context.get_parameter_source(name) is typed)
