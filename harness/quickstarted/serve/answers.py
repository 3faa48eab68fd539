"""Answers as they are sent: JSON in ASCII, headers that keep browsers from making more of it."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import anyio
from pydantic import BaseModel
from starlette.responses import Response, StreamingResponse
from starlette.types import Message, Send

from quickstarted.serve.bodies import Incoming
from quickstarted.serve.limits import LINGER_BYTES, LINGER_IDLE_S, LINGER_S
from quickstarted.serve.problems import Refusal

HEADERS = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
JSON = "application/json"
_PIECE_BYTES = 256 * 1024


def as_json(value: BaseModel | dict[str, Any], status: int = 200) -> Response:
    """*value* as JSON in ASCII: nothing of a client's drives the terminal that shows it."""
    plain = value.model_dump(mode="json") if isinstance(value, BaseModel) else value
    text = json.dumps(plain, indent=1).replace("\x7f", "\\u007f")
    return Response(f"{text}\n", status, HEADERS, JSON)


def refused(refusal: Refusal) -> Response:
    """The answer to a request that is refused."""
    reply = refusal.reply().model_dump(exclude_none=True)
    answer = as_json(reply, refusal.status)
    answer.headers.update(refusal.headers)
    return answer


def whole_file(path: Path, media_type: str, headers: dict[str, str] | None = None) -> Response:
    """The file *path*, piece by piece: its length takes no memory."""
    length = {"content-length": str(path.stat().st_size)}
    return StreamingResponse(
        _pieces(path), headers={**HEADERS, **(headers or {}), **length}, media_type=media_type
    )


async def _pieces(path: Path) -> AsyncIterator[bytes]:
    async with await anyio.open_file(path, "rb") as stream:
        while piece := await stream.read(_PIECE_BYTES):
            yield piece


async def send_early(answer: Response, incoming: Incoming | None, send: Send) -> None:
    """
    Send *answer* to a client that is still sending, and read on for a while, given *incoming*.

    A connection that is closed with bytes unread is reset, and the answer is lost on the way.
    """
    answer.headers["connection"] = "close"
    await send(
        {
            "type": "http.response.start",
            "status": answer.status_code,
            "headers": answer.raw_headers,
        }
    )
    await send(_part(bytes(answer.body), more_body=True))
    if incoming is not None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LINGER_S):
                await _drain(incoming)
    await send(_part(b"", more_body=False))


async def _drain(incoming: Incoming) -> None:
    last = incoming.body_bytes + LINGER_BYTES
    idle_s = min(LINGER_IDLE_S, incoming.patience.idle_s)
    while not incoming.ended and incoming.body_bytes < last:
        async with asyncio.timeout(idle_s):
            message = await incoming()
        if message["type"] != "http.request":
            return


def _part(body: bytes, *, more_body: bool) -> Message:
    return {"type": "http.response.body", "body": body, "more_body": more_body}
