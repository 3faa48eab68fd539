"""How a door's connections end, held to it with real streams on loopback."""

from __future__ import annotations

import asyncio
from typing import Literal

from mitmproxy.addons.proxyserver import Proxyserver
from mitmproxy.proxy import mode_specs
from mitmproxy.test import taddons

from quickstarted_proxy import doors

PATIENCE_S = 10
Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connected() -> tuple[Streams, Streams]:
    """The client's end of a connection, and the server's."""
    accepted: asyncio.Queue[Streams] = asyncio.Queue()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        accepted.put_nowait((reader, writer))

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        client = await asyncio.open_connection(*server.sockets[0].getsockname())
        return client, await accepted.get()
    finally:
        server.close()


class NoticedLock(asyncio.Lock):
    """Says when somebody has to wait for it."""

    def __init__(self) -> None:
        super().__init__()
        self.awaited = asyncio.Event()

    async def acquire(self) -> Literal[True]:
        if self.locked():
            self.awaited.set()
        return await super().acquire()


def test_a_connection_that_is_told_to_close_while_its_layers_are_busy_is_closed():
    async def test() -> None:
        (reader, writer), served = await connected()
        with taddons.context(Proxyserver()) as context:
            mode = mode_specs.ProxyMode.parse("explicitdoor")
            handler = doors._Handler(context.master, *served, context.options, mode)
            handler._server_event_lock = busy = NoticedLock()
            async with busy:
                task = asyncio.create_task(handler.handle_connection(handler.client))
                writer.write(b"GET http://host.example/ HTTP/1.1\r\n")
                await busy.awaited.wait()
                task.cancel()
                await asyncio.wait([task])

            assert await reader.read() == b""
            assert handler.transports == {}
        writer.close()

    asyncio.run(asyncio.wait_for(test(), PATIENCE_S))
