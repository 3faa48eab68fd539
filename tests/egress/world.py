"""A real sandbox against a real sidecar, our own origins behind it, and a service of the host."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from egress.model import Attempt, Image, shown
from egress.origins import Origins, Seen
from fakes import lanes
from fakes.bridge import bridge_address
from quickstarted.events import EgressEvent
from quickstarted.sandbox.backend import BackendOptions, DockerBackend
from quickstarted.sandbox.engine import Engine
from quickstarted.sandbox.lanes.upstream import Upstream
from quickstarted.sandbox.protocol import Limits
from quickstarted_proxy.policy import EgressPolicy, HostRule, PathRule

INSIDE = Path(__file__).parent / "inside"
LIMITS = Limits(timeout_s=60)
LATE_S = 5.0
"""For events that come after the client has its answer."""

POLICY = EgressPolicy(
    allow=(
        HostRule(host="ok.test", ports=(80, 443, 8443)),
        HostRule(host="sub.ok.test"),
        HostRule(host="wild.test", subdomains=True),
        HostRule(host="xn--bcher-kva.test"),
        HostRule(host="expired.test"),
        HostRule(host="selfsigned.test"),
        HostRule(host="wrongname.test"),
        HostRule(host="closed.test", ports=(9,)),
        HostRule(host="raw.test", ports=(2222,)),
        HostRule(host="missing.test"),
        HostRule(host="private.test"),
        HostRule(host="opened.test"),
        HostRule(host="registry.test"),
        HostRule(host="ws.test"),
        HostRule(host="metadata.test"),
        HostRule(host="localhost", ports=(80, 443, 8080)),
        HostRule(host="named.docs.test", explicit=True),
    ),
    docs_hosts=("docs.test",),
    private_hosts=("opened.test", "metadata.test", "localhost"),
    paths=(PathRule(host="registry.test", patterns=("/simple/**", "/pypi/*/json")),),
    websocket_hosts=("ws.test",),
)
BUDGETED = replace(POLICY, max_upload_bytes=200_000, max_download_bytes=300_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an attempt."""

    saw: str
    events: tuple[str, ...]
    requests: tuple[str, ...]
    connections: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HostService:
    """A service of the engine's host that listens on 0.0.0.0, as many do."""

    port: int


@contextmanager
def host_service() -> Iterator[HostService]:
    """Listen with TCP and UDP on one port; answer whoever comes."""
    with (
        socket.create_server(("0.0.0.0", 0)) as tcp,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        port = tcp.getsockname()[1]
        udp.bind(("0.0.0.0", port))
        threading.Thread(target=_accept, args=(tcp,), daemon=True).start()
        threading.Thread(target=_echo, args=(udp,), daemon=True).start()
        yield HostService(port=port)
        # A thread that waits in a call on a socket keeps it open.
        tcp.shutdown(socket.SHUT_RDWR)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", port))


def host_facts(host: HostService, addresses: set[str]) -> dict[str, str]:
    """What attempts are told of the engine's host."""
    return {
        "ATTEMPT_HOSTS": json.dumps(sorted(addresses)),
        "ATTEMPT_HOST_PORT": str(host.port),
    }


def network_facts(spec: Any, origins: Origins) -> dict[str, str]:
    """What attempts are told of the sandbox's network and of who is elsewhere."""
    head, _, last = spec.dns_ip.rpartition(".")
    return {
        "ATTEMPT_GATEWAY": f"{head}.{int(last) - 1}",
        "ATTEMPT_ORIGIN": origins.address,
        "ATTEMPT_NEIGHBOUR": origins.container_id[:12],
    }


def host_addresses(engine: Engine) -> set[str]:
    """Every address under which the engine's host may be known, but loopback."""
    found = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        found.add(probe.getsockname()[0])
    found.add(bridge_address(engine))
    return {address for address in map(str, found) if not address.startswith("127.")}


def _accept(server: socket.socket) -> None:
    while True:
        try:
            server.accept()[0].close()
        except OSError:
            return


def _echo(server: socket.socket) -> None:
    while True:
        data, sender = server.recvfrom(4096)
        if not data:
            return
        server.sendto(data, sender)


class World:
    """One sandbox with its sidecar joined to the origins; attempts are made one by one."""

    def __init__(
        self,
        sandbox: Any,
        origins: Origins,
        events: list[EgressEvent],
        facts: dict[str, str],
    ) -> None:
        self.sandbox = sandbox
        self.sidecar_ip = sandbox._spec.dns_ip
        self._origins = origins
        self._events = events
        self._scope = 0
        self._env = facts | network_facts(sandbox._spec, origins)
        for path in sorted(INSIDE.glob("*.py")):
            sandbox.put_file(f"{sandbox.state_dir}/inside/{path.name}", path.read_bytes())

    def attempt(self, row: Attempt) -> Outcome:
        """Make one attempt, and gather what all sides say of it."""
        self._scope += 1
        self.sandbox.begin_scope(self._scope)
        saw = self.run(row.do if row.shell else json.dumps(row.do), shell=row.shell)
        events = self._events_of(self._scope, at_least=len(row.events))
        seen = self._origins.take()
        known = {self.sidecar_ip: "{sidecar}", self._origins.address: "{origin}"}
        return Outcome(
            saw=saw,
            events=tuple(_with_names(shown(event), known) for event in events),
            requests=seen.requests,
            connections=seen.connections,
        )

    def side_by_side(self, rows: list[Attempt]) -> tuple[list[str], list[EgressEvent], Seen]:
        """Make attempts that leave no trace, all at once."""
        self._scope += 1
        self.sandbox.begin_scope(self._scope)
        output = self.run(json.dumps([row.do for row in rows]))
        return json.loads(output), self._events_of(self._scope), self._origins.take()

    def run(self, attempt: str, *, shell: bool = False) -> str:
        """Run it in the sandbox; what it printed."""
        folder = f"{self.sandbox.state_dir}/inside"
        script = attempt if shell else f"exec python3 {folder}/client.py"
        env = {**self._env, "ATTEMPT": attempt, "INSIDE": folder, "PYTHONDONTWRITEBYTECODE": "1"}
        done = self.sandbox.run_clean(script, LIMITS, env=env, root=True)
        return str(done.output).strip()

    def _events_of(self, scope: int, *, at_least: int = 0) -> list[EgressEvent]:
        deadline = time.monotonic() + LATE_S
        while time.monotonic() < deadline:
            found = [event for event in self._events if event.scope == scope]
            if len(found) >= at_least:
                break
            time.sleep(0.01)
        self.sandbox.drain_egress()
        return [event for event in self._events if event.scope == scope]


def _with_names(text: str, known: dict[str, str]) -> str:
    for address, name in known.items():
        text = text.replace(address, name)
    return text


class Worlds:
    """Sandboxes by image, each made when it is first asked for."""

    def __init__(
        self, engine: Engine, backend: DockerBackend, origins: Origins, facts: dict[str, str]
    ) -> None:
        self._engine = engine
        self._facts = facts
        self._backend = backend
        self._origins = origins
        self._joined: set[str] = set()

    @contextmanager
    def open(self, image: Image, *, budgeted: bool = False) -> Iterator[World]:
        """A sandbox whose sidecar is joined to the origins."""
        name = lanes.node_image(self._engine) if image == "node" else None
        events: list[EgressEvent] = []
        policy = BUDGETED if budgeted else POLICY
        spec = lanes.spec(self._engine, policy, image=name)
        with self._backend.open(spec, events.append) as sandbox:
            run_id = self._backend.run_id  # type: ignore[attr-defined]
            for sidecar in set(lanes.labelled(self._engine, run_id, "sidecar")) - self._joined:
                self._origins.join(self._engine, sidecar)
                self._joined.add(sidecar)
            yield World(sandbox, self._origins, events, self._facts)


@contextmanager
def worlds(
    engine: Engine, origins: Origins, facts: dict[str, str], *, sidecar_image: str | None = None
) -> Iterator[Worlds]:
    """A backend whose sidecars trust the origins; it must leave nothing."""
    run_id = lanes.new_run_id()
    upstream = Upstream(trust_pem=origins.ca_pem)
    options = BackendOptions(run_id=run_id, upstream=upstream, sidecar_image=sidecar_image)
    backend = DockerBackend(engine, options)
    backend.run_id = run_id  # type: ignore[attr-defined]
    try:
        yield Worlds(engine, backend, origins, facts)
    finally:
        backend.close()
        assert lanes.labelled(engine, run_id) == []
