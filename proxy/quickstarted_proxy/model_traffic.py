"""
Calls of models by programs in the sandbox: looked through before they go out, counted as replies
come back.

The body of a call is taken in whole, because what is at its end may be what makes it a call for a
page from elsewhere. A reply passes as it comes, and is read on the way.
"""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any

from mitmproxy import http

from quickstarted_proxy import clock
from quickstarted_proxy.guard import guarded
from quickstarted_proxy.hosted_tools import hosted_in
from quickstarted_proxy.ledger import Exchange
from quickstarted_proxy.model_apis import ModelApi
from quickstarted_proxy.model_usage import Usage, UsageReader
from quickstarted_proxy.state import State

MAX_BODY_BYTES = 64 * 1024 * 1024
"""Of a call, with and without its coding; vendors take half of it."""
HOSTED = "hosted_tool"
"""The detail of a call that was refused for what it asks its vendor to do elsewhere."""
_LARGE_BODY_BYTES = 256 * 1024
"""From here on a body is looked through by another thread."""
_CALL = "quickstarted_model_call"
"""In a flow's metadata: what is known of the call."""

Send = Callable[..., None]
"""Writes a report: its kind, and its fields by name."""


@dataclass(slots=True, kw_only=True)
class Call:
    """One call of a model under way."""

    api: ModelApi
    exchange: Exchange
    attempt: int
    """As `State.attempt` counts them: what ends later belongs to nobody."""
    count: Callable[[bytes], Any] | None = None
    """What the body goes through once it may go out; None where that has been done."""
    reader: UsageReader | None = None
    ts: float = field(default_factory=clock.now)
    began: float = field(default_factory=time.monotonic)


def _kill_broken(hooks: ModelTraffic, flow: Any, exc: Exception) -> None:
    hooks.state.ledger.fail(flow.id, f"{type(exc).__name__}: {exc}", "policy_exception")
    flow.kill()


class ModelTraffic:
    """Hooks on calls of models; `Gate` says which requests are allowed at all."""

    def __init__(self, state: State, send: Send) -> None:
        self.state = state
        self._send = send
        self._open: dict[str, Any] = {}
        """Flows of calls that went out and have not ended, by their ids."""

    def settle(self) -> None:
        """Report what is known of calls under way, and nothing more of them."""
        for flow in list(self._open.values()):
            self._tell(flow, "unfinished")

    def call_at(self, flow: Any, host: str) -> ModelApi | None:
        """Whose model a request is for; None where it is for none."""
        for api in self.state.models:
            if api.host == host and api.is_call(flow.request.method, flow.request.path):
                return api
        return None

    def admits(self, flow: Any, exchange: Exchange) -> bool:
        """Whether a call may begin; the answer is given where it may not."""
        api = self.call_at(flow, exchange.target.host)
        if api is None:
            return True
        spent = self.state.spent
        headers = flow.request.headers
        length = headers.get("content-length", "")
        call = Call(api=api, exchange=exchange, attempt=self.state.attempt)
        if api.max_calls is not None and spent.calls >= api.max_calls:
            self._over(flow, call, f"the attempt's {api.max_calls} calls are used up", "max_calls")
        elif api.max_tokens is not None and spent.tokens >= api.max_tokens:
            text = f"the attempt's {api.max_tokens} tokens are used up"
            self._over(flow, call, text, "max_tokens")
        elif not length.isdecimal() or int(length) > MAX_BODY_BYTES:
            text = f"a call says how long it is, and is at most {MAX_BODY_BYTES} bytes long"
            self._refuse(flow, call, "body", text)
        else:
            return True
        return False

    def watch(self, flow: Any, exchange: Exchange) -> None:
        """Take a call's body in whole; comes last of what is set for it."""
        api = self.call_at(flow, exchange.target.host)
        if api is None:
            return
        count = flow.request.stream
        flow.request.stream = False
        flow.metadata[_CALL] = Call(
            api=api,
            exchange=exchange,
            attempt=self.state.attempt,
            count=count if callable(count) else None,
        )

    @guarded(_kill_broken)
    async def request(self, flow: Any) -> None:
        """Look through a whole call."""
        call = flow.metadata.get(_CALL)
        if call is None:
            return
        if flow.response is not None:
            # Refused for another reason, by who comes before.
            del flow.metadata[_CALL]
            return
        body, path = flow.request.raw_content or b"", flow.request.path
        coding = flow.request.headers.get("content-encoding", "")
        if len(body) > _LARGE_BODY_BYTES:
            found = await asyncio.to_thread(_look_through, call.api, body, coding, path)
        else:
            found = _look_through(call.api, body, coding, path)
        if call.attempt != self.state.attempt:
            flow.kill()
        elif found:
            del flow.metadata[_CALL]
            text = (
                f"this call has the model's vendor do something elsewhere ({found}). Documentation"
                " is read with read_docs"
            )
            self._refuse(flow, call, f"{HOSTED}:{found}"[:200], text)
        else:
            self._go(flow, call)

    def read_answer(self, flow: Any) -> None:
        """Read a reply as it passes; comes last of what is set for it."""
        call = flow.metadata.get(_CALL)
        if call is None or flow.response is None:
            return
        reader = UsageReader(call.api.vendor, flow.response.headers.get("content-type", ""))
        call.reader = reader
        passing = flow.response.stream if callable(flow.response.stream) else _same

        def take(data: bytes) -> Any:
            done = passing(data)
            for piece in [done] if isinstance(done, bytes) else done:
                reader.feed(piece)
            return done

        flow.response.stream = take

    @guarded(_kill_broken)
    def response(self, flow: Any) -> None:
        """A reply has ended."""
        self._tell(flow, "")

    def error(self, flow: Any) -> None:
        """A call or its reply has broken off."""
        self._tell(flow, flow.error.msg if flow.error else "it broke off")

    def _go(self, flow: Any, call: Call) -> None:
        self.state.spent.calls += 1
        self._open[flow.id] = flow
        call.ts, call.began = clock.now(), time.monotonic()
        if call.count is not None:
            body = flow.request.raw_content or b""
            for piece in (body, b"") if body else (b"",):
                call.count(piece)

    def _over(self, flow: Any, call: Call, text: str, detail: str) -> None:
        self.state.ledger.fail(flow.id, text, detail)
        self._answer(flow, call, text, detail)

    def _refuse(self, flow: Any, call: Call, detail: str, text: str) -> None:
        self.state.ledger.refuse(flow.id, detail)
        self._answer(flow, call, text, detail)

    def _answer(self, flow: Any, call: Call, text: str, detail: str) -> None:
        body = call.api.refusal(f"quickstarted refused this request: {text}.")
        fields = {"content-type": "application/json", "x-should-retry": "false"}
        flow.request.headers.pop("expect", None)
        if flow.request.raw_content is None:
            fields["connection"] = "close"
        flow.response = http.Response.make(403, body, fields)
        self._report(call, Usage(error=text), refused=detail)

    def _tell(self, flow: Any, error: str) -> None:
        self._open.pop(flow.id, None)
        call = flow.metadata.pop(_CALL, None)
        if call is None or call.attempt != self.state.attempt:
            return
        reader = call.reader or UsageReader(call.api.vendor, "")
        usage = reader.end()
        usage.error = usage.error or error
        spent, status = self.state.spent, call.exchange.status
        spent.tokens += usage.total
        has_end = bool(usage.stop_reason) or (usage.counted and not usage.error)
        if status is None or status >= 400 or not has_end:
            # Calls that failed are not among those that a task gives its agent.
            spent.calls = max(spent.calls - 1, 0)
        self._report(call, usage)

    def _report(self, call: Call, usage: Usage, *, refused: str = "") -> None:
        self._send(
            "model_call",
            call={
                "ts": call.ts,
                "host": call.api.host,
                "vendor": call.api.vendor,
                "path": call.exchange.target.path or "",
                "status": call.exchange.status,
                "duration": round(time.monotonic() - call.began, 6),
                "scope": call.exchange.scope,
                "refused": refused,
                **asdict(usage),
            },
        )


def _same(data: bytes) -> bytes:
    return data


def _look_through(api: ModelApi, body: bytes, coding: str, path: str) -> str:
    """What makes a call one that is refused; empty where nothing does."""
    try:
        text = _decoded(body, coding).decode("utf-8")
        document = json.loads(text, object_pairs_hook=_once_each)
    except (ValueError, RecursionError, zlib.error) as exc:
        return f"a body that cannot be looked through, {exc}"
    return hosted_in(api.vendor, document, path)


def _decoded(body: bytes, coding: str) -> bytes:
    """*body* without its coding; programs send none, or gzip."""
    kind = coding.strip().lower()
    if kind in {"", "identity"}:
        return body
    if kind not in {"gzip", "x-gzip"}:
        raise ValueError(f"its coding is {kind[:40]}")
    inflate = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
    plain = inflate.decompress(body, MAX_BODY_BYTES)
    if not inflate.eof or inflate.unused_data:
        raise ValueError("what it holds is too large, or has no end")
    return plain


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of two members of one name parsers take the one or the other."""
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("two members of an object have one name")
    return made
