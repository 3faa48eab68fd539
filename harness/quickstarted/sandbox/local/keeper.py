"""
The keeper of one attempt: a process of its own, from which all of the attempt's processes descend.

Run as a program, with the attempt's folder as its argument and a socket as its standard input. It
starts programs and says how they ended. Where the system allows it, orphans become its children,
so that nothing can leave the attempt. The end of its input ends the attempt, also when the harness
has been killed: all processes are ended and the folder is removed.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import selectors
import signal
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from quickstarted.sandbox.local.folders import remove_folder
from quickstarted.sandbox.local.processes import Age, Seen, age, end, of_attempt, of_command

HEADER_BYTES = 8
PR_SET_CHILD_SUBREAPER = 36
"""Of prctl(2), Linux 3.4."""
UNTOUCHED = (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM)
"""Sent to all that can be found (`kill -1`, the end of a terminal); the keeper stays."""
UMASK = 0o022
CANNOT_EXECUTE = 127


def become_subreaper() -> bool:
    """Have orphans below this process become its children; whether that worked."""
    if sys.platform != "linux":
        return False
    try:
        return not ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        return False


def send(line: socket.socket, message: dict[str, Any], fds: tuple[int, ...] = ()) -> None:
    """Send one message, with *fds* when there are any."""
    body = json.dumps(message).encode()
    header = len(body).to_bytes(HEADER_BYTES, "big")
    if fds:
        socket.send_fds(line, [header], list(fds))
        line.sendall(body)
    else:
        line.sendall(header + body)


def receive(line: socket.socket) -> tuple[dict[str, Any], list[int]] | None:
    """Take one message and the descriptors that came with it; None at the end."""
    header, fds, _, _ = socket.recv_fds(line, HEADER_BYTES, 1)
    while header and len(header) < HEADER_BYTES:
        header += line.recv(HEADER_BYTES - len(header))
    if not header:
        return None
    left, parts = int.from_bytes(header, "big"), []
    while left:
        part = line.recv(left)
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return json.loads(b"".join(parts)), fds


class Keeper:
    """Serves one attempt until the line ends."""

    def __init__(self, line: socket.socket, folder: Path) -> None:
        self._line = line
        self._folder = folder
        self._codes: dict[int, int | None] = {}
        self._ages: dict[int, Age] = {}
        self._is_subreaper = become_subreaper()

    def serve(self) -> None:
        """Answer until there are no more orders."""
        with _children_ended() as bell, selectors.DefaultSelector() as selector:
            selector.register(self._line, selectors.EVENT_READ)
            selector.register(bell, selectors.EVENT_READ)
            while True:
                ready = {key.fileobj for key, _ in selector.select()}
                if bell in ready:
                    bell.recv(4096)
                    self._bury()
                if self._line in ready and not self._answer():
                    return

    def end(self) -> None:
        """End everything that descends from this process, and remove the folder."""
        end(self._left)
        with contextlib.suppress(OSError):
            remove_folder(self._folder)

    def _left(self) -> list[Seen]:
        self._bury()
        by_mark = not self._is_subreaper
        return of_attempt(str(self._folder), os.getpid(), by_mark=by_mark)

    def _end_tree(self, pid: int) -> dict[str, Any]:
        first = self._ages[pid]
        left = end(lambda: of_command(self._left(), first))
        return {"left": [f"{one.command} ({one.pid})" for one in left]}

    def _answer(self) -> bool:
        try:
            got = receive(self._line)
            if got is None:
                return False
            order, fds = got
            send(self._line, self._do(order, fds))
        except OSError:
            return False
        return True

    def _do(self, order: dict[str, Any], fds: list[int]) -> dict[str, Any]:
        match order["order"]:
            case "start":
                return self._start(order, fds[0])
            case "exit_code":
                pid = order["pid"]
                return {"known": pid in self._codes, "code": self._codes.get(pid)}
            case "end_tree":
                return self._end_tree(order["pid"])
            case _:
                return {"subreaper": self._is_subreaper}

    def _start(self, order: dict[str, Any], output: int) -> dict[str, Any]:
        try:
            pid = os.fork()
        except OSError as exc:
            os.close(output)
            return {"error": str(exc)}
        if not pid:
            _become(order["argv"], order["env"], output)
        os.close(output)
        # Not buried yet, so it has an age even if it has ended.
        self._ages[pid] = age(pid)
        self._codes[pid] = None
        return {"pid": pid}

    def _bury(self) -> None:
        """Ask all children that have ended; orphans among them are nobody else's."""
        with contextlib.suppress(ChildProcessError):
            while True:
                pid, status = os.waitpid(-1, os.WNOHANG)
                if not pid:
                    return
                if pid in self._codes:
                    code = os.waitstatus_to_exitcode(status)
                    self._codes[pid] = code if code >= 0 else 128 - code


def _become(argv: list[str], env: dict[str, str], output: int) -> NoReturn:
    """In the child: run the program, never return."""
    try:
        os.setsid()
        for number in (*UNTOUCHED, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.umask(UMASK)
        os.chdir("/")
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.execve(argv[0], argv, env)  # noqa: S606 (what it is for)
    except (OSError, ValueError) as exc:
        os.write(2, str(exc).encode("utf-8", "replace"))
    finally:
        os._exit(CANNOT_EXECUTE)


@contextlib.contextmanager
def _children_ended() -> Iterator[socket.socket]:
    """A socket that can be read when a child has ended."""
    bell, rope = socket.socketpair()
    bell.settimeout(0)
    rope.settimeout(0)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(rope.fileno(), warn_on_full_buffer=False)
    try:
        yield bell
    finally:
        signal.set_wakeup_fd(-1)
        bell.close()
        rope.close()


def main(folder: Path) -> None:
    """Serve the attempt in *folder* over standard input."""
    for number in UNTOUCHED:
        signal.signal(number, signal.SIG_IGN)
    line = socket.socket(fileno=os.dup(0))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    keeper = Keeper(line, folder)
    try:
        keeper.serve()
    finally:
        keeper.end()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
