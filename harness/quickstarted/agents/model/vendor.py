"""What the loop and a vendor's adapter say to each other."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from quickstarted.agents.assignment import Prompt
from quickstarted.events import Usage

LONGEST_REPLY_TOKENS = 16_000
"""That is asked for of any model, so that all have the same; thinking counts where it is billed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as a model gets to know it; an adapter may use its vendor's own tool instead."""

    name: str
    description: str
    schema: dict[str, Any]
    """JSON Schema of the input, an object."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A model asks for a tool."""

    call_id: str
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    problem: str = ""
    """Why the arguments cannot be read; empty where they can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolAnswer:
    """What a model gets back for one `ToolUse`."""

    call_id: str
    text: str
    is_error: bool = False
    """Whether the tool could not do its work; a command that failed is no such error."""


class Stop(StrEnum):
    """Why a reply ended."""

    DONE = "done"
    TOOLS = "tools"
    LENGTH = "length"
    """Cut at the longest reply that is asked for."""
    PAUSED = "paused"
    """The service wants to be asked again, with nothing new said."""
    DECLINED = "declined"
    CONTEXT_FULL = "context_full"
    UNREADABLE = "unreadable"
    """The model called a tool in a way that the service itself could not read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """One reply of a model."""

    stop: Stop
    stop_reason: str
    """As the vendor calls it."""
    model: str
    text: str = ""
    tool_uses: tuple[ToolUse, ...] = ()
    usage: Usage = field(default_factory=Usage)


class ServiceTrouble(Exception):
    """
    A call failed for a reason that may pass.

    Args:
        message: What happened; the vendor's own words, without a key.
        status: HTTP status, where there was an answer.
        retry_after_s: How long the service asks to wait.
        throttled: Whether the service is there, and only wants fewer calls.
        at_once: Whether the next try is another request, which nothing has to be waited for.

    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        retry_after_s: float | None = None,
        throttled: bool = False,
        at_once: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.retry_after_s = retry_after_s
        self.throttled = throttled
        self.at_once = at_once


class ContextFull(Exception):
    """The conversation is longer than the model takes."""


class Conversation(Protocol):
    """One conversation with one model; its history is kept in the vendor's own form."""

    unfinished: Usage
    """Tokens that the service reported of the latest call, while there is no reply to it."""

    def answer(self, answers: Sequence[ToolAnswer]) -> None:
        """Say what the tools of the last reply gave, all of them, in order."""

    def say(self, text: str) -> None:
        """Say something as the user."""

    async def ask(self) -> Reply:
        """
        Call the model with what was said so far; made again after `ServiceTrouble`.

        Raises:
            ServiceTrouble: It may go better in a while.
            ContextFull: Nothing more can be said.
            ModelRejected: Key, model or quota are refused.

        """


class Vendor(Protocol):
    """A service of models."""

    @property
    def model(self) -> str:
        """As it is asked for."""

    def prepare(self) -> None:
        """
        Look for package and key.

        Raises:
            ModelRejected: One is missing.

        """

    def converse(
        self, prompt: Prompt, tools: Sequence[ToolSpec]
    ) -> AbstractAsyncContextManager[Conversation]:
        """Open a conversation; nothing is sent before it is asked."""
