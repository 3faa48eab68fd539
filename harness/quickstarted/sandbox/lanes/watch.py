"""
The watch over a sidecar: does it still refuse, and say so?

A request for a name that nobody has is sent through the sidecar's doors at the start of an attempt
and at intervals while it runs. Refusals and their events must be exactly those that any sandbox's
request would cause; the events are taken out of the record. What else happens, or nothing, is a
fault, and the attempt is over.
"""

from __future__ import annotations

import secrets
import threading
from typing import Any, Protocol

from quickstarted.errors import AttemptFault
from quickstarted.events import EgressBlocked, EgressEvent

INTERVAL_S = 15.0
ANSWER_S = 10.0
DOMAIN = "watch.invalid"
"""Below the domain that never exists (RFC 6761)."""

_REFUSED = {"status": 403, "reason": "not_allowlisted", "detail": "host"}
_METHODS = {"explicit": "GET", "connect": "CONNECT", "http": "GET"}


class Inspection:
    """One round: its name, and what came of it."""

    def __init__(self) -> None:
        self.host = f"{secrets.token_hex(8)}.{DOMAIN}"
        """Known to nobody in the sandbox, so no event of its own is taken for ours."""
        self._events: list[EgressEvent] = []

    def takes(self, event: EgressEvent) -> bool:
        """Keep an event of this round from the record."""
        if event.host != self.host:
            return False
        self._events.append(event)
        return True

    def finding(self, answers: Any) -> str:
        """What is wrong; empty where every request was refused and recorded as it must be."""
        for door, method in _METHODS.items():
            got = answers.get(door) if isinstance(answers, dict) else None
            if got != _REFUSED:
                return f"{method} {self.host} through the door `{door}` was to be refused: {got}"
        kinds = sorted(
            (event.method, event.reason) if isinstance(event, EgressBlocked) else (event.type, "")
            for event in self._events
        )
        if kinds != sorted((method, "not_allowlisted") for method in _METHODS.values()):
            return f"the refusals of {self.host} were to be recorded, and the events were: {kinds}"
        return ""


class Watched(Protocol):
    """What is watched."""

    def inspect(self) -> None:
        """Send one round through; raises the fault that it finds, or that was found before."""


class Watch:
    """A thread that inspects until it is stopped, or has found a fault."""

    def __init__(self, sidecar: Watched, interval_s: float = INTERVAL_S) -> None:
        self._sidecar = sidecar
        self._interval_s = interval_s
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sidecar-watch", daemon=True)

    def start(self) -> None:
        """Inspect at intervals from now on."""
        self._thread.start()

    def stop(self) -> None:
        """End it; does not wait for a round that is under way."""
        self._stopped.set()

    def _run(self) -> None:
        while not self._stopped.wait(self._interval_s):
            try:
                self._sidecar.inspect()
            except AttemptFault:
                return
