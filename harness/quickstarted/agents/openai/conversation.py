"""One conversation with a model of OpenAI: its history in the service's form, and the call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx2
import openai
from openai import AsyncOpenAI
from openai.types.responses import FunctionToolParam, ResponseIncludable

from quickstarted.agents.assignment import Prompt
from quickstarted.agents.model.access import Access
from quickstarted.agents.model.exchange import Exchange, exchanged, take_all
from quickstarted.agents.model.vendor import (
    LONGEST_REPLY_TOKENS,
    Reply,
    ServiceTrouble,
    Stop,
    ToolAnswer,
    ToolSpec,
)
from quickstarted.agents.openai.faults import meaning
from quickstarted.agents.openai.stream import Assembly, Broken
from quickstarted.events import Usage

EVENT_STREAM = "text/event-stream"
FAILURES = (openai.OpenAIError, httpx2.HTTPError, Broken, ValueError)
"""ValueError: a line of the stream that is not JSON."""


class OpenAIConversation:
    """
    Keeps what was said; every request says it all, and nothing is stored at the vendor.

    Reasoning comes encrypted and goes back as it came, which is how it lasts from turn to turn. The
    tools are functions of ours; none of those that the vendor hosts is ever offered.
    """

    def __init__(
        self, client: AsyncOpenAI, access: Access, prompt: Prompt, tools: Sequence[ToolSpec]
    ) -> None:
        self._client = client
        self._access = access
        self._instructions = prompt.system
        self._tools = [_tool(spec) for spec in tools]
        self._include: list[ResponseIncludable] = ["reasoning.encrypted_content"]
        self._items: list[Any] = []
        self.unfinished = Usage()
        self.say(prompt.task)

    def say(self, text: str) -> None:
        """Say something as the user."""
        self._items.append({"role": "user", "content": [{"type": "input_text", "text": text}]})

    def answer(self, answers: Sequence[ToolAnswer]) -> None:
        """Say what the tools of the last reply gave."""
        self._items += [
            {"type": "function_call_output", "call_id": answer.call_id, "output": answer.text}
            for answer in answers
        ]

    async def ask(self) -> Reply:
        """
        Call the model.

        Raises:
            ServiceTrouble: It may go better in a while.
            ContextFull: Nothing more can be said.
            ModelRejected: Key, model, quota, address or request are refused.

        """
        assembly = Assembly(self._access.model)
        exchange = Exchange(
            receive=lambda: self._receive(assembly), failures=FAILURES, meaning=self._meaning
        )
        try:
            reply = await exchanged(exchange, assembly)
        finally:
            self.unfinished = assembly.usage
        self.unfinished = Usage()
        if reply.stop is not Stop.DECLINED:
            self._items += assembly.items
        return reply

    async def _meaning(self, error: Exception) -> Exception | Reply:
        what = meaning(error, self._access)
        if isinstance(error, openai.BadRequestError) and error.param == "include" and self._include:
            # A model that does not reason has no reasoning to encrypt.
            self._include = []
            said = f"{what}".splitlines()[0]
            return ServiceTrouble(
                f"asked again without reasoning: {said}", status=400, at_once=True
            )
        return what

    async def _receive(self, assembly: Assembly) -> None:
        stream = await self._client.responses.create(
            model=self._access.model,
            instructions=self._instructions,
            input=self._items,
            tools=self._tools,
            parallel_tool_calls=True,
            max_output_tokens=LONGEST_REPLY_TOKENS,
            store=False,
            include=self._include,
            stream=True,
        )
        async with stream:
            kind = stream.response.headers.get("content-type", "nothing")
            if not kind.startswith(EVENT_STREAM):
                raise ServiceTrouble(
                    f"the service answered with {kind} in place of a stream of events; is"
                    f" {self._client.base_url} the address of a Responses API?"
                )
            await take_all(stream, assembly, FAILURES)


def _tool(spec: ToolSpec) -> FunctionToolParam:
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.schema,
        # Strict schemas have no optional parameters.
        "strict": False,
    }
