"""
The vendor's SDK as a client of the scripted Messages API, sync and async, with one face.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import anthropic
from anthropic.types import Message, RawMessageStreamEvent

from fakes.messages_api import ScriptedMessagesApi

KEY = "sk-ant-test"
MODEL = "claude-test"
BASH = {"type": "bash_20250124", "name": "bash"}
READ_DOCS = {
    "name": "read_docs",
    "description": "Read a page.",
    "input_schema": {
        "type": "object",
        "properties": {"url": {"type": "string"}},
        "required": ["url"],
    },
}


def user(*blocks: Any) -> dict[str, Any]:
    """A user's message of these blocks."""
    return {"role": "user", "content": list(blocks)}


def assistant(*blocks: Any) -> dict[str, Any]:
    """An assistant's message of these blocks."""
    return {"role": "assistant", "content": list(blocks)}


def text(said: str, **more: Any) -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": said, **more}


def tool_use(known: str, **more: Any) -> dict[str, Any]:
    """A tool call as it is sent back."""
    return {"type": "tool_use", "id": known, "name": "bash", "input": {"command": "ls"}, **more}


def tool_result(known: str, **more: Any) -> dict[str, Any]:
    """A result."""
    return {"type": "tool_result", "tool_use_id": known, "content": "out", **more}


HELLO = {"role": "user", "content": "Hello."}


def request(**more: Any) -> dict[str, Any]:
    """A request that the service takes, changed as the test wants; None takes a key out."""
    whole = {"model": MODEL, "max_tokens": 1024, "messages": [HELLO], "tools": [BASH, READ_DOCS]}
    return {name: value for name, value in {**whole, **more}.items() if value is not None}


class Client(Protocol):
    """One call of the SDK each, without the SDK's own retries."""

    def __init__(self, api: ScriptedMessagesApi, **options: Any) -> None: ...

    def create(self, **more: Any) -> Message:
        """`messages.create`."""

    def stream(self, **more: Any) -> Message:
        """The final message of `messages.stream`."""

    def events(self, seen: list[RawMessageStreamEvent], **more: Any) -> None:
        """Adds the raw events of `messages.create(stream=True)` one by one."""


def options_for(api: ScriptedMessagesApi, **options: Any) -> dict[str, Any]:
    """What a client of that API is made with."""
    return {"base_url": api.base_url, "api_key": KEY, "max_retries": 0, **options}


def connect(api: ScriptedMessagesApi, **options: Any) -> anthropic.Anthropic:
    """A client of that API; without the CA bundle, which takes longer to read than a test."""
    quick = anthropic.DefaultHttpxClient(verify=False)
    return anthropic.Anthropic(http_client=quick, **options_for(api, **options))


class SyncClient:
    """`anthropic.Anthropic`."""

    def __init__(self, api: ScriptedMessagesApi, **options: Any) -> None:
        self.connect = partial(connect, api, **options)

    def create(self, **more: Any) -> Message:
        with self.connect() as client:
            return client.messages.create(**request(**more))

    def stream(self, **more: Any) -> Message:
        with (
            self.connect() as client,
            client.messages.stream(**request(**more)) as stream,
        ):
            return stream.get_final_message()

    def events(self, seen: list[RawMessageStreamEvent], **more: Any) -> None:
        with (
            self.connect() as client,
            client.messages.create(**request(stream=True, **more)) as stream,
        ):
            seen.extend(stream)


class AsyncClient:
    """`anthropic.AsyncAnthropic`."""

    def __init__(self, api: ScriptedMessagesApi, **options: Any) -> None:
        self.options = options_for(api, **options)

    def create(self, **more: Any) -> Message:
        return self._run(lambda client: client.messages.create(**request(**more)))

    def stream(self, **more: Any) -> Message:
        async def final(client: anthropic.AsyncAnthropic) -> Message:
            async with client.messages.stream(**request(**more)) as stream:
                return await stream.get_final_message()

        return self._run(final)

    def events(self, seen: list[RawMessageStreamEvent], **more: Any) -> None:
        async def collect(client: anthropic.AsyncAnthropic) -> None:
            async with await client.messages.create(**request(stream=True, **more)) as stream:
                async for event in stream:
                    seen.append(event)  # noqa: PERF401 - what came before an error counts

        self._run(collect)

    def _run(self, call: Callable[[anthropic.AsyncAnthropic], Any]) -> Any:
        async def main() -> Any:
            quick = anthropic.DefaultAsyncHttpxClient(verify=False)
            async with anthropic.AsyncAnthropic(http_client=quick, **self.options) as client:
                return await call(client)

        return asyncio.run(main())


CLIENTS: dict[str, type[Client]] = {"sync": SyncClient, "async": AsyncClient}
