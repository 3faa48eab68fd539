"""Long-running commands of a task, and what else runs that is not ours."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.commands import execs
from quickstarted.sandbox.commands.dialects import clean_call
from quickstarted.sandbox.commands.drainer import Drainer
from quickstarted.sandbox.commands.execs import Running
from quickstarted.sandbox.commands.host import CommandHost
from quickstarted.sandbox.commands.logs import SERVICE_BYTES, BoundedLog
from quickstarted.sandbox.protocol import Process

BEGIN_S = 10.0
LAST_WORDS_S = 1.0
"""For the log of a service that has ended; its children may hold the stream longer."""
SETTLE_S = 0.15
"""A command's shell may still be on its way out when its mark has been read."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """One started service."""

    running: Running
    log: BoundedLog
    is_read: Event = field(default_factory=Event)
    """Set when its stream has ended and is in the log."""


class Services:
    """Starts them, knows how they are, and tells them from other processes."""

    def __init__(self, host: CommandHost, drainer: Drainer, record: Path) -> None:
        self._host = host
        self._drainer = drainer
        self._record = record
        self._services: dict[str, Service] = {}

    def start(self, name: str, command: str) -> None:
        """See `protocol.Sandbox.start_service`."""
        host = self._host
        call = clean_call(command, host.inside, user=host.agent_user, env=dict(host.env))
        running = execs.start(host, call)
        path = self._record / f"service-{name}.log"
        log = BoundedLog(path, SERVICE_BYTES, host.scrubber.stream())
        if not execs.await_begin(running, log.write, BEGIN_S):
            running.stream.close()
            raise SandboxFault(f"the service {name} could not be started: {log.tail().strip()}")
        service = Service(running=running, log=log)
        self._services[name] = service
        self._drainer.take(running.stream, lambda data: _take(service, data))

    def state(self, name: str) -> tuple[int | None, str]:
        """See `protocol.Sandbox.service_state`."""
        service = self._services[name]
        running = service.running
        code = running.exec.exit_code()
        if code is not None:
            service.is_read.wait(LAST_WORDS_S)
        if running.end is not None:
            code = running.end.exit_code
        return code, service.log.tail()

    def foreign_processes(self) -> list[Process]:
        """See `protocol.Sandbox.foreign_processes`."""
        services = [service.running.exec for service in self._services.values()]
        found = self._host.foreign_to(services)
        if found:
            time.sleep(SETTLE_S)
            found = self._host.foreign_to(services)
        return found


def _take(service: Service, data: bytes) -> None:
    if data:
        service.log.write(service.running.scanner.feed(data))
    else:
        service.log.write(service.running.scanner.rest())
        service.is_read.set()
