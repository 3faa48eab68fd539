"""
How a part of the documentation client says that a page will not come.

Raised inside the package only: the client turns them into `Blocked`, `Failed` and `Withheld`, so
that nothing a page or a server does reaches a caller as an exception.
"""

from __future__ import annotations

from quickstarted.events import BlockReason


class FetchRefused(Exception):
    """The rules do not allow a request; *detail* is a sentence that says which rule and why."""

    def __init__(self, reason: BlockReason, detail: str) -> None:
        super().__init__(detail)
        self.reason: BlockReason = reason
        self.detail = detail


class FetchWithheld(Exception):
    """A request is for an affordance, and the attempt is one without."""


class FetchFailed(Exception):
    """
    A request was allowed and brought nothing readable; *error* is a sentence that says what.

    Args:
        error: What went wrong.
        status: The status of the answer, when there was one.
        same_for_host: Whether every other request to that host would fail alike (no address, no
            connection, no trust), so that asking again for another page of it is pointless.

    """

    def __init__(
        self, error: str, *, status: int | None = None, same_for_host: bool = False
    ) -> None:
        super().__init__(error)
        self.error = error
        self.status = status
        self.same_for_host = same_for_host


class Disconnected(FetchFailed):
    """The server closed the connection before it answered."""
