"""How conversations with Claude are opened: client, credentials and trust."""

from __future__ import annotations

import importlib
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field

from quickstarted.agents.assignment import Prompt
from quickstarted.agents.claude.ways import Opened, way_to
from quickstarted.agents.model.vendor import Conversation, ToolSpec
from quickstarted.trust import ssl_context

CONNECT_S = 15.0
SILENCE_S = 120.0
"""Longest silence of the service; a stream that is at work sends a ping every few seconds."""


@dataclass(frozen=True, kw_only=True)
class ClaudeVendor:
    """The Messages API, on whichever way the model's name says."""

    model: str
    environ: Mapping[str, str] = field(repr=False)
    silence_s: float = SILENCE_S

    def prepare(self) -> None:
        """
        Look for packages, credentials and address.

        Raises:
            ModelRejected: One is missing, or cannot be used.

        """
        way, _ = way_to(self.model, self.environ)
        for package in way.packages:
            try:
                importlib.import_module(package.module)
            except ImportError as exc:
                raise package.missing("claude", exc) from exc
        self._open()

    def converse(
        self, prompt: Prompt, tools: Sequence[ToolSpec]
    ) -> AbstractAsyncContextManager[Conversation]:
        """
        Open a conversation.

        Raises:
            ModelRejected: There are no credentials, or no usable address.

        """
        return self._conversing(prompt, tools, self._open())

    @asynccontextmanager
    async def _conversing(
        self, prompt: Prompt, tools: Sequence[ToolSpec], opened: Opened
    ) -> AsyncIterator[Conversation]:
        from quickstarted.agents.claude.conversation import ClaudeConversation  # noqa: PLC0415

        _, model = way_to(self.model, self.environ)
        async with opened.client:
            yield ClaudeConversation(opened, model, prompt, tools)

    def _open(self) -> Opened:
        """A client that neither retries, nor follows redirects, nor trusts its own roots."""
        from anthropic import DefaultAsyncHttpxClient, Timeout  # noqa: PLC0415

        way, _ = way_to(self.model, self.environ)
        http_client = DefaultAsyncHttpxClient(verify=ssl_context(), follow_redirects=False)
        return way.open(http_client, Timeout(self.silence_s, connect=CONNECT_S))
