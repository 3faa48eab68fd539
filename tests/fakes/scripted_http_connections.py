"""
Connections of a scripted service: HTTP/1.1 kept alive, and every way of ending it badly.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import socket
import struct
import threading
import traceback
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol

from fakes.scripted_http_steps import (
    Book,
    Close,
    Ending,
    Hang,
    Head,
    Pause,
    Recorded,
    Speaker,
    Step,
)


class Owner(Protocol):
    """Who decides what a request gets."""

    book: Book
    speaker: Speaker[Any]

    def decide(self, request: Recorded) -> tuple[Iterable[Step], Ending]:
        """The steps, and how the request ends if the client takes all of them."""


class _Left(Exception):
    """The client has closed its end."""


class Handler(BaseHTTPRequestHandler):
    """One connection, with as many requests as the client likes."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Server
    chunked = False
    number = 0

    def setup(self) -> None:
        super().setup()
        self.number = self.server.opened(self.connection)

    def finish(self) -> None:
        self.server.closed(self.connection)
        super().finish()

    def handle(self) -> None:
        try:
            super().handle()
        except OSError:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Requests are in the book."""

    def do_GET(self) -> None:
        self._exchange()

    do_HEAD = do_GET  # noqa: N815 - http.server's name
    do_POST = do_GET  # noqa: N815

    def _exchange(self) -> None:
        owner = self.server.owner
        length = int(self.headers.get("content-length") or 0)
        body = self._read(length, owner.speaker.max_body_bytes)
        if body is None:
            self.close_connection = True
            return
        request = owner.book.enter(
            method=self.command,
            path=self.path,
            headers={name.lower(): value for name, value in self.headers.items()},
            body_bytes=length,
            body=_parsed(body),
            connection=self.number,
        )
        ending = request.ending
        try:
            steps, ending = owner.decide(request)
            ending = self._play(steps, ending)
        finally:
            owner.book.end(request, ending)

    def _read(self, length: int, most: int) -> bytes | None:
        """The body, not kept where it is larger than the service takes; None if it stops short."""
        kept = bytearray()
        left = length
        while left:
            piece = self.rfile.read(min(left, 1 << 20))
            if not piece:
                return None
            left -= len(piece)
            if length <= most:
                kept += piece
        return bytes(kept)

    def _play(self, steps: Iterable[Step], ending: Ending) -> Ending:
        self.chunked = False
        try:
            for step in steps:
                if isinstance(step, Close):
                    self._cut(reset=step.reset)
                    return "cut"
                self._do(step)
            if self.chunked:
                self.wfile.write(b"0\r\n\r\n")
        except (_Left, OSError):
            self.close_connection = True
            return "client_left"
        return ending

    def _do(self, step: Step) -> None:
        match step:
            case Head():
                self._send_head(step)
            case bytes():
                if step and self.command != "HEAD":
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(step), step) if self.chunked else step)
            case Pause(seconds):
                self._idle(seconds)
            case Hang(beat, every_s):
                while True:
                    self._idle(every_s if beat else None)
                    self._do(beat)

    def _send_head(self, head: Head) -> None:
        self.send_response(head.status)
        for name, value in head.headers:
            self.send_header(name, value)
        self.chunked = head.body_bytes is None and self.command != "HEAD"
        if head.body_bytes is None:
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str(head.body_bytes))
        self.end_headers()

    def _idle(self, seconds: float | None) -> None:
        """Waits; raises _Left as soon as the connection has been closed."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable:
            raise _Left

    def _cut(self, *, reset: bool) -> None:
        self.close_connection = True
        if reset:
            self.server.closed(self.connection)
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            os.close(self.connection.detach())


def _parsed(body: bytes) -> Any:
    try:
        return json.loads(body)
    except ValueError:
        return None


class Server(ThreadingHTTPServer):
    """Knows its open connections, so that it can hang up on all of them."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, owner: Owner, port: int) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.owner = owner
        self._open: dict[int, socket.socket] = {}
        self._opened = 0
        self._lock = threading.Lock()

    def opened(self, connection: socket.socket) -> int:
        with self._lock:
            self._opened += 1
            self._open[id(connection)] = connection
            return self._opened

    def closed(self, connection: socket.socket) -> None:
        with self._lock:
            self._open.pop(id(connection), None)

    def handle_error(self, *_: object) -> None:
        """What went wrong in a connection's thread is the test's business."""
        self.owner.book.add_fault(traceback.format_exc())

    def hang_up(self) -> None:
        """Ends every connection, whatever its thread is waiting for."""
        with self._lock:
            for connection in self._open.values():
                # The client may have been quicker.
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
