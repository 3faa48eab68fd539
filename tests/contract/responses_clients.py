"""OpenAI's SDK as a client of the scripted Responses API, sync and async, with one face."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import openai
from openai.types.responses import Response, ResponseStreamEvent

from fakes.responses_api import ScriptedResponsesApi

KEY = "sk-oai-test"
MODEL = "gpt-test"
BASH = {
    "type": "function",
    "name": "bash",
    "description": "Run a command.",
    "parameters": {"type": "object", "properties": {"command": {"type": "string"}}},
    "strict": False,
}
HELLO = {"role": "user", "content": [{"type": "input_text", "text": "Hello."}]}


def request(**more: Any) -> dict[str, Any]:
    """A request that the service takes, changed as the test wants; None takes a key out."""
    whole = {"model": MODEL, "input": [HELLO], "tools": [BASH], "store": False}
    return {name: value for name, value in {**whole, **more}.items() if value is not None}


def options_for(api: ScriptedResponsesApi, **options: Any) -> dict[str, Any]:
    """What a client of that API is made with."""
    return {"base_url": api.base_url, "api_key": KEY, "max_retries": 0, **options}


class SyncClient:
    """`openai.OpenAI`; without the CA bundle, which takes longer to read than a test."""

    def __init__(self, api: ScriptedResponsesApi, **options: Any) -> None:
        quick = openai.DefaultHttpxClient(verify=False)
        self._client = openai.OpenAI(http_client=quick, **options_for(api, **options))

    def create(self, **more: Any) -> Response:
        """`responses.create`, as one document."""
        with self._client as client:
            return client.responses.create(**request(**more))

    def events(self, seen: list[ResponseStreamEvent], **more: Any) -> None:
        """Adds the events of a stream one by one."""
        with (
            self._client as client,
            client.responses.create(stream=True, **request(**more)) as all_,
        ):
            seen.extend(all_)

    def final(self, **more: Any) -> Response:
        """What the SDK's own helper makes of a stream."""
        with self._client as client, client.responses.stream(**request(**more)) as stream:
            return stream.get_final_response()


class AsyncClient:
    """`openai.AsyncOpenAI`."""

    def __init__(self, api: ScriptedResponsesApi, **options: Any) -> None:
        self._options = options_for(api, **options)

    def create(self, **more: Any) -> Response:
        """`responses.create`, as one document."""
        return self._run(lambda client: client.responses.create(**request(**more)))

    def events(self, seen: list[ResponseStreamEvent], **more: Any) -> None:
        """Adds the events of a stream one by one."""

        async def collect(client: openai.AsyncOpenAI) -> None:
            async with await client.responses.create(stream=True, **request(**more)) as stream:
                async for event in stream:
                    seen.append(event)  # noqa: PERF401 - what came before an error counts

        self._run(collect)

    def final(self, **more: Any) -> Response:
        """What the SDK's own helper makes of a stream."""

        async def final(client: openai.AsyncOpenAI) -> Response:
            async with client.responses.stream(**request(**more)) as stream:
                return await stream.get_final_response()

        return self._run(final)

    def _run(self, call: Callable[[openai.AsyncOpenAI], Any]) -> Any:
        async def main() -> Any:
            quick = openai.DefaultAsyncHttpxClient(verify=False)
            async with openai.AsyncOpenAI(http_client=quick, **self._options) as client:
                return await call(client)

        return asyncio.run(main())


CLIENTS = {"sync": SyncClient, "async": AsyncClient}
