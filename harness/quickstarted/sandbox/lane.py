"""
One lane: a closed network, the sidecar on it, and addresses for sandboxes.

A lane outlives its attempt. The next one gets a new policy on the same sidecar, and an address of
its own, so that its sandbox starts while the one before it is still being removed; no command
runs before that one is gone.
"""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass

from quickstarted.errors import QuickstartedError, SidecarFault
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.networks import LaneNetwork, remove_network
from quickstarted.sandbox.protocol import EgressSink
from quickstarted.sandbox.sidecar import FaultListener, ignore_event
from quickstarted.sandbox.sidecar_container import (
    RunningSidecar,
    SidecarSpec,
    create_sidecar,
    remove_container,
    start_sidecar,
)
from quickstarted.sandbox.trust import TrustMaterial
from quickstarted_proxy.policy import EgressPolicy


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """How a lane was made ready for an attempt."""

    warm: bool
    duration_s: float
    sidecar_image_id: str


class Lane:
    """What the sandbox of one attempt stands in; keeps the promise of `EgressControl`."""

    def __init__(self, engine: Engine, network: LaneNetwork) -> None:
        self.network = network
        self._engine = engine
        self._running: RunningSidecar | None = None
        self._container_id: str | None = None
        self._leaving: Future[None] | None = None
        self._lock = threading.Lock()
        self._free_ips = list(network.sandbox_ips)

    @property
    def sidecar_ip(self) -> str:
        """Where proxy, DNS and the doors 80 and 443 are."""
        return self.network.sidecar_ip

    @property
    def material(self) -> TrustMaterial:
        """What the sandbox must trust; known after `begin`."""
        return self._sidecar().material

    def begin(self, policy: EgressPolicy, sink: EgressSink, spec: SidecarSpec) -> Begun:
        """
        Make the lane ready for an attempt: a new sidecar, or a new policy for the one there is.

        Raises:
            EngineFault: The engine refused.
            SidecarFault: The sidecar did not start or does not answer.

        """
        began = time.monotonic()
        warm = self._running is not None
        if self._running is None:
            self._running = self._make_sidecar(policy, sink, spec)
        else:
            if self._leaving is not None:
                self._leaving.result()
            self._running.sidecar.attempt(policy.to_json(), sink)
        return Begun(warm=warm, duration_s=time.monotonic() - began, sidecar_image_id=spec.image)

    def end(self, leaving: Future[None]) -> None:
        """The attempt is over; *leaving* is done when its sandbox is gone."""
        self._leaving = leaving
        if self._running is not None:
            self._running.sidecar.deliver_to(ignore_event)
            self._running.sidecar.forget_listeners()

    def begin_scope(self, scope: int) -> None:
        """Say that egress from now on belongs to command *scope*."""
        self._sidecar().sidecar.begin_scope(scope)

    def drain(self) -> None:
        """Return once every egress event known to the sidecar has been delivered."""
        self._sidecar().sidecar.drain()

    def check(self) -> None:
        """Raise the sidecar's fault, if it has one."""
        self._sidecar().sidecar.check()

    def on_fault(self, listener: FaultListener) -> None:
        """Call *listener* as soon as the sidecar has a fault."""
        self._sidecar().sidecar.on_fault(listener)

    def take_ip(self) -> str:
        """An address for a sandbox; see `has_room`."""
        with self._lock:
            return self._free_ips.pop(0)

    def give_back(self, ip: str) -> None:
        """Nobody has *ip* any more."""
        with self._lock:
            self._free_ips.append(ip)

    def has_room(self) -> bool:
        """Whether another attempt can begin here: a healthy sidecar and a free address."""
        if self._running is None or not self._free_ips:
            return False
        try:
            self.check()
        except QuickstartedError:
            return False
        return True

    def remove_sidecar(self) -> None:
        """
        Remove the sidecar; what still runs on the lane has no way out any more.

        Raises:
            EngineFault: The engine does not answer.

        """
        running, self._running = self._running, None
        container_id, self._container_id = self._container_id, None
        if container_id is not None:
            if running is not None:
                running.sidecar.expect_the_end()
            remove_container(self._engine, container_id)
        if running is not None:
            running.sidecar.close()

    def close(self) -> None:
        """
        Remove sidecar and network; what is gone already is fine.

        Raises:
            EngineFault: The engine does not answer.

        """
        self.remove_sidecar()
        if self._leaving is not None:
            with contextlib.suppress(QuickstartedError):
                self._leaving.result()
        remove_network(self._engine, self.network.id)

    def _make_sidecar(
        self, policy: EgressPolicy, sink: EgressSink, spec: SidecarSpec
    ) -> RunningSidecar:
        self._container_id = create_sidecar(self._engine, spec)
        running = start_sidecar(self._engine, self._container_id, self.network, spec, policy)
        running.sidecar.deliver_to(sink)
        return running

    def _sidecar(self) -> RunningSidecar:
        if self._running is None:
            raise SidecarFault("the lane has no sidecar yet")
        return self._running
