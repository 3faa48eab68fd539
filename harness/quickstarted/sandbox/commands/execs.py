"""
One exec, from its start to its last byte, under a deadline.

Reading is done by the calling thread. The exec has ended when its outer shell's mark says so, not
when its pipe is closed: a background child may hold that for hours.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.commands.host import CommandHost, Exec, Stream
from quickstarted.sandbox.commands.markers import Begin, End, MarkScanner
from quickstarted.sandbox.commands.output import OutputKeeper
from quickstarted.sandbox.commands.scripts import script_in

PIECE_BYTES = 100_000
"""Of a script in one variable; Linux refuses a single string of 128 KiB (execve(2))."""
LONGEST_SCRIPT_BYTES = 1024**2
"""Linux gives arguments and environment together a quarter of the stack limit, 2 MiB as a rule."""
TICK_S = 0.1
KILLED = 137
STALE_S = 2.0
"""Silence after which it is asked whether the exec still runs."""


class ExecRefused(SandboxFault):
    """The exec was not started, although the place is there."""


class Ending(StrEnum):
    """Why reading stopped."""

    MARK = "mark"
    """The outer shell said how the command ended."""
    STREAM = "stream"
    """The connection ended without that."""
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    DISK = "disk"


@dataclass(frozen=True, kw_only=True)
class Call:
    """One script to run."""

    script: str
    user: str
    shell: str
    """The inner shell's path; bash is known by its name."""
    outer_shell: str
    text: str
    """What the inner shell gets as `-c`."""
    enter: str
    """Program that puts the script together; see `scripts/assemble.*`."""
    cwd_file: str = ""
    """File in the sandbox that names the working directory; empty: the workspace."""
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Watch:
    """What ends the reading early, apart from the mark."""

    deadline: float
    """On the monotonic clock."""
    cancelled: Callable[[], bool]
    over_disk: Callable[[], bool]
    check: Callable[[], None]
    """Asked all the time; raises what ends the attempt."""


@dataclass(kw_only=True)
class Running:
    """A started exec."""

    exec: Exec
    scanner: MarkScanner

    @property
    def stream(self) -> Stream:
        """What it prints."""
        return self.exec.stream

    @property
    def begin(self) -> Begin | None:
        """Set once the outer shell runs."""
        return self.scanner.begin

    @property
    def end(self) -> End | None:
        """Set once the inner shell has ended."""
        return self.scanner.end


def pieces(text: str) -> Iterator[str]:
    """Cut *text* into strings of at most `PIECE_BYTES` bytes, between characters."""
    data = text.encode("utf-8", "replace")
    at = 0
    while at < len(data):
        end = min(at + PIECE_BYTES, len(data))
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end -= 1
        yield data[at:end].decode("utf-8")
        at = end


def start(host: CommandHost, call: Call) -> Running:
    """
    Start the exec of *call*.

    Raises:
        ExecRefused: It could not be started.
        SandboxFault: The place is gone.
        EngineFault: The engine is not there.

    """
    nonce = secrets.token_hex(16)
    variables = {
        **call.env,
        "_QS_RUN": script_in("run.sh", host.inside),
        "_QS_NONCE": nonce,
        "_QS_SHELL": call.shell,
        "_QS_TEXT": call.text,
        "_QS_CWD": call.cwd_file,
        "_QS_ENTER": call.enter,
    }
    parts = list(pieces(call.script))
    variables |= {f"_QS_{number}": part for number, part in enumerate(parts, 1)}
    variables["_QS_COUNT"] = str(len(parts))
    argv = [call.outer_shell, "-c", 'eval "$_QS_RUN"']
    started = host.start_exec(argv, variables, call.user)
    return Running(exec=started, scanner=MarkScanner(nonce))


def follow(running: Running, keeper: OutputKeeper, watch: Watch) -> Ending:
    """
    Read until the exec ends or *watch* says so.

    Raises:
        EngineFault: The engine is not there.
        SidecarFault, EventStreamFault: From `watch.check`.

    """
    quiet_since = next_tick = time.monotonic()
    while True:
        now = time.monotonic()
        if now >= min(next_tick, watch.deadline):
            early = _early(watch, now)
            if early is not None:
                return early
            next_tick = now + TICK_S
        data = running.stream.read(min(TICK_S, max(watch.deadline - now, 0.0)))
        if data is None:
            if now - quiet_since > STALE_S:
                if running.exec.exit_code() is not None:
                    return Ending.STREAM
                quiet_since = now
            continue
        quiet_since = now
        if not data:
            keeper.write(running.scanner.rest())
            return Ending.STREAM
        keeper.write(running.scanner.feed(data))
        if running.end is not None:
            return Ending.MARK


def await_begin(running: Running, sink: Callable[[bytes], None], limit_s: float) -> bool:
    """Read until the outer shell runs; False when the stream or the time ends first."""
    deadline = time.monotonic() + limit_s
    while running.begin is None:
        data = running.stream.read(max(deadline - time.monotonic(), 0))
        if not data:
            return False
        sink(running.scanner.feed(data))
    return True


def read_rest(running: Running, keeper: OutputKeeper, limit_s: float) -> None:
    """Take what is left in the pipe of a command whose processes are dead."""
    deadline = time.monotonic() + limit_s
    while data := running.stream.read(max(deadline - time.monotonic(), 0)):
        keeper.write(running.scanner.feed(data))
        if time.monotonic() > deadline:
            break
    keeper.write(running.scanner.rest())


def _early(watch: Watch, now: float) -> Ending | None:
    watch.check()
    if watch.cancelled():
        return Ending.CANCELLED
    if now >= watch.deadline:
        return Ending.TIMEOUT
    return Ending.DISK if watch.over_disk() else None
