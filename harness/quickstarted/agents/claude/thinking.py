"""Whether the model thinks before it speaks, found out by asking."""

from __future__ import annotations

from typing import Any

ADAPTIVE: dict[str, Any] = {"thinking": {"type": "adaptive"}}


class Thinking:
    """
    Of one conversation, and of nothing beyond it.

    Adaptive thinking is asked for from the start. A model that does not take it refuses the first
    request, and is asked without from then on; once a reply has come, the matter is settled.
    """

    def __init__(self) -> None:
        self._asked_for = True
        self._settled = False

    @property
    def parameters(self) -> dict[str, Any]:
        """What a request says of it."""
        return ADAPTIVE if self._asked_for else {}

    def works(self) -> None:
        """A reply has come."""
        self._settled = True

    def give_up(self) -> bool:
        """After a request that was refused: whether the next one is another, without thinking."""
        if self._settled or not self._asked_for:
            return False
        self._asked_for = False
        return True
