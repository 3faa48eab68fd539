"""
Where the sidecar listens: explicit proxy, transparent 80, transparent 443; names are mitmproxy's.

The doors are modes of their own rather than mitmproxy's reverse modes: those want one fixed
destination, and reverse https listens for QUIC as well.
"""

from __future__ import annotations

from typing import Any, Literal

from mitmproxy import ctx
from mitmproxy.proxy import layers, mode_servers, mode_specs
from mitmproxy.proxy.context import Context

from quickstarted_proxy import trimmed
from quickstarted_proxy.shortcut import Reader

Via = Literal["explicit", "http", "https", "dns"]


class _DoorMode(mode_specs.ProxyMode):  # type: ignore[misc]  # mitmproxy is not followed
    transport_protocol = mode_specs.TCP
    description = "door"

    def __post_init__(self) -> None:
        if self.data:
            raise ValueError("a door takes no arguments")


class ExplicitDoorMode(_DoorMode):
    """CONNECT and absolute-form requests."""


class HttpDoorMode(_DoorMode):
    """Requests of programs that know no proxy, to the port for plain HTTP."""


class HttpsDoorMode(_DoorMode):
    """The same for TLS."""


_VIA: dict[type, Via] = {
    ExplicitDoorMode: "explicit",
    HttpDoorMode: "http",
    HttpsDoorMode: "https",
    mode_specs.DnsMode: "dns",
}


def via(client: Any) -> Via:
    """Through which door a client came."""
    return _VIA[type(client.proxy_mode)]


class _Handler(mode_servers.ProxyConnectionHandler):  # type: ignore[misc]  # as above
    async def handle_connection(self, connection: Any) -> None:
        """Read in pieces whose size suits the number of connections, and buffer no more."""
        others = len(ctx.master.addons.get("proxyserver").connections)
        piece_bytes = trimmed.piece_bytes(others)
        transport = self.transports[connection]
        transport.reader._limit = piece_bytes // 2  # noqa: SLF001 (open_connection has no way)
        transport.writer.transport.max_size = piece_bytes
        transport.reader = Reader(self, connection, transport.reader, piece_bytes)
        try:
            await super().handle_connection(connection)
        finally:
            self._close_what_is_left(connection)

    def _close_what_is_left(self, connection: Any) -> None:
        """
        Close a connection that mitmproxy was told to close in the one moment in which it cannot.

        Its order to close cancels this task. Where that waits for its turn with the layers, it ends
        without closing anything, and a client that goes on sending would wait for ever.
        """
        left = self.transports.pop(connection, None)
        if left is not None and left.writer is not None:
            left.writer.close()


class _Door(mode_servers.AsyncioServerInstance[mode_servers.M]):  # type: ignore[misc]  # as above
    def make_top_layer(self, context: Context) -> Any:
        return layers.modes.HttpProxy(context)

    async def handle_stream(self, reader: Any, writer: Any = None) -> None:
        """As mitmproxy's own, with our handler."""
        handler = _Handler(ctx.master, reader, writer, ctx.options, self.mode)
        handler.layer = self.make_top_layer(handler.layer.context)
        with self.manager.register_connection(handler.client.id, handler):
            await handler.handle_client()


class ExplicitDoor(_Door[ExplicitDoorMode]):  # type: ignore[type-arg]  # as above
    """Serves ExplicitDoorMode."""


class HttpDoor(_Door[HttpDoorMode]):  # type: ignore[type-arg]  # as above
    """Serves HttpDoorMode."""


class HttpsDoor(_Door[HttpsDoorMode]):  # type: ignore[type-arg]  # as above
    """Serves HttpsDoorMode."""


def mode_texts(listen: str, ports: dict[str, int]) -> list[str]:
    """The `mode` option for all doors on one address; *ports* by the names of `Via`."""
    names = {"explicit": "explicitdoor", "http": "httpdoor", "https": "httpsdoor", "dns": "dns"}
    return [f"{names[door]}@{listen}:{port}" for door, port in ports.items()]
