"""
A trace as spans: OTLP/JSON with OpenTelemetry's GenAI conventions.

One `invoke_agent` for the attempt, in it a `chat` for each call of a model, an `execute_tool` for
each call of a tool with the requests that it made below it, and a span for each command of the
harness. What happened at a moment is an event of the first one, which is therefore written last; it
waits in a file meanwhile. Ids are made of the attempt's, and are the same each time.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from typing import IO, Any

from quickstarted import __version__
from quickstarted.events import (
    AgentTurn,
    ApiRetry,
    EgressAllowed,
    EgressBlocked,
    EgressError,
    Setup,
    SuccessCheck,
    Teardown,
    ToolCall,
    TraceEvent,
)
from quickstarted.formats.export import semconv as names
from quickstarted.formats.export.attempt import Attempt
from quickstarted.formats.export.calls import ANSWERS, Answer, Calls, OpenCall
from quickstarted.formats.export.json_text import encoded
from quickstarted.formats.export.span_kinds import (
    OWN,
    Command,
    Egress,
    own,
    work_of_call,
    work_of_chat,
    work_of_command,
    work_of_request,
)
from quickstarted.formats.export.spans import INTERNAL, Ids, Work, attribute_list, occurrence, span

SCOPE = "quickstarted"
_SPOOLED_BYTES = 4 * 1024 * 1024
_MOMENT_WITHOUT = frozenset({"ts", "type"})

Span = dict[str, Any]


def write_otlp(attempt: Attempt, out: IO[bytes]) -> None:
    """
    Write *attempt* as one `ExportTraceServiceRequest`.

    Raises:
        TraceInvalid: A line is no event.

    """
    spans = _Spans(attempt)
    resource = {
        names.SERVICE_NAME: "quickstarted",
        names.SERVICE_VERSION: attempt.start.harness_version,
        f"{OWN}gen_ai_semconv_version": names.GEN_AI_VERSION,
    }
    out.write(
        b'{"resourceSpans":[{"resource":'
        + encoded({"attributes": attribute_list(resource)})
        + b',"scopeSpans":[{"scope":'
        + encoded({"name": SCOPE, "version": __version__})
        + b',"spans":[\n'
    )
    with tempfile.SpooledTemporaryFile(_SPOOLED_BYTES) as moments:
        for event in attempt:
            made = spans.of(event)
            if made is not None:
                out.write(encoded(made) + b",\n")
            elif spans.is_moment(event):
                told = occurrence(event.type, event.ts, own(event, _MOMENT_WITHOUT))
                moments.write((b",\n" if moments.tell() else b"") + encoded(told))
        for made in spans.rest():
            out.write(encoded(made) + b",\n")
        _write_root(spans.root(), moments, out)
    out.write(b"\n]}]}]}\n")


def _write_root(root: Span, moments: IO[bytes], out: IO[bytes]) -> None:
    out.write(encoded(root)[:-1] + b',"events":[')
    moments.seek(0)
    shutil.copyfileobj(moments, out)
    out.write(b"]}")


class _Spans:
    """Makes the spans of one attempt, each once it is over."""

    def __init__(self, attempt: Attempt) -> None:
        self._attempt = attempt
        self._ids = Ids(attempt.trace_id)
        self._root_id = self._ids.next()
        self._calls = Calls()
        self._last_ts = attempt.start.ts
        self._provider = names.provider_of(attempt.start.agent)
        self._makers: dict[type[TraceEvent], Callable[[Any], Span | None]] = {
            ToolCall: self._call,
            AgentTurn: self._chat,
            ApiRetry: self._chat,
            **dict.fromkeys(ANSWERS, self._answer),
            **dict.fromkeys((EgressAllowed, EgressBlocked, EgressError), self._request),
            **dict.fromkeys((Setup, Teardown, SuccessCheck), self._command),
        }

    def of(self, event: TraceEvent) -> Span | None:
        """The span that is over with *event*, if any."""
        self._last_ts = max(self._last_ts, event.ts)
        makes = self._makers.get(type(event))
        return None if makes is None else makes(event)

    def is_moment(self, event: TraceEvent) -> bool:
        """Whether *event*, which has no span, is not the beginning of one either."""
        return not isinstance(event, ToolCall)

    def rest(self) -> list[Span]:
        """Calls that nothing came back for."""
        return [self._tool(call, None) for call in self._calls.waiting()]

    def root(self) -> Span:
        """The whole attempt."""
        start, end = self._attempt.start, self._attempt.end
        attributes = {
            names.OPERATION: names.INVOKE_AGENT,
            names.PROVIDER: self._provider,
            names.AGENT_NAME: start.agent,
            names.CONVERSATION_ID: self._attempt.trace_id,
            names.REQUEST_MODEL: start.model,
            f"{OWN}goal": self._attempt.goal,
            **{f"{OWN}{key}": value for key, value in self._attempt.summary().items()},
        }
        failure = None
        if end is None:
            failure = ("unfinished", f"the trace is not whole: {self._attempt.unfinished}")
        elif end.passed is not True:
            failure = (str(end.classification), str(end.classification))
        return span(
            (self._ids.trace_id, self._root_id, None),
            Work(
                name=f"{names.INVOKE_AGENT} {start.agent}",
                kind=INTERNAL,
                times=(start.ts, self._last_ts if end is None else end.ts),
                attributes=attributes,
                failure=failure,
            ),
        )

    def _call(self, event: ToolCall) -> Span | None:
        call = self._calls.add(event, self._ids.next())
        over = self._calls.forgotten if call.is_answered_later else call
        return None if over is None else self._tool(over, None)

    def _answer(self, event: Answer) -> Span | None:
        call = self._calls.answer(event)
        return None if call is None else self._tool(call, event)

    def _tool(self, call: OpenCall, answer: Answer | None) -> Span:
        ids = (self._ids.trace_id, call.place, self._root_id)
        return span(ids, work_of_call(call, answer))

    def _chat(self, event: AgentTurn | ApiRetry) -> Span:
        work = work_of_chat(event, self._provider, self._attempt.start.model)
        return self._below(self._root_id, work)

    def _request(self, event: Egress) -> Span:
        call = self._calls.of_scope(event.scope)
        parent = self._root_id if call is None else call.place
        return self._below(parent, work_of_request(event))

    def _command(self, event: Command) -> Span:
        return self._below(self._root_id, work_of_command(event))

    def _below(self, parent: str, work: Work) -> Span:
        return span((self._ids.trace_id, self._ids.next(), parent), work)
