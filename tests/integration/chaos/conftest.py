"""A look at what calls leave on the engine."""

from __future__ import annotations

import time

import pytest

from quickstarted.sandbox.gc import sweep
from quickstarted.sandbox.labels import Owner


@pytest.fixture(name="left_by")
def _left_by(engine):
    """`left_by(pid)`: containers, networks and volumes with the label of the process *pid*."""

    def look(pid):
        found = sweep(engine, now=time.time(), dry_run=True)
        owned = [(one, Owner.parse(one.owner)) for one in found if one.kind != "image"]
        return [(one.kind, one.id) for one, owner in owned if owner and owner.pid == pid]

    return look
