"""The application: the gate, the routes, and what becomes of errors on the way."""

from __future__ import annotations

import asyncio
import time

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from quickstarted.formats.trajectory.importing import Ask
from quickstarted.serve import problems
from quickstarted.serve.answers import refused, send_early
from quickstarted.serve.bodies import Incoming
from quickstarted.serve.endpoints import Endpoints
from quickstarted.serve.gate import Gate
from quickstarted.serve.limits import Patience
from quickstarted.serve.logs import Log
from quickstarted.serve.problems import Refusal
from quickstarted.serve.store import Store
from quickstarted.serve.uploads import Uploads

_GONE = 499
"""In the log: the client was gone before it was answered."""


class Application:
    """Answers every request, and logs it when it is over."""

    def __init__(
        self, store: Store, gate: Gate, patience: Patience, log: Log, ask: Ask | None
    ) -> None:
        self._gate = gate
        self._patience = patience
        self._log = log
        self._router = Endpoints(store, Uploads(store, log, ask)).router()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        incoming = Incoming(receive, self._patience)
        started = time.monotonic()
        status = _GONE

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                incoming.is_answered = True
            await send(message)

        try:
            await self._answer(scope, incoming, noted)
        finally:
            host, port = scope.get("client") or ("-", 0)
            # As it was sent: percent-encoded, so without a space or a control character.
            what = f"{scope['method']} {scope['raw_path'].decode('ascii')}"
            self._log.request(f"{host}:{port}", what, status, time.monotonic() - started)

    async def _answer(self, scope: Scope, incoming: Incoming, send: Send) -> None:
        try:
            self._gate.check(Headers(scope=scope))
            # With an app in it, starlette raises where it would answer in its own words.
            await self._router({**scope, "app": self}, incoming, send)
        except ClientDisconnect:
            return
        except asyncio.CancelledError:
            # The server ends with this request under way.
            await self._refuse(problems.ending(), scope, incoming, send)
        except (Refusal, HTTPException) as exc:
            await self._refuse(exc, scope, incoming, send)
        except Exception as exc:  # noqa: BLE001 - what it says may quote a body, so it goes no further
            self._log.fault(exc)
            await self._refuse(problems.fault(), scope, incoming, send)

    @staticmethod
    async def _refuse(
        exc: Refusal | HTTPException, scope: Scope, incoming: Incoming, send: Send
    ) -> None:
        if incoming.is_answered:
            # An answer has begun, and no other fits into it; uvicorn cuts it off.
            return
        answer = refused(exc if isinstance(exc, Refusal) else _refusal(exc))
        headers = Headers(scope=scope)
        has_body = "transfer-encoding" in headers or headers.get("content-length", "0") != "0"
        if has_body and not incoming.ended:
            # Who waits for 100 Continue has sent nothing, and is not to be asked for it now. A
            # server that ends waits for nobody.
            is_over = isinstance(exc, Refusal) and exc.code == "ending"
            is_waiting = not incoming.body_bytes and "expect" in headers
            await send_early(answer, None if is_waiting or is_over else incoming, send)
        else:
            await answer(scope, incoming, send)


def _refusal(exc: HTTPException) -> Refusal:
    """What starlette's router found, in our words."""
    allowed = (exc.headers or {}).get("Allow")
    if allowed is None:
        return problems.no_such_path()
    return problems.wrong_method(", ".join(sorted(allowed.split(", "))))
