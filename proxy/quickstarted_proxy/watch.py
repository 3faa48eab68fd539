"""
A request that must be refused, sent to the sidecar's own doors as a sandbox would send it.

Its order comes from the harness, which judges the answers and the events that they leave: whatever
lets such a request through, by mistake or by fault, is seen there.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any

from quickstarted_proxy import control
from quickstarted_proxy.refusals import DETAIL_HEADER, REASON_HEADER
from quickstarted_proxy.state import State

ANSWER_S = 5.0
MAX_HEAD_BYTES = 16 * 1024

_REQUESTS = {
    "explicit": (control.PROXY_PORT, "GET http://{host}/ HTTP/1.1"),
    "connect": (control.PROXY_PORT, "CONNECT {host}:22 HTTP/1.1"),
    "http": (control.HTTP_PORT, "GET / HTTP/1.1"),
}
"""Port and first line by the name under which the answer is reported."""


async def ask_doors(state: State, host: str) -> dict[str, dict[str, Any]]:
    """Ask every door that speaks plain HTTP for *host*; what each answered, or why none came."""
    answers = await asyncio.gather(
        *(
            _ask(state, port, f"{line}\r\nHost: {host}\r\nConnection: close\r\n\r\n")
            for port, line in ((port, line.format(host=host)) for port, line in _REQUESTS.values())
        )
    )
    return dict(zip(_REQUESTS, answers, strict=True))


async def _ask(state: State, port: int, request: str) -> dict[str, Any]:
    try:
        async with asyncio.timeout(ANSWER_S):
            return _read(await _exchange(state, port, request.encode("ascii")))
    except TimeoutError:
        return {"error": f"no answer within {ANSWER_S:g} s"}
    except (OSError, ValueError, asyncio.IncompleteReadError) as exc:
        return {"error": str(exc)}


async def _exchange(state: State, port: int, request: bytes) -> bytes:
    with socket.socket() as sock:
        sock.setblocking(False)  # noqa: FBT003 (positional only)
        sock.bind((state.listen, 0))
        own = sock.getsockname()
        state.own_clients.add(own)
        try:
            await asyncio.get_running_loop().sock_connect(sock, (state.listen, port))
            reader, writer = await asyncio.open_connection(sock=sock, limit=MAX_HEAD_BYTES)
            writer.write(request)
            head = await reader.readuntil(b"\r\n\r\n")
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
            return head
        finally:
            state.own_clients.discard(own)


def _read(head: bytes) -> dict[str, Any]:
    line, *fields = head.decode("latin-1").split("\r\n")
    headers = {
        name.lower(): value.strip() for name, _, value in (each.partition(":") for each in fields)
    }
    return {
        "status": int(line.split()[1]),
        "reason": headers.get(REASON_HEADER.lower()),
        "detail": headers.get(DETAIL_HEADER.lower()),
    }
