"""A lane that has no sidecar: it notes what it is asked and can be told to be unwell."""

from __future__ import annotations

from quickstarted.errors import AttemptFault


class QuietEgress:
    """Keeps `EgressControl`'s promise for a sandbox without any network."""

    def __init__(self) -> None:
        self.scopes: list[int] = []
        self.drained = 0
        self.fault: AttemptFault | None = None
        """Raised by every method once it is set."""

    def begin_scope(self, scope: int) -> None:
        """Note the number."""
        self.check()
        self.scopes.append(scope)

    def drain(self) -> None:
        """Count the call."""
        self.check()
        self.drained += 1

    def check(self) -> None:
        """Raise `fault` when there is one."""
        if self.fault is not None:
            raise self.fault
