"""
Bodies of answers that pass the layers by: from socket to socket, decrypted, counted, encrypted.

Only for the inner part of a body whose length the server has announced, on one connection with
TLS or none on each side, and while its stream function only counts. The head, the last byte and
whatever follows go through mitmproxy's layers as ever, so that they find a body that has come to
its end, or broken off, in the ordinary way. Nothing is kept: a client that reads slowly makes the
server wait.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, runtime_checkable

from mitmproxy.proxy import events, layers
from mitmproxy.proxy.layers.http import HttpClient
from mitmproxy.proxy.layers.http._http1 import ContentLengthReader, Http1Client

from quickstarted_proxy import records

MIN_BODY_BYTES = 64 * 1024
"""Below, the layers have the whole body before a short cut is set up."""
_OFFER = "quickstarted_shortcut"
"""On a server connection: the stream whose body has begun."""


@runtime_checkable
class Meter(Protocol):
    """A stream function that only needs to know what passes."""

    def passes(self, data: memoryview) -> bool:
        """Take note of a piece, which is gone afterwards; whether it may pass."""


def offer(stream: Any) -> None:
    """Let the body of an `HttpStream` whose head has been sent take the short cut, if it can."""
    if isinstance(stream.flow.response.stream, Meter):
        setattr(stream.context.server, _OFFER, stream)


def _accept(connection: Any) -> Body | None:
    """The body that has begun on a connection, if it can take the short cut."""
    stream = connection.__dict__.pop(_OFFER, None)
    if stream is None:
        return None
    http_layer = stream.context.layers[stream.context.layers.index(stream) - 1]
    found = _below(http_layer.connections.get(connection))
    if found is None or not isinstance(found[1].body_reader, ContentLengthReader):
        return None
    server_tls, http1 = found
    if http1.stream_id != stream.stream_id:
        # Its body has ended within one read; what is read now is the next one's, whose head is not
        # sent yet.
        return None
    if stream._paused is not None:  # noqa: SLF001 (no public way)
        # It waits for a hook, and what it has been given since is not sent yet.
        return None
    client_tls = tls_of_client(stream.context)
    body = Body(stream.flow.response.stream, http1.body_reader, server_tls, client_tls)
    return body if body.left >= MIN_BODY_BYTES else None


def tls_of_client(context: Any) -> Any:
    """The TLS connection towards the client, or None for none; there is one at most."""
    found = [one.tls for one in context.layers if isinstance(one, layers.ClientTLSLayer)]
    return found[0] if found else None


async def send_file(handler: Any, client_tls: Any, part: FilePart, meter: Meter) -> None:
    """
    Send a part of a file to a client, as the body of an answer whose head is sent.

    Raises:
        OSError: The file is shorter, the meter lets nothing more pass, or the client is gone or
            has read nothing for as long as any connection may be idle.

    """
    client = handler.transports[handler.client].writer.transport
    offset, left = part.offset, part.size
    while left:
        piece = memoryview(records.opened)[: min(left, part.piece_bytes)]
        size = os.preadv(part.descriptor, [piece], offset)
        if not size:
            raise OSError("the file has become shorter")
        data = piece[:size]
        if client.is_closing() or not meter.passes(data):
            raise OSError("the body was cut")
        client.write(bytes(data) if client_tls is None else records.encrypt(client_tls, data))
        offset, left = offset + size, left - size
        handler.timeout_watchdog.register_activity()
        # The watchdog itself rests while a hook runs.
        async with asyncio.timeout(handler.timeout_watchdog.timeout):
            await handler.drain_writers()
        await asyncio.sleep(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePart:
    """What is sent of a file."""

    descriptor: int
    offset: int
    size: int
    piece_bytes: int
    """How much at once."""


def _below(top: Any) -> tuple[Any, Any] | None:
    """The TLS connection, or None for none, and the HTTP/1 layer of a direct connection."""
    tls = None
    if isinstance(top, layers.ServerTLSLayer):
        tls, top = top.tls, top.child_layer
        if tls is None:
            return None
    http1 = getattr(top, "child_layer", None) if isinstance(top, HttpClient) else None
    return (tls, http1) if isinstance(http1, Http1Client) else None


def _of(exc: Exception) -> tuple[type[Exception], Exception, TracebackType | None]:
    return type(exc), exc, exc.__traceback__


class Body:
    """One body, from the moment that its head is sent."""

    def __init__(self, meter: Meter, reader: Any, server_tls: Any, client_tls: Any) -> None:
        self._meter = meter
        self._reader = reader
        self.server_tls = server_tls
        self._client_tls = client_tls

    @property
    def left(self) -> int:
        """Bytes that may pass before the last one."""
        return int(self._reader._remaining) - 1  # noqa: SLF001 (h11 has no other way)

    def passes(self, data: memoryview) -> bytes:
        """
        Count a piece and make of it what is to be sent.

        Raises:
            OSError: It may not pass, or the client cannot take it.

        """
        if not self._meter.passes(data):
            raise OSError("the body was cut")
        self._reader._remaining -= len(data)  # noqa: SLF001 (as above)
        return bytes(data) if self._client_tls is None else records.encrypt(self._client_tls, data)


class Reader:
    """
    The reader of a connection: in pieces of its own size, and past the layers where that is right.

    Takes the place of asyncio's in mitmproxy's `handle_connection`, which only calls `read`.
    """

    def __init__(
        self, handler: Any, connection: Any, reader: asyncio.StreamReader, piece_bytes: int
    ) -> None:
        self._handler = handler
        self._connection = connection
        self._reader: Any = reader
        self._piece_bytes = piece_bytes

    async def read(self, _size: int) -> bytes:
        """The next piece for the layers; empty at the end."""
        body = _accept(self._connection)
        client = self._handler.transports.get(self._handler.client)
        if body is not None and client is not None and self._reader.exception() is None:
            passage = Passage(self._handler, self._connection, body, self._piece_bytes)
            await passage.run(self._reader)
        data: bytes = await self._reader.read(self._piece_bytes)
        return data


class Passage(asyncio.BufferedProtocol):
    """A body on its way; takes the place of asyncio's own protocol until its last byte."""

    def __init__(self, handler: Any, connection: Any, body: Body, piece_bytes: int) -> None:
        self._handler = handler
        self._server = handler.transports[connection].writer.transport
        self._client = handler.transports[handler.client].writer.transport
        self._connection = connection
        self._body = body
        self._piece = memoryview(records.received)[:piece_bytes]
        self._high_bytes = self._client.get_write_buffer_limits()[1]
        self._ended = False
        self._failure: OSError | None = None
        self._news = asyncio.Event()
        self._original: Any = self._server.get_protocol()

    async def run(self, reader: Any) -> None:
        """
        Pass on what can be passed on; the rest is left to the layers.

        Raises:
            OSError: The body was cut, or one of the connections broke.

        """
        while reader._buffer and not self._ended:  # noqa: SLF001 (what asyncio has read before)
            self._take(memoryview(await reader.read(len(self._room()))))
            await self._handler.drain_writers()
        if not self._ended and not reader.at_eof():
            self._server.set_protocol(self)
            try:
                await self._until_ended()
            finally:
                self._server.set_protocol(self._original)
                self._server.resume_reading()
        if self._failure is not None:
            raise self._failure
        # What TLS holds of the body's end, and what came after it.
        if self._body.server_tls is not None:
            await self._handler.server_event(events.DataReceived(self._connection, b""))
            await self._handler.drain_writers()

    async def _until_ended(self) -> None:
        while not self._ended:
            await self._news.wait()
            self._news.clear()
            await self._handler.drain_writers()
            if not self._ended:
                self._server.resume_reading()

    def _room(self) -> memoryview:
        """Where the next piece goes; without TLS the last byte of the body is not read."""
        tls = self._body.server_tls
        return self._piece if tls is not None else self._piece[: self._body.left]

    def _take(self, data: memoryview) -> None:
        """Pass a received piece on."""
        self._handler.timeout_watchdog.register_activity()
        try:
            if self._body.server_tls is None:
                self._client.write(self._body.passes(data))
            else:
                self._take_records(self._body.server_tls, data)
        except records.Ended:
            self._ended = True
        except OSError as exc:
            self._failure, self._ended = exc, True
        except Exception as exc:  # noqa: BLE001 (both connections are closed, and an event says so)
            self._handler.log("a body broke on its way:", logging.ERROR, exc_info=_of(exc))
            self._failure, self._ended = OSError(repr(exc)), True
        if self._body.left <= 0:
            self._ended = True

    def _take_records(self, tls: Any, data: memoryview) -> None:
        records.hand_over(tls, data)
        while size := records.decrypt(tls, self._body.left):
            self._client.write(self._body.passes(memoryview(records.opened)[:size]))
        if said := records.own_records(tls):
            self._server.write(said)

    # What asyncio calls

    def get_buffer(self, _sizehint: int) -> memoryview:
        """Where the next piece goes."""
        return self._room()

    def buffer_updated(self, nbytes: int) -> None:
        """A piece was read."""
        self._take(self._piece[:nbytes])
        if self._ended or self._client.get_write_buffer_size() > self._high_bytes:
            self._server.pause_reading()
            self._news.set()

    def eof_received(self) -> bool | None:
        """The server sends nothing more."""
        self._end()
        kept: bool | None = self._original.eof_received()
        return kept

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection to the server is gone."""
        self._end()
        self._original.connection_lost(exc)

    def pause_writing(self) -> None:
        """As ever."""
        self._original.pause_writing()

    def resume_writing(self) -> None:
        """As ever."""
        self._original.resume_writing()

    def _end(self) -> None:
        self._ended = True
        self._news.set()
