"""
HTTP/1 from clients, read in one way only.

What two readers could read differently is refused here, because mitmproxy would pass it on; and
what its parser refuses without telling anybody is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mitmproxy.proxy import commands, events
from mitmproxy.proxy.layers.http._http1 import Http1Server

BAD_REQUEST = (
    b"HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n"
    b"quickstarted: only HTTP and TLS are passed on here.\n"
)
_HEAD_END = re.compile(rb"\n\r?\n")
_AMBIGUOUS = re.compile(rb"\n[ \t]|\r(?!\n)|\0")
"""
Folded fields, a CR by itself and NUL: a proxy must not pass them on as they are (RFC 9112,
sections 2.2 and 5.2; RFC 9110, section 5.5).
"""

_ABSOLUTE = re.compile(rb"\S+ (https?)://([^/?#\s]*)", re.IGNORECASE)
_HOST_FIELD = re.compile(rb"\nhost:[ \t]*([^\r\n]*)", re.IGNORECASE)
_DEFAULT_PORTS = {b"http": b":80", b"https": b":443"}

Commands = Iterator[Any]


@dataclass
class Malformed:
    """A request that could not be read."""

    context: Any
    detail: str


@dataclass
class RequestMalformedHook(commands.StartHook):  # type: ignore[misc]  # mitmproxy is not followed
    """A request could not be read; it was answered and the connection closed, without a flow."""

    data: Malformed


@dataclass
class BodyUnreadableHook(commands.StartHook):  # type: ignore[misc]  # as above
    """A request's body is not what its head says; mitmproxy closes the connection next."""

    data: Malformed


class StrictHttp1Server(Http1Server):  # type: ignore[misc]  # as above
    """HTTP/1 towards the client."""

    buf: Any
    conn: Any
    context: Any
    request_done: bool
    state: Any

    def read_headers(self, event: Any) -> Commands:
        """As mitmproxy's own, for heads that every reader reads alike."""
        detail = self._objection() if isinstance(event, events.DataReceived) else ""
        if detail:
            yield from self.refuse(BAD_REQUEST, detail)
            return
        for command in super().read_headers(event):
            yield command
            if isinstance(command, commands.Log) and isinstance(event, events.DataReceived):
                yield RequestMalformedHook(Malformed(self.context, "malformed_request"))

    def read_body(self, event: Any) -> Commands:
        """As mitmproxy's own; what cannot be read is told before it looks like a hang-up."""
        for command in super().read_body(event):
            closing = isinstance(command, commands.CloseConnection) and not self.request_done
            if closing and isinstance(event, events.DataReceived):
                yield BodyUnreadableHook(Malformed(self.context, "client_protocol"))
            yield command

    def refuse(self, answer: bytes, detail: str) -> Commands:
        """Answer, close, tell, and read no more."""
        self.state = self.done
        yield commands.SendData(self.conn, answer)
        yield commands.CloseConnection(self.conn)
        yield RequestMalformedHook(Malformed(self.context, detail))

    def done(self, _event: Any) -> Commands:
        """Nothing more is read."""
        yield from ()

    def _objection(self) -> str:
        """What is wrong with a head that is complete; empty for nothing."""
        data = bytes(self.buf).lstrip(b"\r\n")
        end = _HEAD_END.search(data)
        if end is None:
            return ""
        head = data[: end.end()]
        if _AMBIGUOUS.search(head):
            return "malformed_request"
        # Where the host is known from elsewhere, mitmproxy drops the one in the target unread.
        elsewhere = self.context.server.address is not None
        return "host_mismatch" if elsewhere and _names_two_hosts(head) else ""


def _names_two_hosts(head: bytes) -> bool:
    """Whether a target in absolute form is for another host than the Host field says."""
    target = _ABSOLUTE.match(head)
    if target is None:
        return False
    port = _DEFAULT_PORTS[target[1].lower()]
    named = target[2].lower().removesuffix(port)
    hosts = [host.strip().lower().removesuffix(port) for host in _HOST_FIELD.findall(head)]
    return any(host != named for host in hosts) or not hosts
