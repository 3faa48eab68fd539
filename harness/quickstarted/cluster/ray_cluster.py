"""
The nodes of a Ray cluster as one call uses them: found, opened once, avoided when lost, closed.

A node that joins while the call runs is used as soon as Ray gives a slot on it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from quickstarted import __version__
from quickstarted.cluster import ray_api
from quickstarted.cluster.conversation import NodeLost
from quickstarted.cluster.orders import CallOrder
from quickstarted.cluster.ray_api import SLOT, START, Known
from quickstarted.cluster.ray_node import RayNode
from quickstarted.errors import EngineFault, QuickstartedError, UsageError

AVOIDED_S = 30.0
"""A lost node that Ray still counts among the living is not used for so long."""
OPENING_S = 120.0
CLOSING_S = 180.0
WAITING_S = 1.0
"""After which an attempt that waits for a slot counts as kept waiting by others."""
LOOK_S = 0.5
"""Between two looks at which nodes there are."""


@dataclass(frozen=True, kw_only=True)
class CallOnNodes:
    """What every node that is used is opened with."""

    order: CallOrder
    environ: Mapping[str, str] = field(repr=False)
    """Variables that are forwarded (`--forward-env`)."""
    note: Callable[[str], None]
    """Takes lines for the person who waits."""


class RayCluster:
    """
    The nodes of the cluster that this process is connected to, as one call uses them.

    Args:
        call: What they are opened with.

    """

    def __init__(self, call: CallOnNodes) -> None:
        self._call = call
        self._order = call.order
        self._lock = threading.Lock()
        self._nodes: dict[str, RayNode] = {}
        self._refused: set[str] = set()
        self._lost: dict[str, float] = {}
        self._opening: dict[str, threading.Lock] = {}
        self._parcels: dict[str, Any] = {}
        self._packing = threading.Lock()
        self._waiting_since: dict[int, float] = {}
        self._known: tuple[float, list[Known]] = (-LOOK_S, [])

    def open(self) -> None:
        """
        See that the cluster's nodes are fit for the call, and let them prepare.

        Raises:
            UsageError: No node has a slot, or one has another version of this program.
            EngineFault: No node has an engine that answers.

        """
        nodes = self._alive()
        if not nodes:
            raise UsageError(
                f"--executor ray: no node of the cluster has a slot (the resource {SLOT})",
                hint=f"On each node, with as many as it can bear: {START}",
            )
        try:
            wrong = ray_api.other_versions(nodes)
        except NodeLost as lost:
            raise EngineFault(f"a node of the cluster cannot be used: {lost}") from lost
        if wrong:
            raise UsageError(
                f"--executor ray: here is quickstarted {__version__}; {'; '.join(wrong)}",
                hint=f"Install quickstarted {__version__} there, and start the node anew.",
            )
        docs = self._order.docs
        # All of them together keep the distance between requests that is asked for.
        apart = replace(docs, rate_limit_s=docs.rate_limit_s * len(nodes))
        self._order = replace(self._order, docs=apart)
        faults: list[str] = []
        opening = [threading.Thread(target=self._try, args=(one, faults)) for one in nodes]
        for thread in opening:
            thread.start()
        for thread in opening:
            thread.join()
        if not self._usable():
            raise EngineFault(f"no node can be used: {'; '.join(faults)}")

    @property
    def slots(self) -> int:
        """On nodes that may be used now, taken or not."""
        return sum(node.slots for node in self._usable())

    def lack(self, under_way: int) -> str | None:
        """See `maker.Cluster`."""
        slots = self.slots
        if slots == 0:
            return f"a node of the cluster with a slot ({SLOT})"
        if under_way >= slots:
            return f"a free slot: the {slots} of the cluster's nodes are taken"
        now = time.monotonic()
        with self._lock:
            waits = any(now - since > WAITING_S for since in self._waiting_since.values())
        return "a free slot: others use the cluster as well" if waits else None

    @contextmanager
    def lease(self, cancelled: Callable[[], bool]) -> Iterator[RayNode | None]:
        """See `maker.Cluster`."""
        me = threading.get_ident()
        with self._lock:
            self._waiting_since[me] = time.monotonic()
        group = None
        try:
            node = None
            while node is None and not cancelled():
                group, node = self._try_lease(cancelled)
            with self._lock:
                del self._waiting_since[me]
            yield node
        finally:
            with self._lock:
                self._waiting_since.pop(me, None)
            if group is not None:
                ray_api.release_slot(group)

    def close(self) -> None:
        """End what works on the nodes, once it has removed what it made there."""
        with self._lock:
            nodes = list(self._nodes.values())
            self._nodes.clear()
        closing = [threading.Thread(target=self._close, args=(node,)) for node in nodes]
        for thread in closing:
            thread.start()
        for thread in closing:
            thread.join()

    def parcel(self, digest: str, pack: Callable[[], bytes]) -> Any:
        """Have a folder in Ray's object store, once for all nodes."""
        with self._packing:
            if digest not in self._parcels:
                self._parcels[digest] = ray_api.put_object(pack())
            return self._parcels[digest]

    def lose(self, node: RayNode) -> None:
        """A node does not answer; it is asked nothing more."""
        with self._lock:
            if self._nodes.pop(node.id, None) is not None:
                self._lost[node.id] = time.monotonic()
        ray_api.end_worker(node.actor)

    def _try_lease(self, cancelled: Callable[[], bool]) -> tuple[Any, RayNode | None]:
        """
        A slot on a node that is fit; (None, None) where there was none in a while.

        Slots on others are held while a better one is looked for, so that Ray gives that.
        """
        held: list[Any] = []
        try:
            while not cancelled():
                group = ray_api.request_slot()
                held.append(group)
                where = ray_api.place_of_slot(group)
                if where is None:
                    break
                node = self._node(where)
                if node is not None:
                    held.remove(group)
                    return group, node
            return None, None
        finally:
            for group in held:
                ray_api.release_slot(group)

    def _alive(self) -> list[Known]:
        """Living nodes that have slots; looked for not too often."""
        with self._lock:
            looked, nodes = self._known
        if time.monotonic() - looked > LOOK_S:
            nodes = ray_api.list_nodes()
            with self._lock:
                self._known = time.monotonic(), nodes
        return nodes

    def _usable(self) -> list[Known]:
        nodes = self._alive()
        with self._lock:
            return [one for one in nodes if one.id not in self._refused and not self._avoids(one)]

    def _avoids(self, node: Known) -> bool:
        lost = self._lost.get(node.id)
        return lost is not None and time.monotonic() - lost < AVOIDED_S

    def _node(self, node_id: str) -> RayNode | None:
        """The node with that id, opened; None where it is not fit."""
        with self._lock:
            found = self._nodes.get(node_id)
        if found is not None:
            return found
        known = next((one for one in self._usable() if one.id == node_id), None)
        return None if known is None else self._try(known, [])

    def _try(self, known: Known, faults: list[str]) -> RayNode | None:
        """Open a node, and say why where that does not work."""
        with self._opening_of(known.id):
            with self._lock:
                if known.id in self._nodes or known.id in self._refused:
                    return self._nodes.get(known.id)
            try:
                node = self._opened(known)
            except NodeLost as lost:
                with self._lock:
                    self._lost[known.id] = time.monotonic()
                faults.append(str(lost))
                return None
            except QuickstartedError as fault:
                with self._lock:
                    self._refused.add(known.id)
                faults.append(f"{known.name}: {fault}")
                self._call.note(f"note: the node {known.name} is not used: {fault}")
                return None
            with self._lock:
                self._nodes[known.id] = node
            return node

    @contextmanager
    def _opening_of(self, node_id: str) -> Iterator[None]:
        with self._lock:
            lock = self._opening.setdefault(node_id, threading.Lock())
        with lock:
            yield

    def _opened(self, known: Known) -> RayNode:
        """
        Start what works on a node.

        Raises:
            NodeLost: It does not answer.
            QuickstartedError: It is not fit for the call.

        """
        if wrong := ray_api.other_versions([known]):
            raise UsageError(f"here is quickstarted {__version__}; {wrong[0]}")
        node = RayNode(self, known, ray_api.start_worker(known))
        try:
            order, environ = self._order, dict(self._call.environ)
            node.call("open", known.name, order, environ, timeout_s=OPENING_S)
        except BaseException:
            ray_api.end_worker(node.actor)
            raise
        return node

    def _close(self, node: RayNode) -> None:
        try:
            problem = node.call("close", timeout_s=CLOSING_S)
        except (NodeLost, QuickstartedError) as exc:
            problem = str(exc)
        if problem:
            self._call.note(
                f"note: the node {node.name}: {problem}\n"
                "`quickstarted gc` there removes what is left."
            )
        ray_api.end_worker(node.actor)
