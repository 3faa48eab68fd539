"""A disk limit where the storage driver has none: the container's size, asked for repeatedly."""

from __future__ import annotations

import threading
import time
from types import TracebackType
from typing import Self

from quickstarted.errors import AttemptFault, SandboxFault
from quickstarted.sandbox.engine import Engine, engine_calls

SHORTEST_PAUSE_S = 0.5
PAUSE_PER_COST = 5
"""The engine walks the container's layer for each answer, so asking takes a sixth of the time."""


class DiskWatch:
    """
    Watches one container in a thread of its own, as a context manager.

    Args:
        engine: The engine.
        container_id: The container.
        limit_bytes: Of the container's own layer; None watches nothing.

    """

    def __init__(self, engine: Engine, container_id: str, limit_bytes: int | None) -> None:
        self._engine = engine
        self._container_id = container_id
        self.limit_bytes = limit_bytes
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._fault: AttemptFault | None = None
        self.used_bytes = 0

    def __enter__(self) -> Self:
        if self.limit_bytes is not None:
            self._thread = threading.Thread(target=self._work, name="disk-watch", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()

    def is_over(self) -> bool:
        """
        Whether the limit is exceeded.

        Raises:
            AttemptFault: The engine no longer says.

        """
        if self._fault is not None:
            raise self._fault
        return self.limit_bytes is not None and self.used_bytes > self.limit_bytes

    def _work(self) -> None:
        pause = SHORTEST_PAUSE_S
        while not self._stop.wait(pause):
            asked = time.monotonic()
            try:
                self.used_bytes = layer_bytes(self._engine, self._container_id)
            except AttemptFault as fault:
                if not self._stop.is_set():
                    self._fault = fault
                return
            pause = max(SHORTEST_PAUSE_S, PAUSE_PER_COST * (time.monotonic() - asked))


def layer_bytes(engine: Engine, container_id: str) -> int:
    """
    Size of what the container has written.

    Raises:
        SandboxFault: The container is gone.

    """
    with engine_calls("asking for the sandbox's size", gone=SandboxFault):
        rows = engine.api.containers(all=True, size=True, filters={"id": container_id})
    if not rows:
        raise SandboxFault("the sandbox's container is gone")
    return int(rows[0].get("SizeRw") or 0)
