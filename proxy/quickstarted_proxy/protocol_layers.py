"""
Which protocol a client may speak where, and two limits that mitmproxy's HTTP/1 has not.

A door, a CONNECT tunnel and a TLS connection each admit HTTP, TLS or both; everything else is
refused at its first bytes. mitmproxy's own choice would relay raw TCP, or wait for more.
"""

from __future__ import annotations

import re
from typing import Any, Literal

from mitmproxy import ctx
from mitmproxy.flow import Error
from mitmproxy.net.tls import starts_like_tls_record
from mitmproxy.proxy import commands, events, layer, layers
from mitmproxy.proxy.layers.http import (
    DropStream,
    ErrorCode,
    HTTPMode,
    HttpResponseHeadersHook,
    HttpStream,
    RequestData,
    RequestEndOfMessage,
    RequestProtocolError,
    RequestTrailers,
    ResponseData,
    ResponseEndOfMessage,
    ResponseHeaders,
    ResponseProtocolError,
    SendHttp,
)
from OpenSSL import SSL

from quickstarted_proxy import shortcut, trimmed
from quickstarted_proxy.kept_bodies import KEPT_BODY, KeptBody, KeptBodyHook
from quickstarted_proxy.relay import RELAY, RelayLayer
from quickstarted_proxy.strict_http import (
    BAD_REQUEST,
    Commands,
    Malformed,
    RequestMalformedHook,
    StrictHttp1Server,
)

Kind = Literal["http", "tls", "h2c", "malformed_request", "not_http", "more"]

MAX_HEAD_BYTES = 256 * 1024
"""Of a request's line and headers together."""
MAX_DRAIN_BYTES = 1024 * 1024
"""Of a refused request's body that is read and dropped so that the client reads its answer."""
TLS_OVERHEAD_BYTES = 64 * 1024
"""More than the records around one read's worth of data take."""
CUT_TEXT = "quickstarted_cut"
"""In a flow's metadata: why it was killed, for the client to read."""
NO_HOST = "no host"
"""
Stands in for a destination that is not known yet. It is no host name, so neither a request nor a
TLS server name can spell it, and no rule can allow it.
"""

_REQUEST_LINE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+ [^ \r\n]+ HTTP/1\.[01]\r?")
_BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: text/plain\r\nRetry-After: 1\r\n"
    b"Connection: close\r\n\r\n"
    b"quickstarted: too many connections at once from this sandbox, try again later.\n"
)
_TLS_ALERT = b"\x15\x03\x03\x00\x02\x02\x50"
"""Fatal, internal_error (RFC 8446, section 6): all that can be said before a handshake."""
_TOO_LARGE = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\nContent-Length: 0\r\n"
    b"Connection: close\r\n\r\n"
)


def classify(data: bytes) -> Kind:
    """What the first bytes of a connection are; `more` when they do not tell yet."""
    data = data.lstrip(b"\r\n")
    if data[:1] == b"\x16" and len(data) < 3:
        return "more"
    if starts_like_tls_record(data):
        return "tls"
    if data.startswith(b"PRI * HTTP/2"):
        return "h2c"
    line, newline, _ = data.partition(b"\n")
    if not newline:
        return "more" if len(data) < MAX_HEAD_BYTES and _may_be_request(data) else "not_http"
    if _REQUEST_LINE.fullmatch(line):
        return "http"
    return "malformed_request" if b"HTTP/" in line else "not_http"


def _may_be_request(data: bytes) -> bool:
    return not data or (data[:1].isalpha() and not data.startswith(b"SSH-"))


def admitted(context: Any) -> frozenset[Kind]:
    """What may come next on a connection, given the layers it has."""
    if isinstance(context.layers[-1], layers.ClientTLSLayer):
        return frozenset({"http"})
    if any(isinstance(item, HttpStream) for item in context.layers):
        return frozenset({"http", "tls"})
    door = type(context.client.proxy_mode).__name__
    return frozenset({"tls"} if door == "HttpsDoorMode" else {"http"})


def build(context: Any, kind: Kind) -> Any:
    """The layer for *kind*, which `admitted` has admitted."""
    if kind == "tls":
        server_tls = layers.ServerTLSLayer(context)
        server_tls.child_layer = ClientTls(context)
        return server_tls
    explicit = type(context.client.proxy_mode).__name__ == "ExplicitDoorMode"
    if explicit and len(context.layers) == 1:
        return HttpLayer(context, HTTPMode.regular)
    if context.server.address is None:
        context.server.address = (NO_HOST, context.client.sockname[1])
    return HttpLayer(context, HTTPMode.transparent)


class ClientTls(layers.ClientTLSLayer):  # type: ignore[misc]  # mitmproxy is not followed
    """TLS towards the client; what it encrypts is handed on in larger pieces."""

    def tls_interact(self) -> Commands:
        """As mitmproxy's own, with one large piece instead of many of 64 KiB."""
        while True:
            try:
                data = self.tls.bio_read(trimmed.MAX_PIECE_BYTES + TLS_OVERHEAD_BYTES)
            except SSL.WantReadError:
                return
            yield commands.SendData(self.conn, data)


class RefusalLayer(layer.Layer):  # type: ignore[misc]  # mitmproxy is not followed
    """Answers in one line and closes."""

    answer = BAD_REQUEST

    def _handle_event(self, event: Any) -> Commands:
        if isinstance(event, events.Start):
            yield commands.SendData(self.context.client, self.answer)
            yield commands.CloseConnection(self.context.client)


class BusyLayer(RefusalLayer):
    """The same for a client that came when there was no room."""

    def __init__(self, context: Any, kind: Kind) -> None:
        super().__init__(context)
        self.answer = _TLS_ALERT if kind == "tls" else _BUSY


class BoundedHttp1Server(StrictHttp1Server):
    """HTTP/1 towards the client: heads are bounded."""

    def send(self, event: Any) -> Commands:
        """As mitmproxy's own; the text of an error may quote what a server sent."""
        if isinstance(event, ResponseProtocolError):
            # Not a hook of its own: those pause a layer that may be in the middle of another event.
            event.message = ctx.master.addons.get("secrettraffic").error_text(event.message)
        yield from super().send(event)

    def read_headers(self, event: Any) -> Commands:
        """As its base's, within the bound."""
        yield from super().read_headers(event)
        if self.state == self.read_headers and len(self.buf) > MAX_HEAD_BYTES:
            yield from self.refuse(_TOO_LARGE, "headers_too_large")


class RefusableStream(HttpStream):  # type: ignore[misc]  # as above
    """
    One request and its answer. A refused one is answered before its body has come, and the body
    is dropped: mitmproxy would keep it all in memory first.
    """

    _dropped_bytes = 0
    _answered = False

    def state_wait_for_request_headers(self, event: Any) -> Commands:
        """
        As mitmproxy's own, which tells nobody of a request without any destination, and lets a
        client wait that sends its body only after an answer (`Expect`; RFC 9110, section 10.1.1).
        """
        yield from super().state_wait_for_request_headers(event)
        waiting = self.client_state == self.state_consume_request_body and not event.end_stream
        if waiting and self.flow.response is not None:
            yield from self._answer_early(event)
        answered = self.flow.error is not None or self.flow.request.method == "CONNECT"
        if self.client_state == self.state_errored and not answered:
            yield RequestMalformedHook(Malformed(self.context, "no_host"))

    def state_consume_request_body(self, event: Any) -> Commands:
        """Take the next piece of the body of a request that is not streamed upstream."""
        ended = isinstance(event, RequestEndOfMessage)
        if self.flow.response is None or (ended and not self._answered):
            yield from super().state_consume_request_body(event)
        elif ended:
            self.client_state = self.state_done
            yield from self.flow_done()
        elif isinstance(event, (RequestData, RequestTrailers)):
            yield from self._answer_early(event)

    def start_response_stream(self) -> Commands:
        """As mitmproxy's own; a body that needs only be counted goes past the layers."""
        yield from super().start_response_stream()
        shortcut.offer(self)

    def send_response(self, already_streamed: bool = False) -> Commands:
        """As mitmproxy's own; the body of a kept file is sent piece by piece."""
        body = self.flow.metadata.pop(KEPT_BODY, None)
        if body is None:
            yield from super().send_response(already_streamed)
            return
        head = ResponseHeaders(self.stream_id, self.flow.response, end_stream=False)
        yield SendHttp(head, self.context.client)
        hook = KeptBodyHook(KeptBody(self.flow, body, shortcut.tls_of_client(self.context)))
        yield hook
        if hook.data.sent:
            yield from super().send_response(already_streamed=True)
            return
        self.client_state = self.server_state = self.state_errored
        cut = ResponseProtocolError(self.stream_id, "cut", ErrorCode.KILL)
        yield SendHttp(cut, self.context.client)
        yield DropStream(self.stream_id)

    def state_stream_request_body(self, event: Any) -> Commands:
        """As mitmproxy's own, which would end the body of a killed request as if it were whole."""
        yield from super().state_stream_request_body(event)
        if isinstance(event, RequestData) and self._killed():
            yield from self._cut(ErrorCode.REQUEST_TOO_LARGE)

    def state_stream_response_body(self, event: Any) -> Commands:
        """As mitmproxy's own, which would read the rest of a killed answer."""
        yield from super().state_stream_response_body(event)
        if isinstance(event, ResponseData) and self._killed():
            yield from self._cut(ErrorCode.KILL)

    def _killed(self) -> bool:
        return self.flow.error is not None and self.flow.error.msg == Error.KILLED_MESSAGE

    def _cut(self, code: Any) -> Commands:
        self.client_state = self.server_state = self.state_errored
        budget = "quickstarted: this attempt has sent all that it may (network.max_upload)."
        text = self.flow.metadata.get(CUT_TEXT, budget)
        yield SendHttp(RequestProtocolError(self.stream_id, "cut", code), self.context.server)
        yield SendHttp(ResponseProtocolError(self.stream_id, text, code), self.context.client)

    def flow_done(self) -> Commands:
        """As mitmproxy's own; what was answered 101 with leave to is relayed."""
        passing = self.flow.metadata.get(RELAY)
        if passing is None:
            yield from super().flow_done()
            return
        self.flow.live = False
        self.child_layer = RelayLayer(self.context, self.flow, passing)
        self._handle_event = self.passthrough
        yield from self.child_layer.handle_event(events.Start())
        yield SendHttp(ResponseEndOfMessage(self.stream_id), self.context.client)

    def _answer_early(self, event: Any) -> Commands:
        if not self._answered:
            self._answered = True
            yield HttpResponseHeadersHook(self.flow)
            yield from self.send_response()
        if isinstance(event, RequestData):
            self._dropped_bytes += len(event.data)
        if self._dropped_bytes > MAX_DRAIN_BYTES:
            yield commands.CloseConnection(self.context.client)
            self.client_state = self.state_errored


class HttpLayer(layers.HttpLayer):  # type: ignore[misc]  # as above
    """mitmproxy's HTTP with the two classes above."""

    def __init__(self, context: Any, mode: HTTPMode) -> None:
        super().__init__(context, mode)
        self.connections[context.client] = BoundedHttp1Server(context.fork())

    def make_stream(self, stream_id: int) -> Commands:
        """As mitmproxy's own, with our stream."""
        stream = RefusableStream(self.context.fork(), stream_id)
        self.streams[stream_id] = stream
        yield from self.event_to_child(stream, events.Start())
