"""
The lanes of one invocation: made when needed, kept warm for the next attempt, removed in the
background and all of them at the end.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from ipaddress import IPv4Network
from typing import Any

from quickstarted.errors import EngineFault, QuickstartedError
from quickstarted.sandbox.engine import Engine, engine_calls
from quickstarted.sandbox.labels import RUN
from quickstarted.sandbox.lanes.lane import Begun, Lane
from quickstarted.sandbox.lanes.networks import NetworkCarver
from quickstarted.sandbox.lanes.rules import Rules
from quickstarted.sandbox.lanes.sidecar_container import SidecarSpec
from quickstarted.sandbox.protocol import EgressSink
from quickstarted.sandbox.removal import StuckNetwork, remove_container, remove_network

BACKGROUND_THREADS = 64
"""Two per attempt at most: one makes its lane ready, one removes the sandbox before it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seat:
    """A place for one sandbox: a lane that is being made ready, and an address on it."""

    lane: Lane
    ip: str
    begun: Future[Begun]


class LanePool:
    """Lends lanes to attempts; safe to use from several threads."""

    def __init__(
        self,
        engine: Engine,
        run_id: str,
        *,
        address_range: IPv4Network,
        sidecar_spec: Callable[[], SidecarSpec],
    ) -> None:
        self._engine = engine
        self._run_id = run_id
        self._make_spec = sidecar_spec
        self._carver = NetworkCarver(engine, run_id, address_range)
        self._threads = ThreadPoolExecutor(BACKGROUND_THREADS, thread_name_prefix="lanes")
        self._lock = threading.Lock()
        self._idle: list[Lane] = []
        self._fresh: list[Lane] = []
        """Lanes that nobody has used, whose sidecars are starting."""
        self._removals: list[Future[None]] = []
        self._spec: Future[SidecarSpec] | None = None
        self._expected: int | None = None
        """How many more lanes will be taken at most; None: nobody knows."""
        self._closed = False

    def warm_up(self) -> None:
        """
        Start the first lane's sidecar, while whoever needs it is still getting ready.

        What fails here fails again, and is told, when a lane is taken.
        """
        lane = Lane(self._engine, self._carver)
        self._fresh.append(lane)
        spec = self._sidecar_spec()
        self.background(lambda: lane.make_sidecar(spec))

    def background(self, work: Callable[[], Any]) -> None:
        """Do *work* in a thread; `close` waits for it, and a fault of it is nobody's."""

        def quietly() -> None:
            with contextlib.suppress(QuickstartedError):
                work()

        self._remember(self._threads.submit(quietly))

    def take(self, rules: Rules, sink: EgressSink) -> Seat:
        """
        Lend a lane; `Seat.begun` is done when its sidecar judges by *rules*.

        Raises:
            EngineFault: No network could be made.

        """
        spec = self._sidecar_spec()
        lane = self._idle_lane() or self._new_lane()
        if not lane.has_room():
            self.background(lambda: lane.make_sidecar(spec))
            lane.open_network()
        begun = self._threads.submit(lane.begin, rules, sink, spec)
        return Seat(lane=lane, ip=lane.take_ip(), begun=begun)

    def give_back(self, seat: Seat, container_id: str | None) -> None:
        """Take a lane back and remove the sandbox that stood in it; does not wait."""
        leaving = self._threads.submit(self._remove_sandbox, seat, container_id)
        seat.lane.end(leaving)
        self._remember(leaving)
        if _has_begun(seat) and seat.lane.has_room():
            with self._lock:
                self._idle.append(seat.lane)
            self._close_surplus()
        else:
            self._remember(self._threads.submit(self._close_lane, seat))

    def expect(self, attempts: int) -> None:
        """No more than so many lanes will be taken; idle ones beyond that are removed now."""
        with self._lock:
            self._expected = attempts
        self._close_surplus()

    def _close_surplus(self) -> None:
        with self._lock:
            most = self._expected
            surplus = [] if most is None or self._closed else self._idle[: -most or None]
            self._idle = self._idle[len(surplus) :]
        for lane in surplus:
            self.background(lane.close)

    def close(self) -> None:
        """
        Remove every lane and whatever else this invocation still has on the engine.

        Raises:
            EngineFault: Something could not be removed.

        """
        with self._lock:
            if self._closed:
                return
            self._closed = True
            idle, self._idle, self._fresh = [*self._idle, *self._fresh], [], []
        wait([*(self._threads.submit(lane.close) for lane in idle), *self._removals])
        self._threads.shutdown(wait=True)
        self._remove_rest()

    def _sidecar_spec(self) -> Future[SidecarSpec]:
        """What sidecars are made from; worked out once, and again when that failed."""
        with self._lock:
            spec = self._spec
            if spec is None or (spec.done() and spec.exception() is not None):
                spec = self._spec = self._threads.submit(self._make_spec)
            return spec

    def _idle_lane(self) -> Lane | None:
        """
        The lane that was used last and can be used again; broken ones are closed.

        One from which the sandbox before is gone comes first: nobody has to wait for it.
        """
        while True:
            with self._lock:
                if not self._idle:
                    return None
                vacant = [place for place, lane in enumerate(self._idle) if lane.is_vacant]
                lane = self._idle.pop(vacant[-1] if vacant else -1)
            if lane.has_room():
                return lane
            self.background(lane.close)

    def _new_lane(self) -> Lane:
        with self._lock:
            return self._fresh.pop() if self._fresh else Lane(self._engine, self._carver)

    def _remove_sandbox(self, seat: Seat, container_id: str | None) -> None:
        if container_id is not None:
            remove_container(self._engine, container_id)
        seat.lane.give_back(seat.ip)

    def _close_lane(self, seat: Seat) -> None:
        with contextlib.suppress(QuickstartedError):
            seat.begun.result()
        seat.lane.close()

    def _remember(self, removal: Future[None]) -> None:
        with self._lock:
            self._removals = [one for one in self._removals if not one.done()]
            self._removals.append(removal)

    def _remove_rest(self) -> None:
        """Whatever has this invocation's label, but images: those are kept on purpose."""
        mine = {"label": f"{RUN}={self._run_id}"}
        try:
            with engine_calls("removing what this run has made"):
                containers = self._engine.api.containers(all=True, filters=mine)
                networks = self._engine.api.networks(filters=mine)
            for one in containers:
                remove_container(self._engine, one["Id"])
            for one in networks:
                # A later sweep tells of it; nothing but a restart of the engine helps.
                with contextlib.suppress(StuckNetwork):
                    remove_network(self._engine, one["Id"])
        except EngineFault as fault:
            hint = f"What is left goes with `quickstarted gc`. {fault.hint}".strip()
            raise EngineFault(fault.message, hint=hint) from fault


def _has_begun(seat: Seat) -> bool:
    return seat.begun.done() and seat.begun.exception() is None
