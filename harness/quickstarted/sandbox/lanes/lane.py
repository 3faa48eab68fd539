"""
One lane: a closed network, the sidecar on it, and addresses for sandboxes.

A lane outlives its attempt: the next one gets a new policy on the same sidecar.

No two containers start on one network at the same moment, because the engine can then count an
endpoint twice and never removes the network again (moby #42119). So a sidecar starts on a network
of its own, and whichever of sidecar and sandbox is ready first goes onto the lane first, while the
other waits (`attaching`); and a sandbox starts when the one before it is gone.
"""

from __future__ import annotations

import contextlib
import threading
import time
from concurrent.futures import Future
from dataclasses import dataclass

from quickstarted.errors import QuickstartedError, SidecarFault
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.lanes.networks import LaneNetwork, Network, NetworkCarver
from quickstarted.sandbox.lanes.rules import Rules
from quickstarted.sandbox.lanes.sidecar import FaultListener, Sidecar, ignore_event
from quickstarted.sandbox.lanes.sidecar_container import (
    RunningSidecar,
    SidecarSpec,
    begin_listening,
    create_sidecar,
    join_lane,
    start_sidecar,
)
from quickstarted.sandbox.lanes.trust import TrustMaterial
from quickstarted.sandbox.lanes.watch import Watch
from quickstarted.sandbox.protocol import EgressSink
from quickstarted.sandbox.removal import remove_container, remove_network


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """How a lane was made ready for an attempt."""

    warm: bool
    duration_s: float
    sidecar_image_id: str


class Lane:
    """What the sandbox of one attempt stands in; keeps the promise of `EgressControl`."""

    def __init__(self, engine: Engine, carver: NetworkCarver) -> None:
        self._engine = engine
        self._carver = carver
        self._network: LaneNetwork | None = None
        self._egress: Network | None = None
        self._container_id: str | None = None
        self._running: RunningSidecar | None = None
        self._material: TrustMaterial | None = None
        self._watch: Watch | None = None
        self._leaving: Future[None] | None = None
        self._lock = threading.Lock()
        self._making = threading.Lock()
        self.attaching = threading.Lock()
        """Held by whoever starts or joins a container on the lane's network."""
        self._free_ips: list[str] = []

    @property
    def network(self) -> LaneNetwork:
        """The network of sidecar and sandbox; known after `open_network`."""
        assert self._network is not None, "open_network() comes first"
        return self._network

    @property
    def sidecar_ip(self) -> str:
        """Where proxy, DNS and the doors 80 and 443 are."""
        return self.network.sidecar_ip

    @property
    def material(self) -> TrustMaterial:
        """What the sandbox must trust; known after `begin`."""
        assert self._material is not None, "begin() comes first"
        return self._material

    def open_network(self) -> None:
        """
        Have the lane's network, which the sandbox's container needs to be created.

        Raises:
            EngineFault: No network could be made.

        """
        if self._network is None:
            self._network = self._carver.create_lane()
            self._free_ips = list(self._network.sandbox_ips)

    def make_sidecar(self, spec: Future[SidecarSpec]) -> RunningSidecar:
        """
        Have a sidecar that runs and waits to be told where to listen; it needs no lane for that.

        Raises:
            EngineFault: The engine refused.

        """
        with self._making:
            if self._running is None:
                self._running = self._made_sidecar(spec)
            return self._running

    def begin(
        self,
        rules: Rules,
        sink: EgressSink,
        spec: Future[SidecarSpec],
    ) -> Begun:
        """
        Make the lane ready for an attempt: a new sidecar, or a new policy for the one there is.

        Raises:
            EngineFault: The engine refused.
            SidecarFault: The sidecar did not start, does not answer, or does not refuse.

        """
        began = time.monotonic()
        warm = self._material is not None
        running = self.make_sidecar(spec)
        if warm:
            self.wait_until_vacant()
            running.sidecar.attempt(rules, sink)
        else:
            with self.attaching:
                join_lane(self._engine, running, self.network)
            self._material = begin_listening(running, self.network, rules)
            running.sidecar.deliver_to(sink, rules)
        running.sidecar.inspect()
        self._watch = Watch(running.sidecar, running.spec.watch_interval_s)
        self._watch.start()
        return Begun(
            warm=warm, duration_s=time.monotonic() - began, sidecar_image_id=running.spec.image
        )

    @property
    def is_vacant(self) -> bool:
        """Whether the sandbox of the attempt before is gone; see `wait_until_vacant`."""
        return self._leaving is None or self._leaving.done()

    def wait_until_vacant(self) -> None:
        """
        Return when the sandbox of the attempt before is gone.

        Raises:
            EngineFault: It could not be removed.

        """
        if self._leaving is not None:
            self._leaving.result()

    def end(self, leaving: Future[None]) -> None:
        """The attempt is over; *leaving* is done when its sandbox is gone."""
        self._leaving = leaving
        if self._watch is not None:
            self._watch.stop()
        if self._running is not None:
            self._running.sidecar.deliver_to(ignore_event)
            self._running.sidecar.forget_listeners()

    def begin_scope(self, scope: int) -> None:
        """Say that egress from now on belongs to command *scope*."""
        self._sidecar().begin_scope(scope)

    def drain(self) -> None:
        """Return once every egress event known to the sidecar has been delivered."""
        self._sidecar().drain()

    def check(self) -> None:
        """Raise the sidecar's fault, if it has one."""
        self._sidecar().check()

    def on_fault(self, listener: FaultListener) -> None:
        """Call *listener* as soon as the sidecar has a fault."""
        self._sidecar().on_fault(listener)

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
        if self._material is None or not self._free_ips:
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
        if running is not None:
            running.sidecar.expect_the_end()
        try:
            if container_id is not None:
                remove_container(self._engine, container_id)
        finally:
            if running is not None:
                running.sidecar.close()

    def close(self) -> None:
        """
        Remove sidecar and networks; what is gone already is fine.

        A network on which a sandbox stays that could not be removed is left to the end of the run.

        Raises:
            EngineFault: The engine does not answer.

        """
        with self._making:
            self.remove_sidecar()
        networks: list[Network | None] = [self._egress]
        with contextlib.suppress(QuickstartedError):
            self.wait_until_vacant()
            networks.append(self._network)
        for network in networks:
            if network is not None:
                remove_network(self._engine, network.id)

    def _made_sidecar(self, spec: Future[SidecarSpec]) -> RunningSidecar:
        self._egress = self._carver.create_egress()
        known = spec.result()
        container_id = self._container_id = create_sidecar(self._engine, known, self._egress.id)
        sidecar = start_sidecar(self._engine, container_id)
        return RunningSidecar(sidecar=sidecar, container_id=container_id, spec=known)

    def _sidecar(self) -> Sidecar:
        if self._running is None:
            raise SidecarFault("the lane has no sidecar")
        return self._running.sidecar
