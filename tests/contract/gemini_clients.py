"""Google's SDK as a client of the scripted Gemini API, sync and async, with one face."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
from google import genai
from google.genai.types import (
    Content,
    FunctionDeclaration,
    GenerateContentConfig,
    GenerateContentResponse,
    HttpOptions,
    Part,
    Tool,
)

from fakes.gemini_api import ScriptedGeminiApi

KEY = "k-gemini-test"
MODEL = "gemini-test"
SCHEMA = {"type": "object", "properties": {"command": {"type": "string"}}}
HELLO = Content(role="user", parts=[Part(text="Hello.")])


def config(**more: Any) -> GenerateContentConfig:
    """With one function, and nothing that the SDK would do by itself."""
    tool = Tool(
        function_declarations=[FunctionDeclaration(name="bash", parameters_json_schema=SCHEMA)]
    )
    return GenerateContentConfig(**{"tools": [tool], "automatic_continuation": False, **more})


def request(**more: Any) -> dict[str, Any]:
    """A request that the service takes, changed as the test wants."""
    return {"model": MODEL, "contents": [HELLO], "config": config(), **more}


def connect(
    api: ScriptedGeminiApi, http_client: httpx2.AsyncClient | None = None, **options: Any
) -> genai.Client:
    """A client of that API; without the CA bundle, which takes longer to read than a test."""
    http_options = HttpOptions(
        base_url=api.base_url,
        client_args={"verify": False, "timeout": options.get("timeout_s")},
        httpx_async_client=http_client,
        timeout=options["timeout_s"] * 1000 if options.get("timeout_s") else None,
    )
    key = options.get("api_key", KEY)
    return genai.Client(vertexai=False, api_key=key, http_options=http_options)


class SyncClient:
    """`client.models`."""

    def __init__(self, api: ScriptedGeminiApi, **options: Any) -> None:
        self._api, self._options = api, options

    def create(self, **more: Any) -> GenerateContentResponse:
        """`generate_content`."""
        with connect(self._api, **self._options) as client:
            return client.models.generate_content(**request(**more))

    def chunks(self, seen: list[GenerateContentResponse], **more: Any) -> None:
        """Adds the chunks of a stream one by one."""
        with connect(self._api, **self._options) as client:
            seen.extend(client.models.generate_content_stream(**request(**more)))


class AsyncClient:
    """`client.aio.models`, over an HTTP client of our own as the adapter has it."""

    def __init__(self, api: ScriptedGeminiApi, **options: Any) -> None:
        self._api, self._options = api, options

    def create(self, **more: Any) -> GenerateContentResponse:
        """`generate_content`."""

        async def main() -> GenerateContentResponse:
            async with httpx2.AsyncClient(verify=False) as http_client:
                client = connect(self._api, http_client, **self._options)
                try:
                    return await client.aio.models.generate_content(**request(**more))
                finally:
                    client.close()

        return asyncio.run(main())

    def chunks(self, seen: list[GenerateContentResponse], **more: Any) -> None:
        """Adds the chunks of a stream one by one."""

        async def main() -> None:
            async with httpx2.AsyncClient(verify=False) as http_client:
                client = connect(self._api, http_client, **self._options)
                try:
                    stream = await client.aio.models.generate_content_stream(**request(**more))
                    async for chunk in stream:
                        seen.append(chunk)  # noqa: PERF401 - what came before an error counts
                finally:
                    client.close()

        asyncio.run(main())


CLIENTS = {"sync": SyncClient, "async": AsyncClient}
