"""How much and how long: what one client may take from the others."""

from __future__ import annotations

from dataclasses import dataclass

TOKEN_VARIABLE = "QUICKSTARTED_SERVE_TOKEN"  # noqa: S105 (its name, not a token)

BODIES_AT_ONCE = 64
"""Uploads that are received, wait or are converted; each has a file of at most 25 MiB on disk."""

WRITERS = 4
"""Threads that write bodies to disk."""

CONNECTIONS = 512
"""More are turned away; each takes some 100 KiB at most."""

TRAJECTORIES_PER_UPLOAD = 10_000
"""Each is a folder; 25 MiB of the shortest would be 800,000."""

FILES_PER_UPLOAD = 10_000
"""Images and the like that are taken out of one upload."""

SHOWN_CHARS = 500
"""Of a text of a client's in a reply; the trajectory itself has it whole."""

PAGE_ITEMS = 50
MAX_PAGE_ITEMS = 200

MIN_BYTES_PER_S = 8 * 1024
"""A body that comes more slowly is given up: 25 MiB have 53 minutes."""

LINGER_S = 10.0
LINGER_IDLE_S = 2.0
LINGER_BYTES = 64 * 1024 * 1024
"""What is still read of a body that is refused, so that its sender sees why."""

GRACE_S = 10
"""What uploads under way have left when the server is told to end."""


@dataclass(frozen=True, slots=True)
class Patience:
    """
    How long a client may keep the server waiting.

    Attributes:
        idle_s: Without a byte: of a request's head in all, of a body in between, and of a reply
            that is not read.

    """

    idle_s: float = 30.0

    def body_s(self, body_bytes: int) -> float:
        """What a body may have taken by the time that *body_bytes* of it are here."""
        return self.idle_s + body_bytes / MIN_BYTES_PER_S
