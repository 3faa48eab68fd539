"""One conversation with Gemini: its history in the service's own form, and the call."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import httpx2
from google.genai import Client
from google.genai.errors import APIError
from google.genai.types import (
    AutomaticFunctionCallingConfig,
    Content,
    FunctionDeclaration,
    FunctionResponse,
    GenerateContentConfig,
    GenerateContentResponse,
    Part,
    Tool,
)

from quickstarted.agents.assignment import Prompt
from quickstarted.agents.gemini.faults import meaning
from quickstarted.agents.gemini.stream import Assembly, Call
from quickstarted.agents.model.access import Access
from quickstarted.agents.model.exchange import Exchange, exchanged, take_all
from quickstarted.agents.model.vendor import (
    LONGEST_REPLY_TOKENS,
    ContextFull,
    Reply,
    Stop,
    ToolAnswer,
    ToolSpec,
)
from quickstarted.events import Usage

FAILURES = (APIError, httpx2.HTTPError, ValueError)
"""ValueError: a line of the stream that is not JSON, or not the API's."""
UNTOLD_TOKENS = 2_000
"""Of the system text and the tools, at the most: they are not counted when tokens are asked for."""


class GeminiConversation:
    """
    Keeps what was said; every request says it all.

    The tools are functions of ours, and the client calls none of them; none that the vendor hosts
    is ever offered.
    """

    def __init__(
        self, client: Client, access: Access, prompt: Prompt, tools: Sequence[ToolSpec]
    ) -> None:
        self._client = client
        self._access = access
        self._config = _config(prompt, tools)
        self._contents: list[Content] = []
        self._calls: dict[str, Call] = {}
        """Of the last reply, by the id that the loop knows."""
        self._paused: Assembly | None = None
        self._turn = 0
        self.unfinished = Usage()
        self.say(prompt.task)

    def say(self, text: str) -> None:
        """Say something as the user."""
        self._contents.append(Content(role="user", parts=[Part(text=text)]))

    def answer(self, answers: Sequence[ToolAnswer]) -> None:
        """Say what the tools of the last reply gave."""
        parts = [Part(function_response=self._response(answer)) for answer in answers]
        self._contents.append(Content(role="user", parts=parts))

    async def ask(self) -> Reply:
        """
        Call the model.

        Raises:
            ServiceTrouble: It may go better in a while.
            ContextFull: Nothing more can be said.
            ModelRejected: Key, model, quota, address or request are refused.

        """
        begun = [part.model_copy() for part in self._paused.parts] if self._paused else []
        assembly = Assembly(self._access.model, turn=self._turn + 1, parts=begun)
        exchange = Exchange(
            receive=lambda: self._receive(assembly), failures=FAILURES, meaning=self._meaning
        )
        try:
            reply = await exchanged(exchange, assembly)
        finally:
            self.unfinished = assembly.usage
        self.unfinished = Usage()
        self._turn += 1
        self._keep(reply, assembly)
        return reply

    def _keep(self, reply: Reply, assembly: Assembly) -> None:
        self._paused = assembly if reply.stop is Stop.PAUSED and assembly.token else None
        if self._paused is None and assembly.parts and reply.stop is not Stop.DECLINED:
            self._contents.append(Content(role="model", parts=assembly.parts))
        self._calls = {call.use.call_id: call for call in assembly.calls}

    def _response(self, answer: ToolAnswer) -> FunctionResponse:
        """It names the function, and the id where the service gave one; the order says the rest."""
        call = self._calls[answer.call_id]
        return FunctionResponse(
            id=call.given_id,
            name=call.use.name,
            response={"error" if answer.is_error else "output": answer.text},
        )

    async def _meaning(self, error: Exception) -> Exception:
        if isinstance(error, APIError) and error.code == 400 and await self._is_too_long():
            return ContextFull(str(error))
        return meaning(error, self._access)

    async def _receive(self, assembly: Assembly) -> None:
        async with aclosing(self._chunks()) as chunks:
            await take_all(chunks, assembly, FAILURES)

    async def _chunks(self) -> AsyncGenerator[GenerateContentResponse, None]:
        """
        What the client reads.

        Raises:
            ValueError: It cannot be read; the client checks little before it looks into it.

        """
        token = self._paused.token if self._paused else None
        try:
            chunks = await self._client.aio.models.generate_content_stream(
                model=self._access.model,
                contents=self._contents,
                config=self._config.model_copy(update={"continuation_token": token}),
            )
            async for chunk in chunks:
                yield chunk
        except (AttributeError, LookupError, TypeError) as odd:
            raise ValueError(f"{type(odd).__name__}: {odd}") from odd

    async def _is_too_long(self) -> bool:
        """
        Whether the conversation is longer than the model takes.

        A request that is too long is refused as any invalid one is, with nothing but words to tell
        it by; both numbers can be asked for.
        """
        models = self._client.aio.models
        try:
            model = await models.get(model=self._access.model)
            counted = await models.count_tokens(model=self._access.model, contents=self._contents)
        except FAILURES:
            return False
        longest, told = model.input_token_limit, counted.total_tokens
        return longest is not None and told is not None and told + UNTOLD_TOKENS > longest


def _config(prompt: Prompt, tools: Sequence[ToolSpec]) -> GenerateContentConfig:
    declared = [
        FunctionDeclaration(
            name=spec.name, description=spec.description, parameters_json_schema=spec.schema
        )
        for spec in tools
    ]
    return GenerateContentConfig(
        system_instruction=prompt.system,
        tools=[Tool(function_declarations=declared)],
        max_output_tokens=LONGEST_REPLY_TOKENS,
        automatic_function_calling=AutomaticFunctionCallingConfig(disable=True),
        # Each request is one call of the loop's, counted and timed as such.
        automatic_continuation=False,
        store=False,
    )
