"""Where an attempt's events go: to the trace, to memory for the verdict, to whoever watches."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from quickstarted.errors import StorageFault
from quickstarted.events import EgressEvent, Event, RunEnd
from quickstarted.task_secrets import scrubbed_event
from quickstarted.trace import RunClock, TraceWriter
from quickstarted_proxy.substitution import Replacer

Observer = Callable[[Event], None]


@dataclass(kw_only=True)
class Recorder:
    """One attempt's record; `write` may be called from several threads."""

    trace: TraceWriter
    observer: Observer
    """Called with every event, one at a time; shows progress."""
    clock: RunClock = field(default_factory=RunClock)
    scrubber: Replacer = field(default_factory=lambda: Replacer(()))
    """Takes secrets out of every event, wherever they may have come from."""
    events: list[Event] = field(default_factory=list)
    """Everything so far, in the order in which it became known."""

    def __post_init__(self) -> None:
        self._lock = threading.Lock()

    def now(self) -> float:
        """Epoch seconds for an event that happens now."""
        return self.clock.now()

    def write(self, event: Event) -> None:
        """
        Record *event*.

        Raises:
            StorageFault: It is not on disk; the attempt gives no evidence.

        """
        event = scrubbed_event(event, self.scrubber)
        with self._lock:
            self.events.append(event)
        # On disk before anybody looks at it: a stopped terminal must not hold the record back.
        self.trace.write(event)
        with self._lock:
            self.observer(event)

    def write_egress(self, event: EgressEvent) -> None:
        """Record an event of the sidecar's thread; `TraceWriter.fault` keeps a failed write."""
        try:
            self.write(event)
        except StorageFault:
            return

    def replace_end(self, end: RunEnd) -> None:
        """Where the last line could not be written, memory has the ending that says so."""
        self.events = [event for event in self.events if not isinstance(event, RunEnd)]
        self.events.append(end)
        self.observer(end)
