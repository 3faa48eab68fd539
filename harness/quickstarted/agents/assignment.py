"""What an agent is given: its assignment, and what its model is told of it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment:
    """What an agent may know of a task: never its check."""

    goal: str
    route: tuple[str, ...]
    """URLs of the documentation, in the order in which a reader takes them."""
    replay: tuple[str, ...]
    """The documented commands, for the agent that replays them."""
    replays_pages: bool = False
    """Whether they are to be taken from the pages of the route (`replay: from_docs`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """All that a model is told before it acts, apart from what its tools are."""

    system: str
    """The same for every task and every model."""
    task: str
    """The first message: goal and route."""

    @property
    def hash(self) -> str:
        """`sha256:` and the digest of both texts."""
        text = f"{self.system}\0{self.task}"
        return f"sha256:{hashlib.sha256(text.encode('utf-8', 'backslashreplace')).hexdigest()}"
