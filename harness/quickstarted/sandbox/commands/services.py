"""Long-running commands of a task, and what else runs that is not ours."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.commands import execs
from quickstarted.sandbox.commands.dialects import clean_call
from quickstarted.sandbox.commands.drainer import Drainer
from quickstarted.sandbox.commands.execs import Running
from quickstarted.sandbox.commands.logs import SERVICE_BYTES, BoundedLog
from quickstarted.sandbox.container.machine import Machine
from quickstarted.sandbox.container.supervisor import KEEP_ALIVE
from quickstarted.sandbox.engine import engine_calls
from quickstarted.sandbox.protocol import Process

BEGIN_S = 10.0
LAST_WORDS_S = 1.0
"""For the log of a service that has ended; its children may hold the stream longer."""
PS_ARGUMENTS = "-eo pid,ppid,stat,args"
SETTLE_S = 0.15
"""A command's shell may still be on its way out when its mark has been read."""


@dataclass(frozen=True, kw_only=True)
class Service:
    """One started service."""

    running: Running
    log: BoundedLog
    is_read: Event = field(default_factory=Event)
    """Set when its stream has ended and is in the log."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the engine's `top`; numbers are of the engine's host."""

    pid: int
    parent: int
    state: str
    command: str


class Services:
    """Starts them, knows how they are, and tells them from other processes."""

    def __init__(self, machine: Machine, drainer: Drainer, record: Path) -> None:
        self._machine = machine
        self._drainer = drainer
        self._record = record
        self._services: dict[str, Service] = {}

    def start(self, name: str, command: str) -> None:
        """See `protocol.Sandbox.start_service`."""
        machine = self._machine
        call = clean_call(
            command, machine.inside, user=machine.spec.agent_user, env=dict(machine.env)
        )
        running = execs.start(machine.engine, machine.container_id, call)
        log = BoundedLog(self._record / f"service-{name}.log", SERVICE_BYTES)
        if not execs.await_begin(running, log.write, BEGIN_S):
            running.stream.close()
            raise SandboxFault(f"the service {name} could not be started: {log.tail().strip()}")
        service = Service(running=running, log=log)
        self._services[name] = service
        self._drainer.take(running.stream, lambda data: _take(service, data))

    def state(self, name: str) -> tuple[int | None, str]:
        """See `protocol.Sandbox.service_state`."""
        service = self._services[name]
        engine, running = self._machine.engine, service.running
        code = execs.exit_code(engine, running.exec_id)
        if code is not None:
            service.is_read.wait(LAST_WORDS_S)
        if running.end is not None:
            code = running.end.exit_code
        return code, service.log.tail()

    def foreign_processes(self) -> list[Process]:
        """See `protocol.Sandbox.foreign_processes`."""
        found = self._foreign()
        if found:
            time.sleep(SETTLE_S)
            found = self._foreign()
        return found

    def _foreign(self) -> list[Process]:
        machine = self._machine
        roots = {
            execs.host_pid(machine.engine, service.running.exec_id)
            for service in self._services.values()
        }
        with engine_calls("asking what runs in the sandbox", gone=SandboxFault):
            top = machine.engine.api.top(machine.container_id, ps_args=PS_ARGUMENTS)
        rows = read_top(top)
        init = int(machine.state().get("Pid") or 0)
        return foreign(rows, init, {pid for pid in roots if pid is not None})


def read_top(top: Mapping[str, Any]) -> list[Row]:
    """Read the engine's answer to `top` with `PS_ARGUMENTS`."""
    return [
        Row(pid=int(row[0]), parent=int(row[1]), state=row[2], command=" ".join(row[3:]))
        for row in top.get("Processes") or []
    ]


def foreign(rows: list[Row], init: int, roots: set[int]) -> list[Process]:
    """
    Those of *rows* that are not ours.

    Ours are the container's init, the keep-alive process below it, and *roots* with all their
    descendants. Processes that have ended and wait for their parent are left out.
    """
    ours = {init} | roots
    alike = [row for row in rows if row.parent == init and is_keep_alive(row.command)]
    ours |= {row.pid for row in alike[:1]}
    parents = {row.pid: row.parent for row in rows}
    return [
        Process(pid=row.pid, command=row.command)
        for row in rows
        if not row.state.startswith("Z")
        and row.pid not in ours
        and not _descends(row.pid, roots, parents)
    ]


def is_keep_alive(command: str) -> bool:
    """Whether a line of `ps` is the keep-alive process's; ps joins arguments and lines alike."""
    return command.split() == " ".join(KEEP_ALIVE).split()


def _descends(pid: int, roots: set[int], parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid in roots:
            return True
    return False


def _take(service: Service, data: bytes) -> None:
    if data:
        service.log.write(service.running.scanner.feed(data))
    else:
        service.log.write(service.running.scanner.rest())
        service.is_read.set()
