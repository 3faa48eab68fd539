"""The backend of one call, made from the environment, closed at the end."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from quickstarted.errors import EngineFault, Interrupted
from quickstarted.sandbox.backend import docker_backend
from quickstarted.sandbox.protocol import Backend
from quickstarted.sandbox.unreachable import UnreachableBackend


@contextmanager
def backend_for(
    run_id: str,
    *,
    upstream_ca: Path | None,
    note: Callable[[str], None],
    cancelled: Callable[[], bool],
) -> Iterator[Backend]:
    """
    Give the backend of this call.

    Args:
        run_id: Goes on the labels of everything that is created.
        upstream_ca: Further authorities that the proxy trusts.
        note: Takes lines about long work; no pull goes on after `cancelled` says so.
        cancelled: Whether somebody asked to stop.

    """

    def progress(line: str) -> None:
        if cancelled():
            raise Interrupted("interrupted while images were made ready")
        note(line)

    backend: Backend
    try:
        backend = docker_backend(run_id, os.environ, upstream_ca=upstream_ca, progress=progress)
    except EngineFault as fault:
        backend = UnreachableBackend("docker", fault)
    try:
        yield backend
    finally:
        try:
            backend.close()
        except EngineFault as fault:
            click.echo(f"note: {fault}\n`quickstarted gc` removes what is left.", err=True)
