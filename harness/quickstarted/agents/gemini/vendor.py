"""How conversations with Gemini are opened: client, key and trust."""

from __future__ import annotations

import logging
import warnings
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
    import httpx2
    from google.genai import Client

GOOGLE_GENAI = Package(module="google.genai", name="google-genai", extra="gemini")
ADDRESS = ADDRESSES["gemini"]
CONNECT_S = 15.0
SILENCE_S = 300.0
"""Longest silence of the service: one that thinks says nothing until it has."""


@dataclass(frozen=True, kw_only=True)
class GeminiVendor:
    """The Gemini API, or what GOOGLE_GEMINI_BASE_URL names in its place."""

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
            import google.genai  # noqa: F401, PLC0415
        except ImportError as exc:
            raise GOOGLE_GENAI.missing("gemini", exc) from exc
        api_key("gemini", self.environ)
        ADDRESS.of(self.environ)

    def converse(
        self, prompt: Prompt, tools: Sequence[ToolSpec]
    ) -> AbstractAsyncContextManager[Conversation]:
        """
        Open a conversation.

        Raises:
            ModelRejected: There is no key, or no usable address.

        """
        return self._conversing(prompt, tools, api_key("gemini", self.environ))

    @asynccontextmanager
    async def _conversing(
        self, prompt: Prompt, tools: Sequence[ToolSpec], key: ApiKey
    ) -> AsyncIterator[Conversation]:
        import httpx2  # noqa: PLC0415

        from quickstarted.agents.gemini.conversation import GeminiConversation  # noqa: PLC0415

        access = Access(
            agent="gemini",
            model=self.model,
            credentials=f"the key in {key.variable}",
            address_variable=ADDRESS.variable,
            key=key,
        )
        hooks = {"request": [self._limit_silence]}
        async with httpx2.AsyncClient(verify=ssl_context(), event_hooks=hooks) as http_client:
            client = self._client(key, http_client)
            try:
                yield GeminiConversation(client, access, prompt, tools)
            finally:
                client.close()

    async def _limit_silence(self, request: httpx2.Request) -> None:
        """
        Set the timeouts of a request.

        The client has one for a whole call only, which it has the service hold to as well, and
        none for the silence between two events.
        """
        import httpx2  # noqa: PLC0415

        timeout = httpx2.Timeout(self.silence_s, connect=CONNECT_S)
        request.extensions["timeout"] = timeout.as_dict()

    def _client(self, key: ApiKey, http_client: httpx2.AsyncClient) -> Client:
        """A client that neither retries, nor follows redirects, nor trusts its own roots."""
        from google.genai import Client  # noqa: PLC0415
        from google.genai.types import HttpOptions  # noqa: PLC0415

        # It warns of keys in variables that are not asked, and of values that are newer than it.
        logging.getLogger("google_genai").setLevel(logging.ERROR)
        warnings.filterwarnings("ignore", r".* is not a valid \w+$", UserWarning)
        return Client(
            vertexai=False,
            api_key=key.value,
            http_options=HttpOptions(
                base_url=ADDRESS.of(self.environ),
                httpx_async_client=http_client,
                client_args={"verify": ssl_context()},
            ),
        )
