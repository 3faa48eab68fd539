"""
Secrets at work on HTTP: values go in on the way out, and placeholders on the way back.

What a request holds is judged before anything of it goes out; small bodies are taken in whole, so
that the answer to a placeholder in the wrong place can still be the 403 that explains. Bodies that
are larger, or whose size is not known, are read as they pass.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from mitmproxy import http

from quickstarted_proxy import refusals
from quickstarted_proxy.guard import guarded
from quickstarted_proxy.ledger import Exchange
from quickstarted_proxy.policy import Decision, may_be_private
from quickstarted_proxy.protocol_layers import CUT_TEXT
from quickstarted_proxy.relay import RELAY, Passing
from quickstarted_proxy.secrets_table import Pairs, keeps_length, scrubbing
from quickstarted_proxy.state import State
from quickstarted_proxy.substitution import Replacer, StreamFinder

MAX_WHOLE_BODY_BYTES = 256 * 1024
"""Of a request's body that is taken in before it goes out."""
MAX_INFLATED_BYTES = 16 * 1024 * 1024
"""Of one piece of a compressed answer."""
MAX_MEMBERS = 1000
"""Ends of gzip members in one piece; what follows each is copied."""
DETAIL = "secret"
_WHOLE = "quickstarted_whole_body"
"""In a flow's metadata: exchange and stream function of a body that is taken in whole."""
_HOST = "quickstarted_secret_host"
"""In a flow's metadata: where the request went; the record of it may be closed by then."""
_KEYED = "quickstarted_keyed_host"
"""The same, and empty where no value may go: see `_keyed`."""
_UNWANTED = ("range", "if-range", "te", "sec-websocket-extensions")
"""With them an answer could come in parts, or compressed, in which a value is not found."""

Stream = Callable[[bytes], Any]


def holds_misplaced(state: State, flow: Any, host: str) -> bool:
    """Whether the head of a request holds a placeholder that is not for *host*."""
    request = flow.request
    return bool(state.secrets) and state.secrets.misplaced(
        _keyed(state, flow, host), request.data.path, request.headers.fields
    )


def _keyed(state: State, flow: Any, host: str) -> str:
    """
    The host whose secrets a request may get: none over plain HTTP, where anybody on the way could
    read them, unless the task says that the host is on a private network.
    """
    encrypted = flow.request.scheme == "https"
    return host if encrypted or may_be_private(state.policy, host) else ""


def place_secrets(state: State, flow: Any, exchange: Exchange) -> None:
    """Put values into the head of a request that may go out."""
    host, request = exchange.target.host, flow.request
    flow.metadata[_HOST] = host
    flow.metadata[_KEYED] = keyed = _keyed(state, flow, host)
    if not state.secrets.at(host):
        return
    request.data.path = state.secrets.placed_path(keyed, request.data.path)
    for name in _UNWANTED:
        request.headers.pop(name, None)
    request.headers["accept-encoding"] = "identity"
    request.headers.fields = state.secrets.placed_headers(keyed, request.headers.fields)


def watch_request_body(state: State, flow: Any, exchange: Exchange) -> None:
    """Have placeholders in a body replaced or refused; comes after its stream function is set."""
    headers, count = flow.request.headers, flow.request.stream
    length = headers.get("content-length", "")
    if not state.secrets or (not length and "transfer-encoding" not in headers):
        return
    if length.isdecimal() and int(length) <= MAX_WHOLE_BODY_BYTES:
        flow.request.stream = False
        flow.metadata[_WHOLE] = (exchange, count)
        return
    pairs = _body_pairs(state, flow)
    if not keeps_length(pairs) and length:
        if flow.request.data.http_version == b"HTTP/1.0":
            pairs = ()
        else:
            del headers["content-length"]
            headers["transfer-encoding"] = "chunked"
    flow.request.stream = _watched(state, flow, exchange, pairs)


def _watched(state: State, flow: Any, exchange: Exchange, pairs: Pairs) -> Stream:
    count, placing = flow.request.stream, Replacer(pairs).stream()
    finder = StreamFinder(state.secrets.foreign(flow.metadata[_KEYED]))

    def take(data: bytes) -> list[bytes]:
        if CUT_TEXT in flow.metadata:
            return []
        if finder.feed(data):
            flow.metadata[CUT_TEXT] = _explanation(exchange)
            state.ledger.refuse(flow.id, DETAIL)
            flow.kill()
            return []
        return _passed(count, placing.feed(data) if data else placing.end(), last=not data)

    return take


def _passed(count: Stream, data: bytes, *, last: bool) -> list[bytes]:
    """Give a piece to the next stream function; an empty one would end a chunked body."""
    pieces: list[bytes] = []
    for each in [*([data] if data else []), *([b""] if last else [])]:
        done = count(each)
        pieces += [done] if isinstance(done, bytes) else list(done)
    return [piece for piece in pieces if piece]


def _body_pairs(state: State, flow: Any) -> Pairs:
    headers = flow.request.headers
    return state.secrets.body_pairs(
        flow.metadata[_KEYED],
        headers.get("content-type", ""),
        headers.get("content-encoding", ""),
    )


def _refusal(exchange: Exchange) -> Decision:
    return Decision(
        allowed=False, reason="not_allowlisted", detail=DETAIL, host=exchange.target.host
    )


def _explanation(exchange: Exchange) -> str:
    return refusals.explain(exchange.target, _refusal(exchange))


# Answers


def scrub_answer(state: State, flow: Any) -> None:
    """Put placeholders in place of values in an answer; comes after its stream function is set."""
    table, response, host = state.secrets, flow.response, flow.metadata.get(_HOST)
    if not table or host is None or response is None or flow.error is not None:
        return
    scrub = table.scrubber
    kept = {b"content-length", b"transfer-encoding"}
    response.headers.fields = tuple(
        (name, value) if name.lower() in kept else (scrub.replaced(name), scrub.replaced(value))
        for name, value in response.headers.fields
    )
    response.data.reason = scrub.replaced(response.data.reason)
    own = table.at(host)
    if not own:
        return
    if RELAY in flow.metadata:
        flow.metadata[RELAY] = _scrubbed_relay(state, flow, flow.metadata[RELAY])
    elif flow.request.method != "HEAD" and response.status_code not in {204, 304}:
        _scrub_body(state, flow, keeps=keeps_length(scrubbing(own)))


def _scrub_body(state: State, flow: Any, *, keeps: bool) -> None:
    response = flow.response
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
        text = f"the server compresses ({encoding}) although it was asked not to"
        _fail(state, flow, f"{text}: its answer cannot be searched for secrets")
        return
    compressed = encoding not in {"", "identity"}
    if compressed:
        del response.headers["content-encoding"]
    if (compressed or not keeps) and "content-length" in response.headers:
        del response.headers["content-length"]
        # A body without either ends with the connection, which is all that HTTP/1.0 knows.
        if b"HTTP/1.0" not in {flow.request.data.http_version, response.data.http_version}:
            response.headers["transfer-encoding"] = "chunked"
    response.stream = _scrubbed(state, flow, _Inflating() if compressed else None)


def _scrubbed(state: State, flow: Any, inflating: _Inflating | None) -> Stream:
    scrubbing_stream = state.secrets.scrubber.stream()
    count = flow.response.stream if callable(flow.response.stream) else bytes

    def take(data: bytes) -> list[bytes]:
        last = not data
        try:
            plain = inflating.feed(data) if inflating else data
        except (zlib.error, ValueError) as exc:
            _fail(state, flow, f"the server's compressed answer cannot be read: {exc}")
            return []
        done = scrubbing_stream.feed(plain)
        return _passed(count, done + scrubbing_stream.end() if last else done, last=last)

    return take


class _Inflating:
    """Undoes gzip and deflate piece by piece; b"" ends it."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 32)

    def feed(self, data: bytes) -> bytes:
        """
        Return what a piece holds; gzip may have several members (RFC 1952, section 2.2).

        Raises:
            zlib.error: It is not what the header says.
            ValueError: It holds too much, or ends too early.

        """
        plain = self._inflate.decompress(data, MAX_INFLATED_BYTES)
        for _ in range(MAX_MEMBERS):
            rest, room = self._inflate.unused_data, MAX_INFLATED_BYTES - len(plain)
            if not rest or not room:
                break
            self._begin()
            plain += self._inflate.decompress(rest, room)
        if self._inflate.unconsumed_tail or self._inflate.unused_data:
            raise ValueError("a small piece of it holds more than 16 MiB, or 1000 members")
        if not data and not self._inflate.eof:
            raise ValueError("it ends too early")
        return plain


def _scrubbed_relay(state: State, flow: Any, passing: Passing) -> Passing:
    """
    A WebSocket whose server sends a value, or a good part of one, is cut: nothing can be held back
    of a frame that the client waits for.
    """
    scrubber = state.secrets.scrubber
    tail = b""

    def pass_clean(by_client: bool, data: bytes) -> bool:
        nonlocal tail
        whole = b"" if by_client else tail + data
        tail = tail if by_client else whole[-scrubber.longest :]
        if scrubber.is_in(whole) or scrubber.is_begun(whole):
            state.ledger.fail(flow.id, "cut: the server sent a secret over a WebSocket", DETAIL)
            return False
        return passing(by_client, data)

    return pass_clean


def _fail(state: State, flow: Any, error: str) -> None:
    state.ledger.fail(flow.id, error, "upstream_protocol")
    flow.kill()


# Hooks


def _kill_broken(hooks: SecretTraffic, flow: Any, exc: Exception) -> None:
    hooks.state.ledger.fail(flow.id, type(exc).__name__, "policy_exception")
    flow.kill()


class SecretTraffic:
    """Bodies that are taken in whole, and the texts of mitmproxy's own errors."""

    name = "secrettraffic"
    """Under which layers find it."""

    def __init__(self, state: State) -> None:
        self.state = state

    @guarded(_kill_broken)
    def request(self, flow: Any) -> None:
        """Refuse a whole body, or put values into it."""
        exchange, count = flow.metadata.pop(_WHOLE, (None, bytes))
        if exchange is None:
            return
        body = flow.request.data.content or b""
        if self.state.secrets.foreign(flow.metadata[_KEYED]).is_in(body):
            self.state.ledger.refuse(flow.id, DETAIL)
            del flow.metadata[_HOST]
            fields = refusals.headers(_refusal(exchange))
            flow.response = http.Response.make(403, _explanation(exchange), fields)
            return
        placed = Replacer(_body_pairs(self.state, flow)).replaced(body)
        flow.request.data.content = placed
        flow.request.headers["content-length"] = str(len(placed))
        _passed(count, placed, last=True)

    def error_text(self, text: str) -> str:
        """The text of an error that a client gets: it may quote what a server sent wrongly."""
        return self.state.secrets.scrubber.text(text)
