"""
Makes the attempts of a call on the nodes of a cluster; see `suite.Maker`.

An attempt whose node is lost is made again elsewhere. That is no try of `--retries`, which are for
what goes wrong in an attempt.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from quickstarted.cluster.archives import ArchiveRefused
from quickstarted.cluster.conversation import NodeLost, converse
from quickstarted.cluster.messages import Numbered
from quickstarted.cluster.orders import Order, order_of
from quickstarted.cluster.parcels import packed
from quickstarted.cluster.receiving import receive
from quickstarted.errors import AttemptFault, EngineFault, Interrupted, NodeFault
from quickstarted.plan import AttemptPlan
from quickstarted.results import AttemptDir, RunResult
from quickstarted.run import AttemptHooks, record_unmade
from quickstarted.sandbox.local.backend import LocalBackend
from quickstarted.sandbox.protocol import ImageIdentity
from quickstarted.sandbox.unreachable import UnreachableBackend

MAX_LOSSES = 3
"""An attempt that has lost so many nodes may be what ends them: it is not made again."""
ROOM_PATIENCE_S = 600.0
"""How long an attempt waits for disk and memory on its node."""
POLL_S = 1.0


class Node(Protocol):
    """A node that works for the call; every method raises `NodeLost` where it does not answer."""

    @property
    def name(self) -> str:
        """As the cluster calls it."""

    def lack(self) -> str | None:
        """What is missing on it for one more attempt, for people."""

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """What *image* stands for there."""

    def put(self, digest: str, pack: Callable[[], bytes]) -> None:
        """Let it have a folder; *pack* is asked where no node has it yet."""

    def begin(self, number: int, order: Order) -> None:
        """Begin with an attempt."""

    def exchange(
        self, number: int, heard_up_to: int, answers: Mapping[int, bool], *, cancelled: bool
    ) -> list[Numbered]:
        """Hear of it."""

    def piece(self, number: int, offset: int) -> bytes:
        """A piece of its archive."""

    def forget(self, number: int) -> None:
        """Let it go."""


class Cluster(Protocol):
    """Nodes, and slots on them."""

    @property
    def slots(self) -> int:
        """On all nodes that may be used now, taken or not."""

    def lack(self, under_way: int) -> str | None:
        """Why no further attempt should begin beside *under_way* of ours, for people."""

    def lease(self, cancelled: Callable[[], bool]) -> AbstractContextManager[Node | None]:
        """Wait for a slot, and hold it; None when *cancelled* says so first."""


class ClusterMaker:
    """
    Safe to use from several threads.

    Args:
        cluster: Whose nodes are used.
        backend: Name of what makes sandboxes there.
        note: Takes lines for the person who waits.
        cancelled: Whether somebody asked to stop.

    """

    disk: Path | None = None

    def __init__(
        self,
        cluster: Cluster,
        backend: str,
        note: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self._cluster = cluster
        self._note = note
        self._cancelled = cancelled
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()
        self._under_way = 0
        self.name = backend
        self._nowhere = UnreachableBackend(
            backend, EngineFault("sandboxes are on nodes"), enforced=backend != LocalBackend.name
        )
        self.openings: int | None = max(1, cluster.slots)

    def expect(self, attempts: int) -> None:
        """Nodes keep their lanes until the call ends."""
        del attempts

    def lack(self) -> str | None:
        """See `suite.Maker`."""
        with self._lock:
            under_way = self._under_way
        return self._cluster.lack(under_way)

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """
        What *image* stands for on one of the nodes.

        Raises:
            AttemptFault: It cannot be had there.
            Interrupted: Somebody asked to stop before a slot was free.

        """
        with self._cluster.lease(self._cancelled) as node:
            if node is None:
                raise Interrupted("interrupted while a node was waited for")
            try:
                return node.resolve(image, platform)
            except NodeLost as lost:
                raise NodeFault(f"the node {lost}") from lost

    def make(self, plan: AttemptPlan, folder: AttemptDir, hooks: AttemptHooks) -> RunResult:
        """See `suite.Maker`."""
        with self._counted():
            try:
                return self._on_some_node(plan, folder, hooks)
            except (AttemptFault, Interrupted) as why:
                return record_unmade(plan, self._nowhere, why, folder, hooks)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._lock:
            self._under_way += 1
        try:
            yield
        finally:
            with self._lock:
                self._under_way -= 1

    def _on_some_node(
        self, plan: AttemptPlan, folder: AttemptDir, hooks: AttemptHooks
    ) -> RunResult:
        """
        Make *plan* where there is a slot, again where its node is lost.

        Raises:
            Interrupted: Somebody asked to stop before it began.
            NodeFault: Too many nodes were lost, or what came back is no result.
            SourceFault: What it needs cannot be sent.

        """
        lost: list[NodeLost] = []
        while True:
            _wait_for_turn(hooks)
            with self._cluster.lease(hooks.cancelled) as node:
                if node is None:
                    raise Interrupted("interrupted before a node had a free slot")
                try:
                    return self._at(node, plan, folder, hooks)
                except NodeLost as loss:
                    lost.append(loss)
                except ArchiveRefused as exc:
                    raise NodeFault(
                        f"the node {node.name} sent something else than the attempt's results:"
                        f" {exc}"
                    ) from exc
            self._after_loss(plan, lost)
            hooks.again()

    def _after_loss(self, plan: AttemptPlan, lost: list[NodeLost]) -> None:
        """
        Say that a node is lost.

        Raises:
            NodeFault: There were too many.

        """
        named = ", ".join(loss.node for loss in lost)
        if len(lost) >= MAX_LOSSES:
            raise NodeFault(
                f"{len(lost)} nodes were lost while they made it ({named}); the last one:"
                f" {lost[-1].why}",
                hint="Look at their logs: an attempt that takes a node's memory may be what ends"
                " them.",
            ) from lost[-1]
        self._note(
            f"{plan.key.task}, attempt {plan.attempt}: the node {lost[-1].node} is lost"
            f" ({lost[-1].why}); made again elsewhere, which is no retry"
        )

    def _at(
        self, node: Node, plan: AttemptPlan, folder: AttemptDir, hooks: AttemptHooks
    ) -> RunResult:
        """
        Make *plan* on *node*.

        Raises:
            NodeLost: It does not answer any more.
            ArchiveRefused: What it sent is not the attempt's results.

        """
        _wait_for_room(node, hooks)
        order, folders = order_of(plan)
        for digest, needed in folders.items():
            node.put(digest, partial(packed, needed, self._note))
        number = next(self._numbers)
        node.begin(number, order)
        over = converse(_LineTo(node, number), hooks, plan.meter)
        if over.problem:
            raise NodeFault(f"the node {node.name} could not make the attempt: {over.problem}")
        result = receive(lambda offset: node.piece(number, offset), over, plan, folder)
        node.forget(number)
        return result


class _LineTo:
    """One attempt on a node."""

    def __init__(self, node: Node, number: int) -> None:
        self._node = node
        self._number = number

    def exchange(
        self, heard_up_to: int, answers: Mapping[int, bool], *, cancelled: bool
    ) -> list[Numbered]:
        return self._node.exchange(self._number, heard_up_to, answers, cancelled=cancelled)


def _wait_for_turn(hooks: AttemptHooks) -> None:
    """
    Have a turn before a slot: a slot is never held by an attempt that waits.

    Raises:
        Interrupted: Somebody asked to stop.

    """
    hooks.phase("waiting")
    hooks.wait_for_turn()
    if hooks.cancelled():
        raise Interrupted("interrupted before the attempt began")
    hooks.phase("opening")


def _wait_for_room(node: Node, hooks: AttemptHooks) -> None:
    """
    Wait until *node* has disk and memory for the attempt.

    Raises:
        NodeFault: It has not for long.
        Interrupted: Somebody asked to stop.

    """
    deadline = time.monotonic() + ROOM_PATIENCE_S
    told = False
    while (lack := node.lack()) is not None:
        if hooks.cancelled():
            raise Interrupted("interrupted while the node had no room for the attempt")
        if time.monotonic() > deadline:
            raise NodeFault(f"the node {node.name} has no room for the attempt: {lack}")
        if not told:
            hooks.note(f"the node {node.name} waits for room: {lack}")
            told = True
        time.sleep(POLL_S)
