"""The flags that say on which machines attempts are made."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import click

from quickstarted.errors import UsageError

LOCAL, RAY = "local", "ray"


@dataclass(frozen=True, slots=True)
class Executor:
    """Who makes attempts."""

    name: str = LOCAL
    """`local`: this machine; `ray`: nodes of a cluster."""
    address: str | None = None
    """Of the cluster, `HOST:PORT`; None: the one that this machine is part of."""


class ExecutorParam(click.ParamType[Executor]):
    """`local`, `ray` or `ray:HOST:PORT`."""

    name = "executor"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Executor:
        """Read what is given."""
        if isinstance(value, Executor):
            return value
        name, separator, address = str(value).partition(":")
        host, _, port = address.rpartition(":")
        is_address = bool(host) and port.isdigit() and "/" not in host
        if name == RAY and (is_address or not separator):
            return Executor(RAY, address or None)
        if value != LOCAL:
            self.fail(f"{value!r} is none of local, ray and ray:HOST:PORT", param, ctx)
        return Executor()


_Command = TypeVar("_Command", bound=Callable[..., Any])
_FLAGS = (
    click.option(
        "--executor",
        type=ExecutorParam(),
        default=LOCAL,
        show_default=True,
        metavar="local|ray[:HOST:PORT]",
        help="ray: make attempts on the nodes of a Ray cluster, --workers over all of them; see"
        " docs/cluster.md.",
    ),
    click.option(
        "--forward-env",
        multiple=True,
        metavar="NAME",
        help="With --executor ray: send the nodes this variable, such as a key that they do not"
        " have.",
    ),
)


class ExecutorFlags(Protocol):
    """The values of the flags, and of others that they must agree with."""

    @property
    def executor(self) -> Executor: ...  # noqa: D102
    @property
    def forward_env(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def keep_sandbox(self) -> bool: ...  # noqa: D102
    @property
    def cache_dir(self) -> Path | None: ...  # noqa: D102


def executor_flags(command: _Command) -> _Command:
    """Give *command* the flags."""
    for flag in reversed(_FLAGS):
        command = flag(command)
    return command


def refuse_contradicting_executor(flags: ExecutorFlags) -> None:
    """
    Refuse what does not go together.

    Raises:
        UsageError: It does not.

    """
    if flags.executor.name == LOCAL:
        if flags.forward_env:
            raise UsageError(
                "--forward-env is for --executor ray: here everything is there already"
            )
        return
    if flags.keep_sandbox:
        raise UsageError(
            "--keep-sandbox and --executor ray contradict each other: a sandbox would be kept on"
            " the node that made it",
            hint="Make that attempt on this machine, with --executor local.",
        )


def forwarded(names: tuple[str, ...], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """
    The variables *names*.

    Raises:
        UsageError: One is not set.

    """
    if missing := [name for name in names if name not in environ]:
        raise UsageError(f"--forward-env {missing[0]}: it is not set here")
    return {name: environ[name] for name in names}
