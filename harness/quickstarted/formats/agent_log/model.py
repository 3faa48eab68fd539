"""
The agent log's events, as readers get them and writers make them.

The format is JSON Lines in UTF-8, one event a line, in the order in which things happened.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, NamedTuple

RUN_START: Final = "run_start"
MODEL_REQUEST: Final = "model_request"
MODEL_RESPONSE: Final = "model_response"
ACTION: Final = "action"
OBSERVATION: Final = "observation"
ERROR: Final = "error"
RUN_END: Final = "run_end"

TYPES = (RUN_START, MODEL_REQUEST, MODEL_RESPONSE, ACTION, OBSERVATION, ERROR, RUN_END)
FIELDS = frozenset({"seq", "at", "elapsedMs", "type", "data"})
"""What every event has."""

PUBLIC_RESPONSE = frozenset({"id", "model", "usage", "actions"})
"""What is left of a response when texts are withheld."""

WITHHELD = {"withheld": True}
"""What is left of a request then."""


@dataclass(frozen=True, slots=True)
class AgentLogEvent:
    """
    One event.

    Attributes:
        at: ISO 8601 in UTC, as the log has it.
        elapsed_ms: Milliseconds since `run_start`.
        data: What belongs to the type; not copied, not to be changed.

    """

    seq: int
    at: str
    elapsed_ms: float
    type: str
    data: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scaffold:
    """The program that carried the model's actions to the game."""

    name: str
    version: str | None = None
    url: str | None = None


class RequestedAction(NamedTuple):
    """An action that a model asked for."""

    name: str
    args: Any
