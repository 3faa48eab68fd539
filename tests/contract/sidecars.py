"""The real sidecar in its container and the scripted one, each at the other end of a wire."""

from __future__ import annotations

import contextlib
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

from fakes import lanes
from fakes.scripted_sidecar import START, scripted_sidecar
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.images.resolve import sidecar_image
from quickstarted.sandbox.lanes.attached import STDOUT, AttachedStreams, attach
from quickstarted.sandbox.lanes.networks import DEFAULT_RANGE, LaneNetwork, Network, NetworkCarver
from quickstarted.sandbox.lanes.sidecar_container import SidecarSpec, create_sidecar
from quickstarted.sandbox.lanes.upstream import Upstream
from quickstarted.sandbox.removal import remove_container, remove_network
from quickstarted_proxy import control
from quickstarted_proxy.policy import EgressPolicy

WAIT_S = 30.0
DOCS_HOST = "docs.example.com"
POLICY = EgressPolicy(docs_hosts=(DOCS_HOST,)).to_json()
REFUSED = """
import socket
with socket.create_connection(({listen!r}, 8080), timeout=20) as client:
    head = "GET http://{host}/ HTTP/1.1", "Host: {host}", "Connection: close", "", ""
    client.sendall("\\r\\n".join(head).encode())
    while client.recv(4096):
        pass
"""


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A sidecar that has not been told to start."""

    streams: AttachedStreams
    start: dict[str, Any]
    """The order that it obeys, without its name."""
    ask: Callable[[], None]
    """Have a client ask for `DOCS_HOST`, which is refused and recorded."""
    die: Callable[[], None]
    """Have it gone without a word."""
    is_gone: Callable[[], bool]


class Wire:
    """Orders out and reports in, as they are; a thread reads."""

    def __init__(self, streams: AttachedStreams) -> None:
        self._streams = streams
        self._heard: queue.Queue[dict[str, Any] | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def say(self, order: dict[str, Any] | bytes) -> None:
        """Give an order, or send bytes that are none."""
        self._streams.write(order if isinstance(order, bytes) else control.encode(order))

    def hear(self) -> dict[str, Any] | None:
        """The next report; None at the end."""
        return self._heard.get(timeout=WAIT_S)

    def hear_until(self, kind: str) -> list[dict[str, Any]]:
        """All reports up to the next one of that kind."""
        heard: list[dict[str, Any]] = []
        while not heard or heard[-1]["report"] != kind:
            report = self.hear()
            assert report is not None, f"the end came before `{kind}`: {heard}"
            heard.append(report)
        return heard

    def end_input(self) -> None:
        """Say that no order comes any more."""
        self._streams._socket.shutdown(socket.SHUT_WR)

    def _read(self) -> None:
        rest = b""
        for stream, data in self._streams.frames():
            if stream == STDOUT:
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    self._heard.put(control.decode(line))
        self._heard.put(None)


@contextmanager
def scripted_subjects() -> Iterator[Callable[[], AbstractContextManager[Subject]]]:
    """Fakes."""

    @contextmanager
    def open_subject() -> Iterator[Subject]:
        with scripted_sidecar() as (streams, scripted):
            blocked = {
                "type": "egress_blocked",
                "ts": 0.0,
                "host": DOCS_HOST,
                "reason": "docs_host_requires_read_docs",
                "method": "GET",
            }

            def ask() -> None:
                event = {**blocked, "scope": scripted.scope}
                scripted.report({"report": "event", "event": event})

            yield Subject(
                streams=streams,
                start={**START, "policy": POLICY},
                ask=ask,
                die=scripted.die,
                is_gone=lambda: not scripted._thread.is_alive(),
            )

    yield open_subject


@contextmanager
def container_subjects() -> Iterator[Callable[[], AbstractContextManager[Subject]]]:
    """Containers of the real image, one after the other on one lane."""
    with lanes.connected() as engine:
        run_id = lanes.new_run_id()
        carver = NetworkCarver(engine, run_id, DEFAULT_RANGE)
        lane, egress = carver.create_lane(), carver.create_egress()
        spec = SidecarSpec(run_id=run_id, image=sidecar_image(engine), upstream=Upstream())
        try:
            yield lambda: _container_subject(engine, spec, lane, egress)
        finally:
            for network in (lane, egress):
                remove_network(engine, network.id)
            assert lanes.labelled(engine, run_id) == []


@contextmanager
def _container_subject(
    engine: Engine, spec: SidecarSpec, lane: LaneNetwork, egress: Network
) -> Iterator[Subject]:
    container_id = create_sidecar(engine, spec, egress.id)
    streams = attach(engine, container_id)
    api: Any = engine.api
    program = REFUSED.format(listen=lane.sidecar_ip, host=DOCS_HOST)

    def ask() -> None:
        made = api.exec_create(container_id, ["/opt/sidecar/bin/python", "-c", program])["Id"]
        assert api.exec_start(made) == b""

    try:
        api.start(container_id)
        api.connect_container_to_network(container_id, lane.id, ipv4_address=lane.sidecar_ip)
        yield Subject(
            streams=streams,
            start={"listen": lane.sidecar_ip, "policy": POLICY},
            ask=ask,
            die=lambda: api.kill(container_id, "SIGKILL"),
            is_gone=lambda: api.containers(all=True, filters={"id": container_id}) == [],
        )
    finally:
        with contextlib.closing(streams):
            remove_container(engine, container_id)


SIDECARS = {"container": container_subjects, "scripted": scripted_subjects}
