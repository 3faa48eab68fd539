"""The backend of one call, made from the environment, closed at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from quickstarted.errors import EngineFault, Interrupted, UsageError
from quickstarted.sandbox.backend import docker_backend
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.sandbox.protocol import Backend
from quickstarted.sandbox.unreachable import UnreachableBackend

AUTO, DOCKER, LOCAL = "auto", "docker", "local"
BACKENDS = (AUTO, DOCKER, LOCAL)
"""Values of `--backend`; `auto` never chooses one that enforces nothing."""


@dataclass(frozen=True, kw_only=True)
class BackendChoice:
    """Which backend the call asks for."""

    name: str = AUTO
    allow_unenforced: bool = False
    package_cache: bool = True


ENFORCED = BackendChoice()
"""For calls that have no say in it."""

backend_option = click.option(
    "--backend",
    type=click.Choice(BACKENDS),
    default=AUTO,
    show_default=True,
    help="Where commands run; auto is docker. local: on this machine, nothing enforced.",
)
allow_unenforced_option = click.option(
    "--allow-unenforced",
    is_flag=True,
    help="Accept a backend that enforces nothing: commands may read, change and reach what you"
    " may. Each result says so.",
)


@contextmanager
def backend_for(
    run_id: str,
    *,
    upstream_ca: Path | None,
    note: Callable[[str], None],
    cancelled: Callable[[], bool],
    choice: BackendChoice = ENFORCED,
) -> Iterator[Backend]:
    """
    Give the backend of this call.

    Args:
        run_id: Goes on the labels of everything that is created.
        upstream_ca: Further authorities that the proxy trusts.
        note: Takes lines about long work; no pull goes on after `cancelled` says so.
        cancelled: Whether somebody asked to stop.
        choice: Which one, and whether it may be one that enforces nothing.

    Raises:
        UsageError: It enforces nothing, and the call does not allow that.

    """

    def progress(line: str) -> None:
        if cancelled():
            raise Interrupted("interrupted while images were made ready")
        note(line)

    backend: Backend
    if choice.name == LOCAL:
        refuse_unenforced(choice)
        backend = LocalBackend(run_id, os.environ)
    else:
        try:
            backend = docker_backend(
                run_id,
                os.environ,
                upstream_ca=upstream_ca,
                progress=progress,
                package_cache=choice.package_cache,
            )
        except EngineFault as fault:
            backend = UnreachableBackend(DOCKER, fault)
    try:
        yield backend
    finally:
        try:
            backend.close()
        except EngineFault as fault:
            click.echo(f"note: {fault}\n`quickstarted gc` removes what is left.", err=True)


def refuse_unenforced(choice: BackendChoice) -> None:
    """
    Return when the call knows what the backend does not do.

    Raises:
        UsageError: It does not say so.

    """
    if choice.allow_unenforced:
        return
    raise UsageError(
        "the local backend enforces nothing: commands run on this machine as you, may read, change"
        " and delete what you may, and reach every host; the task's network policy and limits are"
        " not applied, no request is on record, and documentation is readable around read_docs",
        hint="Use --backend docker; or, for a task whose commands you know, add"
        " --allow-unenforced. Each result will say that nothing was enforced.",
    )
