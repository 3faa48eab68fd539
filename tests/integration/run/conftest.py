"""Further images that runs are tried on, and a look at what is left behind."""

from __future__ import annotations

import time

import pytest

from fakes.containers import derive, shell_less_image
from fakes.program import write_task
from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.labels import Owner


@pytest.fixture(scope="session", name="no_shell")
def _no_shell(engine):
    return shell_less_image(engine)


@pytest.fixture(scope="session", name="entrypoint")
def _entrypoint(engine):
    return derive(engine, "run-entrypoint", "true", 'ENTRYPOINT ["/bin/false"]')


@pytest.fixture(name="task")
def _task(tmp_path):
    """`task(body)` writes a task file and returns its path."""

    def write(body):
        return write_task(tmp_path, body)

    return write


@pytest.fixture(name="left_by")
def _left_by(engine):
    """`left_by(pid)`: containers, networks and volumes with the label of the process *pid*."""

    def look(pid):
        found = sweep(engine, now=time.time(), dry_run=True)
        owned = [(one, Owner.parse(one.owner)) for one in found if one.kind != "image"]
        return [(one.kind, one.id) for one, owner in owned if owner and owner.pid == pid]

    return look
