"""
Connections with the timeouts that uvicorn does not have: a request's head, a reply nobody reads.

The head of a request has to come in one go, whatever trickles in meanwhile; a client that reads no
more of a reply is cut off.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from quickstarted.serve import problems
from quickstarted.serve.limits import CONNECTIONS, Patience


class PatientProtocol(H11Protocol):
    """One connection; `patience` is set by the subclass that a server makes for itself."""

    patience: ClassVar[Patience] = Patience()

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request, so long."""
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            self._refuse(problems.crowded(CONNECTIONS))
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._stop_head_timer()
        self._stop_write_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Between requests, what comes is the beginning of a head, and has its time."""
        super().data_received(data)
        if self._is_at_work:
            self._stop_head_timer()
        elif self._head_timer is None and self.timeout_keep_alive_task is None:
            self._await_head()

    def pause_writing(self) -> None:
        """The client does not read; it has so long."""
        super().pause_writing()
        self._write_timer = self.loop.call_later(self.patience.idle_s, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads on."""
        self._stop_write_timer()
        super().resume_writing()

    def send_400_response(self, msg: str) -> None:
        """Say that this is no HTTP, where there is still room for an answer."""
        del msg
        self._refuse(problems.not_http())

    def _refuse(self, refusal: problems.Refusal) -> None:
        text = json.dumps(refusal.reply().model_dump(exclude_none=True), indent=1)
        body = f"{text}\n".encode("ascii")
        headers = {
            "content-type": "application/json",
            "content-length": str(len(body)),
            "connection": "close",
            **refusal.headers,
        }
        try:
            for event in (
                h11.Response(status_code=refusal.status, headers=list(headers.items())),
                h11.Data(data=body),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        except h11.LocalProtocolError:
            # An answer has begun already; nothing fits into it.
            self.transport.abort()
            return
        self.transport.close()

    @property
    def _is_at_work(self) -> bool:
        # There is none before the first request, whatever uvicorn's annotation says.
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _await_head(self) -> None:
        self._head_timer = self.loop.call_later(self.patience.idle_s, self.transport.abort)

    def _stop_head_timer(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _stop_write_timer(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None
