"""
Attempts whose sidecar reaches our own origin servers (`egress.origins`) and nothing else.

In process, so that a test can look around while an attempt is at work.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from egress.origins import Origins
from fakes import lanes
from quickstarted.agents.replay import ReplayAgent
from quickstarted.events import Event
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir
from quickstarted.run import AttemptHooks, run_attempt
from quickstarted.sandbox.backend import BackendOptions, DockerBackend
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.lanes.upstream import Upstream
from quickstarted.sandbox.protocol import EgressSink, SandboxSpec
from quickstarted.task import load_task


class FarSideBackend(DockerBackend):
    """Joins each sidecar to the origins before the first command runs."""

    def __init__(
        self, engine: Engine, origins: Origins | None, run_id: str, **options: Any
    ) -> None:
        trust = Upstream(trust_pem=origins.ca_pem) if origins else Upstream()
        super().__init__(engine, BackendOptions(run_id=run_id, upstream=trust, **options))
        self.run_id = run_id
        self._origins = origins
        self._joined: set[str] = set()

    @contextmanager
    def open(self, spec: SandboxSpec, on_egress: EgressSink) -> Iterator[Any]:
        """As the real one."""
        with super().open(spec, on_egress) as sandbox:
            for sidecar in {*self.sidecars()} - self._joined:
                if self._origins is not None:
                    self._origins.join(self.engine, sidecar)
                self._joined.add(sidecar)
            yield sandbox

    def sidecars(self) -> list[str]:
        """Their containers' ids."""
        return lanes.labelled(self.engine, self.run_id, "sidecar")


@contextmanager
def far_side(
    engine: Engine, origins: Origins | None = None, **options: Any
) -> Iterator[FarSideBackend]:
    """A backend that is closed, and must then have left nothing."""
    backend = FarSideBackend(engine, origins, lanes.new_run_id(), **options)
    try:
        yield backend
    finally:
        backend.close()
        assert lanes.labelled(engine, backend.run_id) == []


def attempt(
    backend: DockerBackend,
    task: Path,
    folder: Path,
    *,
    environ: Mapping[str, str] | None = None,
    observer: Callable[[Event], None] = lambda _: None,
    agent: Any = None,
    **plan: Any,
) -> AttemptPlan:
    """Run one attempt of *task*; its records are in *folder*."""
    folder.mkdir(parents=True, exist_ok=True)
    made = AttemptPlan(
        task=load_task(task),
        agent=agent or ReplayAgent(),
        attempt=1,
        run_id="test-far-side",
        default_image=lanes.test_image(backend.engine),
        environ=environ or {},
        **plan,
    )
    hooks = AttemptHooks(observer=observer, note=lambda _: None, cancelled=lambda: False)
    run_attempt(made, backend, AttemptDir(folder), hooks)
    return made
