"""
A sidecar on the other end of a socket pair: it speaks the control protocol in the engine's frames,
and misbehaves where a test says so.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quickstarted.sandbox.attached import AttachedStreams
from quickstarted_proxy import control

READY = {
    "report": "ready",
    "ca_pem": "-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----\n",
    "roots_pem": "",
    "truststore_b64": "",
    "mitmproxy": "12.3.1",
}


class ScriptedSidecar:
    """Answers every order the way a healthy sidecar does; attributes and methods change that."""

    def __init__(self, connection: socket.socket) -> None:
        self.orders: list[dict[str, Any]] = []
        self.clock_offset_s = 0.0
        self.silent = False
        self.before_scope: list[dict[str, Any]] = []
        """Reports that come before the answer to the next scope."""
        self._connection = connection
        self._seq = 0
        self._thread = threading.Thread(target=self._serve)

    def start(self) -> None:
        """Begin to answer."""
        self._thread.start()

    def join(self) -> None:
        """Wait until the other side has closed."""
        self._thread.join()

    def report(self, report: dict[str, Any], *, skip: int = 0) -> None:
        """Say something; *skip* leaves a gap before it."""
        self._seq += skip
        stamped = {**report, "seq": self._seq, "ts": time.time() + self.clock_offset_s}
        self._seq += 1
        self.say(control.encode(stamped))

    def say(self, data: bytes, *, stream: int = 1) -> None:
        """Write raw bytes, in two frames so that no reader relies on whole lines."""
        for part in (data[:5], data[5:]):
            self._connection.sendall(struct.pack(">BxxxL", stream, len(part)) + part)

    def die(self) -> None:
        """End without a word."""
        self._connection.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        # The other side may close while something is still on its way.
        with (
            contextlib.suppress(OSError),
            self._connection,
            self._connection.makefile("rb") as orders,
        ):
            for line in orders:
                order = control.decode(line)
                self.orders.append(order)
                if not self.silent:
                    self._answer(order)

    def _answer(self, order: dict[str, Any]) -> None:
        if order["order"] == "start":
            self.report(READY)
        elif order["order"] == "attempt":
            self.report({"report": "attempt_ready"})
        else:
            waiting, self.before_scope = self.before_scope, []
            for report in waiting:
                self.report(report)
            self.report({"report": "scope", "scope": order["scope"]})


@contextmanager
def scripted_sidecar() -> Iterator[tuple[AttachedStreams, ScriptedSidecar]]:
    """Both ends of an attachment."""
    ours, theirs = socket.socketpair()
    scripted = ScriptedSidecar(theirs)
    scripted.start()
    streams = AttachedStreams(ours)
    try:
        yield streams, scripted
    finally:
        streams.close()
        scripted.join()
