"""
How much an attempt may send and receive in all.

Standard library only. What counts is what HTTP/1.1 carries: request lines with their paths and
queries, headers, bodies, and WebSocket bytes, since each of them can carry data out; TLS, and what
is refused before it goes upstream, do not. Bodies are counted piece by piece as they pass, so an
endless one is cut where it crosses the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from quickstarted_proxy.policy import EgressPolicy

Direction = Literal["upload", "download"]
Headers = Iterable[tuple[bytes, bytes]]

_LINE_BYTES = len(b"  HTTP/1.1\r\n\r\n")
_HEADER_BYTES = len(b": \r\n")
_SCALES = ((1024**3, "GiB"), (1024**2, "MiB"), (1024, "KiB"))


@dataclass(slots=True)
class Budget:
    """One direction of one attempt."""

    direction: Direction
    limit_bytes: int | None
    used_bytes: int = 0
    spent: bool = False
    """Something has crossed the limit; from then on nothing passes."""

    @property
    def detail(self) -> str:
        """Of the event that tells of it."""
        return f"{self.direction}_budget"

    def take(self, size_bytes: int) -> bool:
        """Count *size_bytes* if they may pass; whether they may."""
        if not self.spent and self.fits(size_bytes):
            self.used_bytes += size_bytes
            return True
        self.spent = True
        return False

    def fits(self, size_bytes: int) -> bool:
        """Whether *size_bytes* more would stay within the limit."""
        return self.limit_bytes is None or self.used_bytes + size_bytes <= self.limit_bytes

    def explanation(self) -> str:
        """What to tell whoever wonders why nothing passes."""
        limit = _readable(self.limit_bytes or 0)
        verb = "send" if self.direction == "upload" else "receive"
        return (
            f"this attempt may {verb} {limit} in all (network.max_{self.direction} of the task "
            "file), and that is used up"
        )


class Budgets:
    """Both directions of one attempt."""

    def __init__(self, policy: EgressPolicy) -> None:
        self.upload = Budget("upload", policy.max_upload_bytes)
        self.download = Budget("download", policy.max_download_bytes)

    def spent(self) -> Budget | None:
        """The one that is used up, if one is."""
        return next((one for one in (self.upload, self.download) if one.spent), None)


def head_bytes(start: Sequence[bytes], headers: Headers) -> int:
    """
    Size of a request's or an answer's head.

    Args:
        start: The parts of its first line but the version.
        headers: Names and values.

    """
    line = _LINE_BYTES + sum(map(len, start))
    return line + sum(_HEADER_BYTES + len(name) + len(value) for name, value in headers)


class Meter:
    """
    A stream function that lets nothing pass beyond a budget.

    Args:
        budget: What the pieces of the body are taken from.
        count: Takes the size of what passes.
        cut: Called once, when a piece crosses the budget; that piece and later ones are dropped.

    """

    def __init__(
        self, budget: Budget, count: Callable[[int], None], cut: Callable[[Budget], None]
    ) -> None:
        self._budget = budget
        self._count = count
        self._cut = cut
        self._over = False

    def __call__(self, data: bytes) -> bytes | list[bytes]:
        """Take a piece of the body, or the empty one at its end; what is passed on of it."""
        # An empty piece would end a chunked body as if it were complete; no piece does not.
        return data if self.passes(data) else []

    def passes(self, data: bytes | memoryview) -> bool:
        """Take a piece; whether it may pass."""
        if self._over:
            return False
        if not data or self._budget.take(len(data)):
            self._count(len(data))
            return True
        self._over = True
        self._cut(self._budget)
        return False


def _readable(size_bytes: int) -> str:
    for scale, unit in _SCALES:
        if size_bytes >= scale:
            return f"{size_bytes / scale:.4g} {unit}"
    return f"{size_bytes} bytes"
