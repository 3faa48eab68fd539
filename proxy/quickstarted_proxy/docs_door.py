"""
The harness's own host inside the sandbox: what is sent to it is handed to the harness to answer.

Programs that work in the sandbox read documentation through it. It is reached on the doors for
plain HTTP only, goes nowhere, and leaves no event: the harness records what was read.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import itertools
from collections.abc import Callable
from http import HTTPStatus
from typing import Any

from mitmproxy import http

from quickstarted_proxy.guard import guarded
from quickstarted_proxy.state import State

MAX_BODY_BYTES = 1024 * 1024
"""Of a request; a call of a tool is a few hundred."""
MAX_WAITING = 64
"""Requests that wait for the harness at the same time."""
_MARK = "quickstarted_docs_door"
"""In a flow's metadata: it is for the harness."""
_PLAIN = "text/plain; charset=utf-8"

Send = Callable[..., None]
"""Writes a report: its kind, and its fields by name."""


def _refuse_broken(door: DocsDoor, flow: Any, exc: Exception) -> None:
    del door
    _reply(flow, HTTPStatus.INTERNAL_SERVER_ERROR, f"{type(exc).__name__}\n")


class DocsDoor:
    """Asks the harness, and gives its answers; on the event loop's thread."""

    def __init__(self, state: State, send: Send) -> None:
        self._state = state
        self._send = send
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[http.Response]] = {}

    def takes(self, flow: Any, host: str) -> bool:
        """Whether the request is for the harness; what is too large is answered at once."""
        if not self._state.docs_door or host != self._state.docs_door:
            return False
        headers = flow.request.headers
        length = headers.get("content-length", "0")
        if flow.request.scheme != "http":
            _reply(flow, HTTPStatus.BAD_REQUEST, "Ask by plain HTTP.\n")
        elif "transfer-encoding" in headers:
            _reply(flow, HTTPStatus.LENGTH_REQUIRED, "Say how long the body is.\n")
        elif not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            _reply(flow, HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "That is too much.\n")
        elif len(self._waiting) >= MAX_WAITING:
            _reply(flow, HTTPStatus.SERVICE_UNAVAILABLE, "Too many at once; try again.\n")
        else:
            flow.metadata[_MARK] = True
        return True

    @guarded(_refuse_broken)
    async def request(self, flow: Any) -> None:
        """Hand a whole request over, and wait for the answer."""
        if not flow.metadata.pop(_MARK, False):
            return
        number = next(self._numbers)
        future = self._waiting[number] = asyncio.get_running_loop().create_future()
        request = flow.request
        self._send(
            "docs_call",
            id=number,
            method=request.method,
            path=request.path,
            content_type=request.headers.get("content-type", ""),
            body_b64=base64.b64encode(request.raw_content or b"").decode("ascii"),
        )
        try:
            flow.response = await future
        finally:
            del self._waiting[number]

    def answer(self, order: dict[str, Any]) -> None:
        """
        Take the harness's answer; nobody may wait for it any more.

        Raises:
            ValueError, KeyError, TypeError: It is not what the control protocol says.

        """
        number, status = int(order["id"]), int(order["status"])
        kind = str(order["content_type"])
        if not 200 <= status <= 599 or not kind.isascii() or not kind.isprintable():
            raise ValueError(f"status {status}, content type {kind!r}")
        try:
            body = base64.b64decode(order["body_b64"], validate=True)
        except binascii.Error as exc:
            raise ValueError(f"body_b64: {exc}") from exc
        future = self._waiting.get(number)
        if future is not None and not future.done():
            future.set_result(http.Response.make(status, body, {"content-type": kind}))

    def forget(self) -> None:
        """The attempt is over: who still waits is told so."""
        for future in self._waiting.values():
            if not future.done():
                words = b"The attempt is over.\n"
                future.set_result(http.Response.make(503, words, {"content-type": _PLAIN}))


def _reply(flow: Any, status: int, words: str) -> None:
    flow.response = http.Response.make(
        status, words, {"content-type": _PLAIN, "connection": "close"}
    )
