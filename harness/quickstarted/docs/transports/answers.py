"""A complete answer as a plain value, which layers keep and give as often as they are asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Self

import httpx

from quickstarted.docs import urls

KEPT_STATUSES = frozenset({200, 203, 204, 300, 301, 302, 303, 307, 308, 404, 410})
"""What may come out differently a moment later (429, 5xx, a login) is not kept."""

FROM_CACHE = "from_cache"
"""Response extension: no body was transferred for it."""
CHANGED = "changed"
"""Response extension: the page has other bytes than the store had."""
LOCAL_FILE = "local_file"
"""Response extension: it comes from a folder that stands in for a site."""

Key = tuple[str, str]
"""What a request accepts, and its URL without a fragment."""


def key_of(request: httpx.Request) -> Key:
    """A site may answer one URL with a page or with Markdown, by what the request accepts."""
    return request.headers.get("accept", ""), urls.without_fragment(str(request.url))


def content_hash(body: bytes) -> str:
    """`sha256:` and the hex digest of *body*."""
    return "sha256:" + hashlib.sha256(body).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and the whole body, after its content coding was undone."""

    status: int
    headers: httpx.Headers
    body: bytes
    extensions: dict[str, object]

    @classmethod
    def of(cls, response: httpx.Response) -> Self:
        """Read *response* whole."""
        body = response.read()
        return cls(response.status_code, response.headers, body, dict(response.extensions))

    def response(self, *, from_cache: bool | None = None) -> httpx.Response:
        """A new response, as if it came again; *from_cache* None leaves that as it was."""
        extensions = dict(self.extensions)
        if from_cache is not None:
            extensions[FROM_CACHE] = from_cache
        return httpx.Response(
            self.status,
            headers=self.headers,
            stream=httpx.ByteStream(self.body),
            extensions=extensions,
        )
