"""
The harness's end of one sidecar: orders out, reports in, and whether it can still be relied on.

A thread reads what the sidecar says. A report that is missing, that cannot be read or that does
not come in time, and the end of the stream, are faults; the first one is remembered, and every
later call raises it: an attempt without a complete record of its egress is no evidence.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Any

from pydantic import ValidationError

from quickstarted.errors import AttemptFault, EventStreamFault, QuickstartedError, SidecarFault
from quickstarted.events import EVENT_ADAPTER, EgressAllowed, EgressBlocked, EgressError
from quickstarted.sandbox.lanes.attached import STDOUT, AttachedStreams
from quickstarted.sandbox.lanes.door import DoorCalls
from quickstarted.sandbox.lanes.model_calls import read_model_call
from quickstarted.sandbox.lanes.rules import Rules
from quickstarted.sandbox.lanes.watch import ANSWER_S as WATCH_S
from quickstarted.sandbox.lanes.watch import Inspection
from quickstarted.sandbox.protocol import EgressSink, ModelCallSink
from quickstarted_proxy import control
from quickstarted_proxy.clock import SteadyClock

ANSWER_S = 30.0
"""For any answer; a healthy sidecar needs milliseconds, a starved machine seconds."""
CLOCK_PROBES = 3
LAST_WORDS_BYTES = 2000

FaultListener = Callable[[AttemptFault], None]


def ignore_event(event: object) -> None:
    """Take an event that belongs to no attempt."""
    del event


class Sidecar:
    """A sidecar that runs; orders are given by one thread at a time, others wait."""

    def __init__(self, streams: AttachedStreams, *, answer_s: float = ANSWER_S) -> None:
        self._streams = streams
        self._answer_s = answer_s
        self._answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._order_lock = threading.Lock()
        self._state_lock = threading.Lock()
        self._fault: AttemptFault | None = None
        self._listeners: list[FaultListener] = []
        self._closing = False
        self._sink: EgressSink = ignore_event
        self._on_model_call: ModelCallSink | None = None
        self._door = DoorCalls(lambda order: streams.write(control.encode(order)), self._fail)
        self._inspection: Inspection | None = None
        self._last_words = bytearray()
        self._next_seq = 0
        self._scope = 0
        self._clock_offset_s = 0.0
        """Its clock minus ours."""
        self._reader = threading.Thread(target=self._read, name="sidecar-reader", daemon=True)

    def start(self, order: dict[str, Any]) -> dict[str, Any]:
        """
        Give the `start` order of the control protocol and return the `ready` report.

        Raises:
            SidecarFault: It refused, died or did not answer in time; its last words are quoted.

        """
        self._reader.start()
        ready = self._ask({"order": "start", **order}, "ready")
        self._measure_clock()
        return ready

    def attempt(self, rules: Rules, sink: EgressSink) -> None:
        """Begin another attempt: events from now on go to *sink*, judged by *rules*."""
        self._ask({"order": "attempt", **rules.order()}, "attempt_ready")
        self.deliver_to(sink, rules)
        self._scope = 0
        self._measure_clock()

    def deliver_to(self, sink: EgressSink, rules: Rules | None = None) -> None:
        """
        Deliver events from now on to *sink*, which is called by the reading thread, and what else
        comes to whom *rules* name.
        """
        self._sink = sink
        self._on_model_call = rules.on_model_call if rules else None
        self._door.answered_by(rules.doorkeeper if rules else None)

    def begin_scope(self, scope: int) -> None:
        """Say that egress from now on belongs to command *scope*."""
        self._ask({"order": "scope", "scope": scope}, "scope")
        self._scope = scope

    def drain(self) -> None:
        """
        Return once every event known to the sidecar has been delivered.

        Requests still under way are reported as far as they are.
        """
        self._ask({"order": "scope", "scope": self._scope, "settle": True}, "scope")

    def inspect(self) -> None:
        """
        Have it asked what it must refuse.

        Raises:
            SidecarFault: It did not refuse, did not say so, or did not answer in time.

        """
        inspection = Inspection()
        order = {"order": "watch", "host": inspection.host}
        self._inspection = inspection
        answer = self._ask(order, "watch", answer_s=min(WATCH_S, self._answer_s))
        if finding := inspection.finding(answer.get("answers")):
            self._fail(
                SidecarFault(
                    f"the sidecar does not do what it must: {finding}",
                    hint="Nothing of this attempt is evidence; run it again.",
                )
            )
            self.check()

    def check(self) -> None:
        """Raise the fault that was found, if one was."""
        if fault := self._fault:
            raise type(fault)(fault.message, hint=fault.hint)

    def on_fault(self, listener: FaultListener) -> None:
        """Call *listener* as soon as a fault is found, from the thread that finds it."""
        with self._state_lock:
            fault = self._fault
            if fault is None:
                self._listeners.append(listener)
        if fault is not None:
            listener(fault)

    def forget_listeners(self) -> None:
        """Call none of the listeners any more: their attempt is over."""
        with self._state_lock:
            self._listeners.clear()

    def expect_the_end(self) -> None:
        """From now on the end of the sidecar is no fault."""
        self._closing = True

    def close(self) -> None:
        """End the sidecar; its container removes itself."""
        self.expect_the_end()
        self._streams.close()
        self._door.close()
        if self._reader.is_alive():
            self._reader.join(self._answer_s)

    def _ask(
        self, order: dict[str, Any], report: str, *, answer_s: float | None = None
    ) -> dict[str, Any]:
        """Give an order and return its answer, which must be a *report* of the same scope."""
        with self._order_lock:
            self.check()
            answer = self._exchange(order, answer_s or self._answer_s)
            if answer is None:
                # The reading thread found the cause; without one, this end was closed.
                self.check()
                raise SidecarFault("the sidecar was closed while an order was under way")
            if answer["report"] != report or answer.get("scope") != order.get("scope"):
                text = f"the sidecar answered `{order['order']}` with {str(answer)[:200]}"
                self._fail(SidecarFault(text))
                self.check()
            return answer

    def _exchange(self, order: dict[str, Any], answer_s: float) -> dict[str, Any] | None:
        """Write the order and wait for whatever comes; None when nothing can come any more."""
        try:
            self._streams.write(control.encode(order))
        except SidecarFault as fault:
            # The reading thread learns of the same death, and knows the sidecar's last words.
            self._reader.join(1.0)
            self._fail(fault)
            return None
        try:
            return self._answers.get(timeout=answer_s)
        except queue.Empty:
            late = f"the sidecar did not answer `{order['order']}` in {answer_s:g} s"
            self._fail(SidecarFault(late + self._quoted_last_words()))
            return None

    def _measure_clock(self) -> None:
        """
        Set the clock offset from the quickest of a few echoes; noise counts as none.

        Neither clock jumps while an attempt lasts: each attempt has the machine's time of its
        beginning, and so have its events.
        """
        ours = SteadyClock()
        best_s = float("inf")
        for _ in range(CLOCK_PROBES):
            sent = ours.now()
            echo = self._ask({"order": "scope", "scope": self._scope}, "scope")
            round_trip_s = ours.now() - sent
            if round_trip_s < best_s:
                best_s = round_trip_s
                offset_s = float(echo["ts"]) - (sent + round_trip_s / 2)
                self._clock_offset_s = offset_s if abs(offset_s) > round_trip_s / 2 else 0.0

    def _read(self) -> None:
        """Read until the end. Runs in the reading thread."""
        rest = b""
        try:
            for stream, data in self._streams.frames():
                if stream != STDOUT:
                    self._last_words = (self._last_words + data)[-LAST_WORDS_BYTES:]
                    continue
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._take(line)
        except QuickstartedError as exc:
            # What the sink or a report brought to an end is the attempt's fault, not this thread's.
            fault = exc if isinstance(exc, AttemptFault) else SidecarFault(exc.message)
            self._fail(fault)
        finally:
            self._fail(
                SidecarFault(
                    f"the sidecar ended unexpectedly{self._quoted_last_words()}",
                    hint="It was killed, or ran out of memory; run the attempt again.",
                )
            )
            self._answers.put(None)

    def _take(self, line: bytes) -> None:
        try:
            report = control.decode(line)
            seq, kind = int(report["seq"]), str(report["report"])
        except (ValueError, KeyError, TypeError) as exc:
            raise EventStreamFault(
                f"the sidecar said something unreadable: {line[:200]!r}"
            ) from exc
        if seq != self._next_seq:
            raise EventStreamFault(
                f"egress events are missing: the sidecar's report {self._next_seq} was to come,"
                f" and {seq} came"
            )
        self._next_seq += 1
        if kind == "event":
            event = self._event(report)
            if self._inspection is None or not self._inspection.takes(event):
                self._sink(event)
        elif kind == "docs_call":
            self._door.take(report)
        elif kind == "model_call":
            call = read_model_call(report, self._clock_offset_s)
            if self._on_model_call is not None:
                self._on_model_call(call)
        elif kind in {"fault", "refused"}:
            raise SidecarFault(f"the sidecar says: {report.get('error')}")
        else:
            self._answers.put(report)

    def _event(self, report: dict[str, Any]) -> EgressAllowed | EgressBlocked | EgressError:
        try:
            fields = report["event"]
            on_our_clock = fields["ts"] - self._clock_offset_s
            event = EVENT_ADAPTER.validate_python(
                {**fields, "ts": on_our_clock, "seq": report["seq"]}
            )
        except (KeyError, TypeError, ValidationError) as exc:
            raise EventStreamFault(f"the sidecar sent an event of no known form: {exc}") from exc
        if not isinstance(event, EgressAllowed | EgressBlocked | EgressError):
            raise EventStreamFault(f"the sidecar sent an event of type {event.type}")
        return event

    def _fail(self, fault: AttemptFault) -> None:
        """Remember the first fault, and tell who listens; nothing once it is being closed."""
        with self._state_lock:
            if self._fault is not None or self._closing:
                return
            self._fault = fault
            listeners, self._listeners = self._listeners, []
        for listener in listeners:
            listener(fault)

    def _quoted_last_words(self) -> str:
        words = bytes(self._last_words).decode("utf-8", "replace").strip()
        return f"; its last words: {words}" if words else ""
