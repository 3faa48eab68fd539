"""One engine, one set of origins and one sandbox of each image for the whole suite."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from egress.attempts import silent_rows
from egress.origins import origins
from egress.world import host_addresses, host_facts, host_service, worlds
from fakes import lanes


@pytest.fixture(scope="session", name="engine")
def _engine():
    with lanes.connected() as connected:
        yield connected


@pytest.fixture(scope="session", name="origins")
def _origins(engine):
    with origins(engine, lanes.new_run_id()) as started:
        yield started


@pytest.fixture(scope="session", name="host")
def _host():
    with host_service() as started:
        yield started


@pytest.fixture(scope="session", name="facts")
def _facts(engine, host):
    """What attempts know of the machine that they run on."""
    return host_facts(host, host_addresses(engine))


@pytest.fixture(scope="session", name="world")
def _world(engine, origins, facts):
    """`world(image, budgeted)`: the one sandbox of that kind, made when it is first asked for."""
    with worlds(engine, origins, facts) as all_worlds, ExitStack() as stack:
        opened = {}

        def find(image, *, budgeted=False):
            kind = (image, budgeted)
            if kind not in opened:
                opened[kind] = stack.enter_context(all_worlds.open(image, budgeted=budgeted))
            return opened[kind]

        yield find


@pytest.fixture(scope="session", name="silent")
def _silent(world):
    """All attempts that reach nobody, made at once: what each saw, and the little that was seen."""
    rows = silent_rows()
    saw, events, seen = world("python").side_by_side(rows)
    return dict(zip((row.name for row in rows), saw, strict=True)), events, seen
