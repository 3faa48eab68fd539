"""
One call of a vendor's client: the events of its stream, until the reply is whole.

Written once, because each point of it is easy to miss: a reply that is over is taken whatever its
connection does then, what a broken call has used is counted, and nothing of it is left running.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from quickstarted.agents.model.vendor import Reply
from quickstarted.events import Usage

DRAIN_S = 1.0
"""A reply that is over is taken; its response is read to the end only to keep the connection."""


class Assembly(Protocol):
    """A reply in the making."""

    @property
    def usage(self) -> Usage:
        """As far as the service has reported it."""

    @property
    def over(self) -> bool:
        """Whether the reply is whole."""

    def take(self, event: object) -> None:
        """
        Take the next event as the client read it.

        Raises:
            ValueError: It is not what the service documents.
            ServiceTrouble: It does not go with those before it.

        """

    def reply(self) -> Reply:
        """
        The whole reply.

        Raises:
            ServiceTrouble: The stream ended before the reply did.
            ModelRejected: What came is a refusal.

        """


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """How a call is made and what its failures mean."""

    receive: Callable[[], Awaitable[None]]
    """Makes the call and hands its events to the assembly."""
    failures: tuple[type[Exception], ...]
    """What the vendor's client raises, and what is below it."""
    meaning: Callable[[Exception], Awaitable[Exception | Reply]]
    """The exception of ours that a failure stands for; a reply where the service declines."""


async def exchanged(exchange: Exchange, assembly: Assembly) -> Reply:
    """
    Make the call.

    Raises:
        ServiceTrouble, ContextFull, ModelRejected: As `Conversation.ask`.

    """
    try:
        await exchange.receive()
        return assembly.reply()
    except exchange.failures as error:
        meaning = await exchange.meaning(error)
    if isinstance(meaning, Reply):
        return meaning
    raise meaning


async def take_all(
    events: AsyncIterable[object], assembly: Assembly, failures: tuple[type[Exception], ...]
) -> None:
    """
    Hand *events* to *assembly*.

    Raises:
        Exception: One of *failures*, before the reply was over.

    """
    harmless: tuple[type[Exception], ...] = (TimeoutError, *failures)
    try:
        async with asyncio.timeout(None) as limit:
            async for event in events:
                assembly.take(event)
                if assembly.over:
                    limit.reschedule(asyncio.get_running_loop().time() + DRAIN_S)
    except harmless:
        if not assembly.over:
            raise
