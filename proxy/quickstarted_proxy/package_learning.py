"""Reads the index pages that pass, behind the answer's back, for the digests of files in them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from quickstarted_proxy.budgets import Meter
from quickstarted_proxy.immutable import Digest
from quickstarted_proxy.index_hashes import MAX_BODY_BYTES, IndexRule, hashes_in

MAX_HASHES = 20_000
"""Remembered at once; when more have come, the oldest go."""
_READING = "quickstarted_index"
"""In a flow's metadata: the `Reading` of its answer."""


class Reading:
    """The stream function of an index page: its meter's, and the page is held until its end."""

    def __init__(self, meter: Meter, rule: IndexRule, encoding: str) -> None:
        self._meter = meter
        self.rule = rule
        self.encoding = encoding
        self.body: bytearray | None = bytearray()
        """None once it is known to be too large."""

    def __call__(self, data: bytes) -> bytes | list[bytes]:
        """Take a piece, or the empty one at the end."""
        return data if self.passes(data) else []

    def passes(self, data: bytes | memoryview) -> bool:
        """Take a piece; whether it may pass."""
        if not self._meter.passes(data):
            return False
        if self.body is not None:
            self.body += data
            if len(self.body) > MAX_BODY_BYTES:
                self.body = None
        return True


class Learning:
    """The digests that index pages have named, by the URL of the file."""

    def __init__(self, rules: Sequence[IndexRule]) -> None:
        self._rules = rules
        self._hashes: dict[str, Digest] = {}

    def digest_of(self, url: str) -> Digest | None:
        """What an index page said of a file."""
        return self._hashes.get(url)

    def begin(self, flow: Any, host: str) -> None:
        """Read along if the answer is an index page; comes after its stream function is set."""
        request, response = flow.request, flow.response
        if request.method != "GET" or response.status_code != 200 or request.scheme != "https":
            return
        rule = next((one for one in self._rules if one.is_for(host, request.data.path)), None)
        if rule is not None:
            encoding = response.headers.get("content-encoding", "").strip().lower()
            flow.metadata[_READING] = response.stream = Reading(response.stream, rule, encoding)

    async def end(self, flow: Any) -> None:
        """The answer has ended: learn what the page says."""
        reading = flow.metadata.pop(_READING, None)
        if reading is None or reading.body is None:
            return
        found = await asyncio.to_thread(
            hashes_in, reading.rule, bytes(reading.body), reading.encoding
        )
        self._hashes.update(found)
        while len(self._hashes) > MAX_HASHES:
            del self._hashes[next(iter(self._hashes))]
