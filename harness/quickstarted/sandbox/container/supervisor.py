"""
The keep-alive process of a sandbox, which also does the root steps that must not need an exec.

It is a shell (`scripts/supervise.sh`) that takes orders over the container's attached standard
input. So it can end a command's processes when the process limit is used up and no exec starts any
more, and it writes /etc/resolv.conf without the price of one. It runs as root, goes by a name of
its own, and its program is nowhere on disk.
"""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.commands.scripts import script
from quickstarted.sandbox.commands.stream import AttachStream
from quickstarted.sandbox.engine import Engine, engine_calls

END_OF_PROGRAM = "#end"
KEEP_ALIVE = [
    "sh",
    "-c",
    f'while IFS= read -r l && [ "$l" != "{END_OF_PROGRAM}" ]; do s="$s$l\n"; done; eval "$s"',
]
"""Its arguments; the program itself comes as the first lines of standard input."""

ORDER_TIMEOUT_S = 15.0
LONGEST_ANSWER_BYTES = 1 << 16


class SupervisorSilent(SandboxFault):
    """The keep-alive process is gone or did not answer in time."""


@dataclass(frozen=True, kw_only=True)
class Counters:
    """What the container's control group has counted since it started."""

    oom_kills: int
    processes: int
    processes_limit: int | None

    @property
    def is_full(self) -> bool:
        """Whether no further process can be started, or hardly one."""
        return self.processes_limit is not None and self.processes + 8 >= self.processes_limit


class Supervisor:
    """The line to one container's keep-alive process; `connect` after every start."""

    def __init__(self, engine: Engine, container_id: str) -> None:
        self._engine = engine
        self._container_id = container_id
        self._stream: AttachStream | None = None

    def connect(self) -> None:
        """
        Attach to the running container and hand over the program.

        Raises:
            SandboxFault: The container is not running, or its shell does not take the program.

        """
        self.close()
        what = {"stdin": 1, "stdout": 1, "stream": 1}
        with engine_calls("attaching to the sandbox", gone=SandboxFault):
            raw = self._engine.api.attach_socket(self._container_id, what)
        self._stream = AttachStream(raw)
        self._send(f"{script('supervise.sh')}\n{END_OF_PROGRAM}\n")

    def close(self) -> None:
        """Let go of the line; the process goes on."""
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def ping(self, timeout_s: float = ORDER_TIMEOUT_S) -> bool:
        """Whether the process answers."""
        try:
            self.order("ping", timeout_s=timeout_s)
        except SupervisorSilent:
            return False
        return True

    def counters(self) -> Counters:
        """Ask for the counters of the control group."""
        oom, now, most = self.order("counters")
        limit = int(most) if most.isdigit() else None
        return Counters(oom_kills=int(oom or 0), processes=int(now or 0), processes_limit=limit)

    def order(
        self, name: str, *arguments: str, data: bytes = b"", timeout_s: float = ORDER_TIMEOUT_S
    ) -> tuple[str, ...]:
        """
        Give one order and return the fields of its answer.

        Args:
            name: Of the order.
            arguments: One line each.
            data: Follows them.
            timeout_s: For the answer.

        Raises:
            SupervisorSilent: No answer in time.

        """
        token = secrets.token_hex(8)
        self._send("".join(f"{line}\n" for line in (name, token, *arguments)), data)
        return self._answer(token, name, time.monotonic() + timeout_s)

    def _send(self, text: str, data: bytes = b"") -> None:
        sent = text.encode() + data
        if self._stream is None or not self._stream.send(sent, ORDER_TIMEOUT_S):
            raise SupervisorSilent("the sandbox's keep-alive process is gone")

    def _answer(self, token: str, name: str, deadline: float) -> tuple[str, ...]:
        assert self._stream is not None
        received = b""
        begin = token.encode()
        while True:
            data = self._stream.read(max(deadline - time.monotonic(), 0))
            if not data:
                gone = "is gone" if data == b"" else "does not answer"
                raise SupervisorSilent(f"the sandbox's keep-alive process {gone} (order: {name})")
            received = (received + data)[-LONGEST_ANSWER_BYTES:]
            at = received.find(begin)
            end = received.find(b"\n", at)
            if at >= 0 and end >= 0:
                answer = received[at + len(begin) : end].decode("utf-8", "replace")
                return tuple(answer.split("\t")[1:])
