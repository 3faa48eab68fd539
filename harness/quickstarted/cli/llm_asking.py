"""`--llm`: a vendor's model asked a question at a time, by the adapters that agents have."""

from __future__ import annotations

import asyncio

from quickstarted.agents import agent_named
from quickstarted.agents.assignment import Prompt
from quickstarted.agents.model import ModelAgent
from quickstarted.agents.model.vendor import ContextFull, Reply, ServiceTrouble, Stop, Vendor
from quickstarted.errors import ModelUnavailable, UsageError
from quickstarted.formats.trajectory.importing import NotConvertible

_KINDS = frozenset({"claude", "openai", "gemini"})
TIMEOUT_S = 150.0
TRIES = 3
LONGEST_WAIT_S = 20.0


def model_to_ask(name: str) -> ModelToAsk:
    """
    The model that *name* (`KIND` or `KIND:MODEL`, as `--agent` has it) stands for.

    Raises:
        UsageError: It is no model.
        ModelRejected: Its key or its package is missing.

    """
    agent = agent_named(name) if name.partition(":")[0] in _KINDS else None
    if not isinstance(agent, ModelAgent):
        raise UsageError(
            f"--llm {name}: this is no model that can be asked",
            hint="One of: claude, openai, gemini, each with :MODEL if you like.",
        )
    agent.prepare()
    return ModelToAsk(agent.vendor)


class ModelToAsk:
    """Asks; nothing is remembered between questions, and each ends in bounded time."""

    def __init__(self, vendor: Vendor) -> None:
        self._vendor = vendor

    @property
    def model(self) -> str:
        """As it is asked for."""
        return self._vendor.model

    def __call__(self, system: str, text: str) -> str:
        """
        The reply to *text*.

        Raises:
            NotConvertible: The text is too long for the model, or the reply is, or it declines.
            ModelRejected: Key, model or quota are refused.
            ModelUnavailable: The service fails, or takes too long.

        """
        try:
            reply = asyncio.run(self._in_time(Prompt(system=system, task=text)))
        except ContextFull as exc:
            raise NotConvertible(
                "is longer than the model takes", "Split the file by run."
            ) from exc
        if reply.stop is not Stop.DONE:
            raise NotConvertible(
                f"was given to a model, which stopped: {reply.stop_reason}",
                "Split the file by run.",
            )
        return reply.text

    async def _in_time(self, prompt: Prompt) -> Reply:
        try:
            async with asyncio.timeout(TIMEOUT_S):
                return await self._asked(prompt)
        except TimeoutError as exc:
            raise ModelUnavailable(
                f"the model {self.model} gave no reply in {TIMEOUT_S:.0f} s"
            ) from exc

    async def _asked(self, prompt: Prompt) -> Reply:
        trouble: ServiceTrouble | None = None
        async with self._vendor.converse(prompt, ()) as conversation:
            for number in range(TRIES):
                if trouble is not None and not trouble.at_once:
                    wait_s = trouble.retry_after_s if trouble.retry_after_s is not None else number
                    await asyncio.sleep(min(wait_s, LONGEST_WAIT_S))
                try:
                    return await conversation.ask()
                except ServiceTrouble as exc:
                    trouble = exc
        raise ModelUnavailable(f"the model {self.model} cannot be asked: {trouble}") from trouble
