"""
A sidecar on the other end of a socket pair: it speaks the control protocol in the engine's frames,
and misbehaves where a test says so.

Left to itself it obeys and refuses as the real one does; `tests/contract/test_control.py` gives
both the same orders.
"""

from __future__ import annotations

import base64
import contextlib
import queue
import socket
import ssl
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from quickstarted.sandbox.lanes.attached import AttachedStreams
from quickstarted_proxy import control
from quickstarted_proxy.policy import EgressPolicy
from quickstarted_proxy.secrets_table import secrets_from_json
from quickstarted_proxy.upstream import UpstreamProxies

PEM = "-----BEGIN CERTIFICATE-----\nY2E=\n-----END CERTIFICATE-----\n"
READY = {
    "report": "ready",
    "ca_pem": PEM,
    "roots_pem": PEM,
    "truststore_b64": base64.b64encode(b"a trust store").decode(),
    "mitmproxy": "12.3.1",
}
START = {"listen": "10.213.0.2", "policy": EgressPolicy().to_json()}
"""The least that a start must say."""


class _Ended(Exception):
    """The process has come to its end."""


class ScriptedSidecar:
    """Answers every order the way a healthy sidecar does; attributes and methods change that."""

    def __init__(self, connection: socket.socket) -> None:
        self.orders: list[dict[str, Any]] = []
        self.clock_offset_s = 0.0
        self.silent = False
        self.before_scope: list[dict[str, Any]] = []
        """Reports that come before the answer to the next scope."""
        self.scope = 0
        """What events belong to now."""
        self.docs_answers: queue.Queue[dict[str, Any]] = queue.Queue()
        """What came back for requests that were handed over."""
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

    def refuse_watch(self, host: str) -> None:
        """Refuse what must be refused at every door, and say so."""
        for method in ("GET", "CONNECT", "GET"):
            blocked = {"host": host, "reason": "not_allowlisted", "method": method, "ts": 0.0}
            self.report({"report": "event", "event": {"type": "egress_blocked", **blocked}})
        refused = {"status": 403, "reason": "not_allowlisted", "detail": "host"}
        doors = ("explicit", "connect", "http")
        self.report({"report": "watch", "answers": dict.fromkeys(doors, refused)})

    def die(self) -> None:
        """End without a word."""
        self._connection.shutdown(socket.SHUT_RDWR)

    def _serve(self) -> None:
        # The other side may close while something is still on its way.
        with (
            contextlib.suppress(OSError, _Ended),
            self._connection,
            self._connection.makefile("rb") as orders,
        ):
            for line in orders:
                self._obey(line)

    def _obey(self, line: bytes) -> None:
        begun = bool(self.orders)
        try:
            order = control.decode(line)
            if not begun:
                check_start(order)
            self.orders.append(order)
            if not self.silent:
                self._answer(order)
        except (ValueError, KeyError, TypeError) as exc:
            text = f"the order cannot be carried out: {exc}" if begun else str(exc)
            self.report({"report": "fault" if begun else "refused", "error": text})
            raise _Ended from exc

    def _answer(self, order: dict[str, Any]) -> None:
        match order.get("order"):
            case "start" if len(self.orders) == 1:
                self.report(READY)
            case "attempt":
                EgressPolicy.from_json(order["policy"])
                secrets_from_json(order.get("secrets") or ())
                self.scope = 0
                self.report({"report": "attempt_ready"})
            case "scope":
                waiting, self.before_scope = self.before_scope, []
                for report in waiting:
                    self.report(report)
                self.scope = int(order["scope"])
                self.report({"report": "scope", "scope": self.scope})
            case "docs_answer":
                self.docs_answers.put(order)
            case "watch":
                self.refuse_watch(str(order["host"]))
            case other:
                raise ValueError(f"unknown order {other!r}")


def check_start(order: dict[str, Any]) -> None:
    """
    Check the first order as far as that can be done without listening.

    Raises:
        ValueError: It is not `start`, or a part of it is missing or wrong.

    """
    if order.get("order") != "start":
        raise ValueError(f"the first order must be start, not {order.get('order')!r}")
    missing = {"listen", "policy"} - set(order)
    if missing:
        raise ValueError(f"start: missing {sorted(missing)}")
    EgressPolicy.from_json(order["policy"])
    secrets_from_json(order.get("secrets") or ())
    UpstreamProxies.from_json(order.get("upstream_proxies") or {})
    if trust_pem := str(order.get("trust_pem") or "").strip():
        try:
            ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=trust_pem)
        except ssl.SSLError as exc:
            raise ValueError(f"trust_pem holds no readable certificates: {exc}") from exc


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
