"""Two nodes of a Ray cluster on this machine, `a` and `b`, with two slots each."""

from __future__ import annotations

import pytest

from fakes.program import end_started
from fakes.ray_nodes import ray_cluster


@pytest.fixture(scope="session", name="two_nodes")
def _two_nodes():
    with ray_cluster() as cluster:
        cluster.join("a")
        cluster.join("b")
        yield cluster


@pytest.fixture(autouse=True)
def _ended():
    yield
    end_started()
