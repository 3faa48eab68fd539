"""How conversations with Claude are opened: client, key, trust and tools."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from quickstarted.agents.claude.address import service_address
from quickstarted.agents.keys import ApiKey, api_key
from quickstarted.agents.model.vendor import Conversation, ToolSpec
from quickstarted.agents.protocol import Prompt
from quickstarted.errors import ModelRejected
from quickstarted.trust import ssl_context

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic

CONNECT_S = 15.0
SILENCE_S = 120.0
"""Longest silence of the service; a stream that is at work sends a ping every few seconds."""


@dataclass(frozen=True, kw_only=True)
class ClaudeVendor:
    """The Messages API, or what ANTHROPIC_BASE_URL names in its place."""

    model: str
    environ: Mapping[str, str]
    silence_s: float = SILENCE_S

    def prepare(self) -> None:
        """
        Look for package and key.

        Raises:
            ModelRejected: One is missing, or the service's address cannot be one.

        """
        try:
            import anthropic  # noqa: F401, PLC0415
        except ImportError as exc:
            raise ModelRejected(
                f"--agent claude speaks through the package anthropic, which is not there: {exc}",
                hint="pip install --upgrade anthropic",
            ) from exc
        api_key("anthropic", self.environ)
        service_address(self.environ)

    def converse(
        self, prompt: Prompt, tools: Sequence[ToolSpec]
    ) -> AbstractAsyncContextManager[Conversation]:
        """
        Open a conversation.

        Raises:
            ModelRejected: There is no key, or no usable address.

        """
        return self._conversing(prompt, tools, api_key("anthropic", self.environ))

    @asynccontextmanager
    async def _conversing(
        self, prompt: Prompt, tools: Sequence[ToolSpec], key: ApiKey
    ) -> AsyncIterator[Conversation]:
        from quickstarted.agents.claude.conversation import ClaudeConversation  # noqa: PLC0415

        async with self._client(key) as client:
            yield ClaudeConversation(client, self.model, prompt, tools, key)

    def _client(self, key: ApiKey) -> AsyncAnthropic:
        """A client that neither retries nor looks for credentials of its own."""
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Timeout  # noqa: PLC0415

        return AsyncAnthropic(
            api_key=key.value,
            base_url=service_address(self.environ),
            max_retries=0,
            timeout=Timeout(self.silence_s, connect=CONNECT_S),
            # The key goes to no other address than the one that was named.
            http_client=DefaultAsyncHttpxClient(verify=ssl_context(), follow_redirects=False),
        )
