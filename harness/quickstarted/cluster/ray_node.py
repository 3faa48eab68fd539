"""One node of a Ray cluster that works for the call: what is asked of it, and what it has."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from quickstarted.cluster import ray_api
from quickstarted.cluster.conversation import NodeLost
from quickstarted.cluster.messages import Numbered
from quickstarted.cluster.orders import Order
from quickstarted.cluster.ray_api import Known
from quickstarted.sandbox.protocol import ImageIdentity


class Owner(Protocol):
    """The cluster that the node is of."""

    def parcel(self, digest: str, pack: Callable[[], bytes]) -> Any:
        """A folder, where every node can take it from."""

    def lose(self, node: RayNode) -> None:
        """It does not answer."""


class RayNode:
    """See `maker.Node`."""

    def __init__(self, cluster: Owner, known: Known, actor: Any) -> None:
        self._cluster = cluster
        self.id = known.id
        self.name = known.name
        self.actor = actor
        self._putting = threading.Lock()
        self._has: set[str] = set()

    def call(self, method: str, *args: object, **options: Any) -> Any:
        """See `ray_api.call`; a node that is lost is used no more."""
        try:
            return ray_api.call(self.name, self.actor, method, *args, **options)
        except NodeLost:
            self._cluster.lose(self)
            raise

    def lack(self) -> str | None:
        """See `NodeWorker.lack`."""
        lack: str | None = self.call("lack")
        return lack

    def resolve(self, image: str, platform: str | None) -> ImageIdentity:
        """See `NodeWorker.resolve`."""
        identity: ImageIdentity = self.call("resolve", image, platform)
        return identity

    def put(self, digest: str, pack: Callable[[], bytes]) -> None:
        """See `maker.Node`."""
        with self._putting:
            if digest not in self._has:
                self.call("put", digest, self._cluster.parcel(digest, pack))
                self._has.add(digest)

    def begin(self, number: int, order: Order) -> None:
        """See `NodeWorker.begin`."""
        self.call("begin", number, order)

    def exchange(
        self, number: int, heard_up_to: int, answers: Mapping[int, bool], *, cancelled: bool
    ) -> list[Numbered]:
        """See `NodeWorker.exchange`."""
        batch: list[Numbered] = self.call(
            "exchange", number, heard_up_to, dict(answers), cancelled=cancelled
        )
        return batch

    def piece(self, number: int, offset: int) -> bytes:
        """See `NodeWorker.piece`."""
        piece: bytes = self.call("piece", number, offset)
        return piece

    def forget(self, number: int) -> None:
        """See `NodeWorker.forget`."""
        self.call("forget", number)
