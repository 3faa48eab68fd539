"""
What mitmproxy only writes to its log becomes an event.

Its layers and addons catch their own exceptions, log them and go on; a connection whose layers
have crashed hangs. It is closed here, and what it carried is reported.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, NoReturn

from mitmproxy import ctx

from quickstarted_proxy.clients import drop_client
from quickstarted_proxy.doors import via
from quickstarted_proxy.ledger import Target
from quickstarted_proxy.state import State

_LOGGERS = ("mitmproxy", "asyncio")


class FaultHandler(logging.Handler):
    """Takes errors of mitmproxy and asyncio, on the event loop's thread or any other."""

    def __init__(self, state: State, fail_start: Callable[[str], NoReturn]) -> None:
        super().__init__(level=logging.ERROR)
        self._state = state
        self._fail_start = fail_start
        self.started = False
        """Until then an error means that the sidecar cannot start."""

    def install(self) -> None:
        """Listen, and let nothing else write these logs anywhere."""
        for name in _LOGGERS:
            logger = logging.getLogger(name)
            logger.setLevel(logging.WARNING)
            logger.propagate = False
            logger.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Report the error and end the connection that it happened on."""
        exc = record.exc_info[1] if record.exc_info else None
        text = record.getMessage()
        if exc is not None:
            text = f"{text} {type(exc).__name__}: {exc}"
        if not self.started:
            self._fail_start(text)
        unsupported = isinstance(exc, NotImplementedError) and "trailers" in str(exc)
        detail = "unsupported_trailers" if unsupported else "proxy_exception"
        peer = getattr(record, "client", None)
        handler = _handler_of(peer) if peer else None
        if handler is None:
            self._state.ledger.error(Target(host="", method="?", via="explicit"), text, detail)
            return
        client = handler.client
        self._state.tunnels.ends(client.id, detail)
        if not self._state.ledger.abandon(client.id, text, detail):
            target = Target(
                host=client.sni or "", method="?", port=client.sockname[1], via=via(client)
            )
            self._state.ledger.error(target, text, detail)
        drop_client(client.id)


def _handler_of(peer: Any) -> Any:
    """A lookup over UDP may come from the same port as a connection; only those have layers."""
    connections = ctx.master.addons.get("proxyserver").connections
    found = [item for item in connections.values() if item.client.peername == peer]
    found.sort(key=lambda item: item.client.transport_protocol != "tcp")
    return found[0] if found else None
