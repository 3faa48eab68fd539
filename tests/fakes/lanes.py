"""What tests of lanes share: backends with run ids of their own, and what is left of them."""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quickstarted.sandbox import engine as engines
from quickstarted.sandbox.backend import BackendOptions, DockerBackend
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.images.resolve import inspect
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE, SANDBOX_NODE, SANDBOX_PYTHON
from quickstarted.sandbox.labels import ROLE, RUN
from quickstarted.sandbox.lanes.upstream import upstream_of_host
from quickstarted.sandbox.protocol import Limits, SandboxSpec
from quickstarted_proxy.policy import EgressPolicy, HostRule

REGISTRY = EgressPolicy(
    allow=(HostRule(host="pypi.org"), HostRule(host="files.pythonhosted.org")),
    docs_hosts=("docs.example.com",),
)
NOTHING = EgressPolicy()
QUICK = Limits(timeout_s=60)


def new_run_id() -> str:
    """A run id that nobody else has."""
    return f"test-{uuid.uuid4().hex[:12]}"


def test_image(engine: Engine) -> str:
    """The sandbox image of this machine: the stand-in where it was built."""
    return SANDBOX_PYTHON.tag if inspect(engine, SANDBOX_PYTHON.tag) else DEFAULT_IMAGE


test_image.__test__ = False  # type: ignore[attr-defined]


def node_image(engine: Engine) -> str:
    """An image with Node: the stand-in where it was built."""
    return SANDBOX_NODE.tag if inspect(engine, SANDBOX_NODE.tag) else "node:20-slim"


@contextmanager
def connected() -> Iterator[Engine]:
    """The real engine."""
    engine = engines.connect()
    try:
        yield engine
    finally:
        engine.close()


@contextmanager
def docker_backend(engine: Engine, **options: Any) -> Iterator[DockerBackend]:
    """A backend that is closed, and must then have left nothing."""
    run_id = new_run_id()
    upstream = upstream_of_host(os.environ)
    backend = DockerBackend(engine, BackendOptions(run_id=run_id, upstream=upstream, **options))
    backend.run_id = run_id  # type: ignore[attr-defined]
    try:
        yield backend
    finally:
        backend.close()
        assert labelled(engine, run_id) == []


def spec(engine: Engine, policy: EgressPolicy = NOTHING, **fields: Any) -> SandboxSpec:
    """A sandbox from the test image."""
    image = fields.pop("image", None) or test_image(engine)
    run_id = fields.pop("run_id", "test-lanes")
    return SandboxSpec(run_id=run_id, image=image, policy=policy, **fields)


def labelled(engine: Engine, run_id: str, role: str | None = None) -> list[str]:
    """Ids of all containers and networks of a run, or those of one role."""
    wanted = {"label": [f"{RUN}={run_id}", *([f"{ROLE}={role}"] if role else [])]}
    containers = engine.api.containers(all=True, filters=wanted)
    networks = engine.api.networks(filters=wanted)
    return [str(one["Id"]) for one in [*containers, *networks]]


def python(sandbox: Any, program: str) -> str:
    """What a Python program prints in the sandbox, its errors included."""
    done = sandbox.run_clean('exec python3 -c "$PROGRAM"', QUICK, env={"PROGRAM": program})
    return str(done.output).strip()
