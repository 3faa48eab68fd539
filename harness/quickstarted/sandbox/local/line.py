"""The harness's end of the line to an attempt's keeper."""

from __future__ import annotations

import os
import secrets
import select
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.commands.execs import KILLED, ExecRefused
from quickstarted.sandbox.local.keeper import receive, send

ORDER_TIMEOUT_S = 15.0
END_TIMEOUT_S = 60.0
"""For the end of all processes and the removal of the folder."""
RECEIVE_BYTES = 1 << 18


class KeeperSilent(SandboxFault):
    """The keeper is gone or did not answer in time."""


class PipeStream:
    """The reading end of a pipe; a `commands.host.Stream`."""

    def __init__(self, fd: int) -> None:
        self._fd = fd

    def fileno(self) -> int:
        """For selectors."""
        return self._fd

    def read(self, timeout_s: float) -> bytes | None:
        """Return what was printed, b"" at the end of the stream, None when nothing came in time."""
        if self._fd < 0:
            return b""
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return os.read(self._fd, RECEIVE_BYTES) if poll.poll(max(timeout_s, 0) * 1000) else None

    def close(self) -> None:
        """Close it; twice is no error."""
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)


@dataclass(frozen=True, kw_only=True)
class LocalExec:
    """A program that a keeper has started; a `commands.host.Exec`."""

    line: KeeperLine
    pid: int
    stream: PipeStream

    def exit_code(self) -> int | None:
        """None while it runs; 137 where its keeper has gone, which ends it."""
        try:
            answer = self.line.order({"order": "exit_code", "pid": self.pid})
        except KeeperSilent:
            return KILLED
        code: int | None = answer["code"]
        return code if answer["known"] else KILLED


class KeeperLine:
    """One keeper, started by `open`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._log = folder / f"keeper-{secrets.token_hex(4)}.log"
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self.is_subreaper = False

    @property
    def pid(self) -> int | None:
        """Its number; None when it is gone."""
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def open(self) -> None:
        """
        Start a keeper.

        Raises:
            SandboxFault: It does not start, or does not answer.

        """
        ours, theirs = socket.socketpair()
        # Nothing of the caller's variables, but what can be imported here.
        imports = os.pathsep.join(str(Path(entry).absolute()) for entry in sys.path)
        env = {"PYTHONPATH": imports, "PATH": os.defpath}
        argv = [sys.executable, "-P", "-m", "quickstarted.sandbox.local.keeper", str(self._folder)]
        try:
            with theirs, self._log.open("wb") as log:
                self._process = subprocess.Popen(  # noqa: S603 (our own program)
                    argv,
                    stdin=theirs.fileno(),
                    stdout=log,
                    stderr=log,
                    env=env,
                    cwd="/",
                    start_new_session=True,
                )
        except OSError as exc:
            ours.close()
            raise SandboxFault(f"starting the keeper of a sandbox: {exc}") from exc
        ours.settimeout(ORDER_TIMEOUT_S)
        self._socket = ours
        self.is_subreaper = bool(self.order({"order": "ping"})["subreaper"])

    def order(self, message: dict[str, Any], fds: tuple[int, ...] = ()) -> dict[str, Any]:
        """
        Give one order and return its answer.

        Raises:
            KeeperSilent: There is none.

        """
        if self._socket is None:
            raise KeeperSilent("the sandbox's keeper is gone")
        try:
            send(self._socket, message, fds)
            got = receive(self._socket)
        except TimeoutError as exc:
            raise KeeperSilent("the sandbox's keeper does not answer") from exc
        except OSError:
            got = None
        if got is None:
            raise KeeperSilent(f"the sandbox's keeper is gone{self._last_words()}")
        return got[0]

    def start(self, argv: Sequence[str], env: Mapping[str, str]) -> LocalExec:
        """
        Start a program.

        Raises:
            ExecRefused: The system has no process to give.
            KeeperSilent: The keeper is gone.

        """
        reading, writing = os.pipe()
        stream = PipeStream(reading)
        message = {"order": "start", "argv": list(argv), "env": dict(env)}
        try:
            answer = self.order(message, (writing,))
        except SandboxFault:
            stream.close()
            raise
        finally:
            os.close(writing)
        if "error" in answer:
            stream.close()
            raise ExecRefused(f"starting a command: {answer['error']}")
        return LocalExec(line=self, pid=int(answer["pid"]), stream=stream)

    def end_tree(self, pid: int) -> list[str]:
        """
        End a started program with all that it has started; returns what could not be ended.

        Raises:
            KeeperSilent: The keeper is gone.

        """
        left: list[str] = self.order({"order": "end_tree", "pid": pid})["left"]
        return left

    def close(self) -> None:
        """Have the keeper end the attempt, and wait until it has; twice is no error."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        process, self._process = self._process, None
        if process is None:
            return
        try:
            process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def abandon(self) -> None:
        """Let go of a keeper that does not answer, without the end of the attempt."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _last_words(self) -> str:
        with suppress(OSError):
            lines = self._log.read_text("utf-8", "replace").strip().splitlines()
            return f": {lines[-1]}" if lines else ""
        return ""
