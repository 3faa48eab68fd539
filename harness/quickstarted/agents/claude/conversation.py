"""One conversation with Claude: its history in the service's own form, and the call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import anthropic
import httpx2

from quickstarted.agents.assignment import Prompt
from quickstarted.agents.claude.faults import meaning
from quickstarted.agents.claude.stream import Assembly
from quickstarted.agents.claude.thinking import Thinking
from quickstarted.agents.claude.ways import Opened
from quickstarted.agents.model.answers import connection_words
from quickstarted.agents.model.exchange import Exchange, exchanged, take_all
from quickstarted.agents.model.vendor import (
    LONGEST_REPLY_TOKENS,
    ContextFull,
    Reply,
    ServiceTrouble,
    Stop,
    ToolAnswer,
    ToolSpec,
)
from quickstarted.events import Usage

VENDOR_TOOLS = {"bash": {"type": "bash_20250124", "name": "bash"}}
"""Tools that the model knows from its training."""
CACHED = {"type": "ephemeral"}
EVENT_STREAMS = ("text/event-stream", "application/vnd.amazon.eventstream")
GO_ON = "Go on."
FAILURES = (anthropic.AnthropicError, httpx2.HTTPError, ValueError)
"""ValueError: a line of the stream that is not JSON."""


class ClaudeConversation:
    """Keeps what was said; every request says it all, and the service's cache pays for most."""

    def __init__(
        self, opened: Opened, model: str, prompt: Prompt, tools: Sequence[ToolSpec]
    ) -> None:
        self._opened = opened
        self._client = opened.client
        self._access = opened.access
        self._failures = (*FAILURES, *opened.breaks, *opened.refusals)
        self._model = model
        self._thinking = Thinking()
        self._system = [{"type": "text", "text": prompt.system, "cache_control": CACHED}]
        self._tools = [_tool(spec) for spec in tools]
        self._messages: list[dict[str, Any]] = []
        self.unfinished = Usage()
        self.say(prompt.task)

    def say(self, text: str) -> None:
        """Say something as the user."""
        self._add("user", [{"type": "text", "text": text}])

    def answer(self, answers: Sequence[ToolAnswer]) -> None:
        """Say what the tools of the last reply gave."""
        self._add("user", [_result(answer) for answer in answers])

    async def ask(self) -> Reply:
        """
        Call the model.

        Raises:
            ServiceTrouble: It may go better in a while.
            ContextFull: Nothing more can be said.
            ModelRejected: Key, model, quota, address or request are refused.

        """
        if self._messages[-1]["role"] == "assistant" and _ends_in_text(self._messages[-1]):
            # A reply that was paused: the service continues its own tools' work, and no text.
            self.say(GO_ON)
        assembly = Assembly(self._model)
        exchange = Exchange(
            receive=lambda: self._receive(assembly), failures=self._failures, meaning=self._meaning
        )
        try:
            reply = await exchanged(exchange, assembly)
        finally:
            self.unfinished = assembly.usage
        self.unfinished = Usage()
        self._thinking.works()
        if assembly.content and reply.stop is not Stop.DECLINED:
            self._add("assistant", assembly.content)
        return reply

    async def _meaning(self, error: Exception) -> Exception:
        if isinstance(error, self._opened.breaks):
            return ServiceTrouble(self._access.clean(connection_words(error)))
        if isinstance(error, self._opened.refusals):
            return self._access.no_credentials(self._access.clean(str(error)))
        if isinstance(error, anthropic.BadRequestError):
            if self._thinking.give_up():
                # Whether a model takes it is in no code of the error; the next try tells.
                said = f"{meaning(error, self._access)}".splitlines()[0]
                return ServiceTrouble(
                    f"asked again without thinking: {said}", status=400, at_once=True
                )
            if await self._is_too_long():
                return ContextFull(str(error))
        return meaning(error, self._access)

    async def _receive(self, assembly: Assembly) -> None:
        stream = await self._client.messages.create(
            max_tokens=LONGEST_REPLY_TOKENS,
            stream=True,
            **self._thinking.parameters,
            **self._request(),
        )
        async with stream:
            kind = stream.response.headers.get("content-type", "nothing")
            if not kind.startswith(EVENT_STREAMS):
                raise ServiceTrouble(
                    f"the service answered with {kind} in place of a stream of events; is"
                    f" {self._client.base_url} the address of a Messages API?"
                )
            await take_all(stream, assembly, self._failures)

    def _request(self) -> dict[str, Any]:
        return {
            "model": self._model,
            "system": self._system,
            "tools": self._tools,
            "messages": self._with_breakpoint(),
        }

    async def _is_too_long(self) -> bool:
        """
        Whether the conversation is longer than the model takes.

        A request that is too long is refused as any invalid one is, with nothing but words to tell
        it by; both numbers can be asked for.
        """
        if not isinstance(self._client, anthropic.AsyncAnthropic):
            return False  # a cloud's client, which can ask for neither
        try:
            model = await self._client.models.retrieve(self._model)
            counted = await self._client.messages.count_tokens(**self._request())
        except FAILURES:
            return False
        longest = model.max_input_tokens
        return longest is not None and counted.input_tokens > longest

    def _add(self, role: str, content: list[dict[str, Any]]) -> None:
        """Roles alternate: what one side says in two steps is one message."""
        if self._messages and self._messages[-1]["role"] == role:
            self._messages[-1]["content"] += content
        else:
            self._messages.append({"role": role, "content": content})

    def _with_breakpoint(self) -> list[dict[str, Any]]:
        """
        The history, cached up to its end.

        The next request finds all that this one had: the mark moves along, and the service looks
        back for the longest part it knows.
        """
        last = self._messages[-1]
        marked = [*last["content"][:-1], {**last["content"][-1], "cache_control": CACHED}]
        return [*self._messages[:-1], {**last, "content": marked}]


def _ends_in_text(message: dict[str, Any]) -> bool:
    return bool(message["content"][-1]["type"] == "text")


def _tool(spec: ToolSpec) -> dict[str, Any]:
    return VENDOR_TOOLS.get(spec.name) or {
        "name": spec.name,
        "description": spec.description,
        "input_schema": spec.schema,
    }


def _result(answer: ToolAnswer) -> dict[str, Any]:
    block: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": answer.call_id,
        "content": answer.text,
    }
    return {**block, "is_error": True} if answer.is_error else block
