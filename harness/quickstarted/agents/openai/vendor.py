"""How conversations with a model of OpenAI are opened: client, key and trust."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from quickstarted.agents.address import ADDRESSES
from quickstarted.agents.assignment import Prompt
from quickstarted.agents.keys import ApiKey, api_key
from quickstarted.agents.kinds import Package
from quickstarted.agents.model.access import Access
from quickstarted.agents.model.vendor import Conversation, ToolSpec
from quickstarted.trust import ssl_context

if TYPE_CHECKING:
    from openai import AsyncOpenAI

OPENAI = Package(module="openai", name="openai", extra="openai")
ADDRESS = ADDRESSES["openai"]
CONNECT_S = 15.0
SILENCE_S = 300.0
"""Longest silence of the service: one that reasons says nothing until it has."""


@dataclass(frozen=True, kw_only=True)
class OpenAIVendor:
    """The Responses API, or what OPENAI_BASE_URL names in its place."""

    model: str
    environ: Mapping[str, str] = field(repr=False)
    silence_s: float = SILENCE_S

    def prepare(self) -> None:
        """
        Look for package, key and address.

        Raises:
            ModelRejected: One is missing, or cannot be used.

        """
        try:
            import openai  # noqa: F401, PLC0415
        except ImportError as exc:
            raise OPENAI.missing("openai", exc) from exc
        api_key("openai", self.environ)
        ADDRESS.of(self.environ)

    def converse(
        self, prompt: Prompt, tools: Sequence[ToolSpec]
    ) -> AbstractAsyncContextManager[Conversation]:
        """
        Open a conversation.

        Raises:
            ModelRejected: There is no key, or no usable address.

        """
        return self._conversing(prompt, tools, api_key("openai", self.environ))

    @asynccontextmanager
    async def _conversing(
        self, prompt: Prompt, tools: Sequence[ToolSpec], key: ApiKey
    ) -> AsyncIterator[Conversation]:
        from quickstarted.agents.openai.conversation import OpenAIConversation  # noqa: PLC0415

        access = Access(
            agent="openai",
            model=self.model,
            credentials=f"the key in {key.variable}",
            address_variable=ADDRESS.variable,
            key=key,
        )
        async with self._client(key) as client:
            yield OpenAIConversation(client, access, prompt, tools)

    def _client(self, key: ApiKey) -> AsyncOpenAI:
        """A client that neither retries, nor follows redirects, nor trusts its own roots."""
        from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout  # noqa: PLC0415

        return AsyncOpenAI(
            api_key=key.value,
            base_url=ADDRESS.of(self.environ),
            max_retries=0,
            timeout=Timeout(self.silence_s, connect=CONNECT_S),
            http_client=DefaultAsyncHttpxClient(verify=ssl_context(), follow_redirects=False),
        )
