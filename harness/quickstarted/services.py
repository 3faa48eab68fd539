"""The task's services: started by the harness before the agent, and again before the check."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from quickstarted.errors import ServiceFault
from quickstarted.events import Event, Service
from quickstarted.sandbox.protocol import Sandbox

SETTLE_S = 0.5
"""How long a service is watched for ending at once, which is how a wrong command shows."""


@dataclass(kw_only=True)
class Services:
    """Services of one attempt; a command that ends with exit code 0 has put itself aside."""

    sandbox: Sandbox
    commands: Sequence[str]
    write: Callable[[Event], None]
    now: Callable[[], float]
    _started: set[str] = field(default_factory=set)

    def ensure_running(self) -> None:
        """
        Start those that do not run.

        Raises:
            ServiceFault: One ended with an error; its log's end is in the message.

        """
        started = [name for name in self._names() if not self._runs(name)]
        for name in started:
            command = self.commands[int(name)]
            self.sandbox.start_service(name, command)
            self._started.add(name)
            self.write(Service(ts=self.now(), command=command, state="started"))
        deadline = time.monotonic() + SETTLE_S
        while started and time.monotonic() < deadline:
            for name in started:
                self._raise_if_failed(name)
            time.sleep(0.1)

    def note_restart(self) -> None:
        """The sandbox was restarted: none of them runs."""
        self._started.clear()

    def _names(self) -> list[str]:
        return [str(index) for index in range(len(self.commands))]

    def _runs(self, name: str) -> bool:
        if name not in self._started:
            return False
        exit_code, log = self.sandbox.service_state(name)
        if exit_code is None:
            return True
        self._note_exit(name, exit_code, log)
        return False

    def _raise_if_failed(self, name: str) -> None:
        exit_code, log = self.sandbox.service_state(name)
        if exit_code:
            self._note_exit(name, exit_code, log)
            command = self.commands[int(name)]
            raise ServiceFault(
                f"the service `{command}` ended with exit code {exit_code}: {log.strip()[-500:]}",
                hint="Correct `services` in the task file; its log's end is above.",
            )

    def _note_exit(self, name: str, exit_code: int, log: str) -> None:
        command = self.commands[int(name)]
        self.write(
            Service(ts=self.now(), command=command, state="exited", exit_code=exit_code, output=log)
        )
