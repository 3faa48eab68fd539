"""A cluster in this process: real workers of nodes, no Ray, and nodes that are lost when told."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from quickstarted.cluster.conversation import NodeLost
from quickstarted.cluster.messages import Numbered
from quickstarted.cluster.node import NodeWorker
from quickstarted.cluster.orders import CallOrder, Order
from quickstarted.docs import DocsOptions
from quickstarted.sandbox.protocol import ImageIdentity
from quickstarted.suite import Floors

NO_FLOORS = Floors(disk_bytes=0, memory_bytes=0)


def call_order(run_id: str, **changes: object) -> CallOrder:
    """A call by the local backend."""
    values = {
        "run_id": run_id,
        "backend": "local",
        "package_cache": False,
        "images": (),
        "upstream_ca": None,
        "docs": DocsOptions(),
        "floors": NO_FLOORS,
        "prices": None,
        **changes,
    }
    return CallOrder(**values)


@dataclass
class WorkerNode:
    """
    A node whose worker is an object of this process.

    Attributes:
        dies_at: Number of the exchange, from 1, at which it is lost.
        damage: Changes pieces of archives.

    """

    name: str
    worker: NodeWorker
    dies_at: int | None = None
    damage: Callable[[bytes], bytes] = lambda piece: piece
    lacks: list[str] = field(default_factory=list)
    exchanges: int = 0
    packed: list[str] = field(default_factory=list)

    def lack(self) -> str | None:
        """What was said to be missing, each once."""
        return self.lacks.pop(0) if self.lacks else self.worker.lack()

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """As the worker does."""
        return self.worker.resolve(image, platform)

    def put(self, digest: str, pack: Callable[[], bytes]) -> None:
        """Pack whenever asked."""
        self.packed.append(digest)
        self.worker.put(digest, pack())

    def begin(self, number: int, order: Order) -> None:
        """As the worker does, twice: the caller may repeat a call."""
        self.worker.begin(number, order)
        self.worker.begin(number, order)

    def exchange(
        self, number: int, heard_up_to: int, answers: Mapping[int, bool], *, cancelled: bool
    ) -> list[Numbered]:
        """As the worker does; the first answer to each call is lost on the way."""
        self.exchanges += 1
        if self.dies_at is not None and self.exchanges >= self.dies_at:
            raise NodeLost(self.name, "it has died")
        self.worker.exchange(number, heard_up_to, answers, cancelled=cancelled)
        return self.worker.exchange(number, heard_up_to, answers, cancelled=cancelled)

    def piece(self, number: int, offset: int) -> bytes:
        """As the worker does, damaged."""
        return self.damage(self.worker.piece(number, offset))

    def forget(self, number: int) -> None:
        """As the worker does."""
        self.worker.forget(number)


@dataclass
class Nodes:
    """A cluster: each lease is of the next node, round and round; one slot for each."""

    nodes: list[WorkerNode]
    leases: list[str] = field(default_factory=list)
    on_lease: Callable[[], object] = lambda: None

    def __post_init__(self) -> None:
        self._free = threading.Semaphore(len(self.nodes))
        self._lock = threading.Lock()

    @property
    def slots(self) -> int:
        """One for each node."""
        return len(self.nodes)

    def lack(self, under_way: int) -> str | None:
        """A slot."""
        return "a free slot" if under_way >= self.slots else None

    @contextmanager
    def lease(self, cancelled: Callable[[], bool]) -> Iterator[WorkerNode | None]:
        """The next node."""
        self.on_lease()
        with self._free:
            if cancelled():
                yield None
                return
            with self._lock:
                node = self.nodes[len(self.leases) % len(self.nodes)]
                self.leases.append(node.name)
            yield node
