"""
Getting a command to begin, whatever earlier ones have done to the sandbox.

Until its outer shell has reported, a command has had no effect, so it can be started again: after
a pause, or after a restart when the sandbox has died or has no process left to give. The engine's
words about a failed start end in a fault and nowhere else.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from quickstarted.errors import SandboxFault
from quickstarted.sandbox.commands import execs, notes
from quickstarted.sandbox.commands.execs import Call, Ending, Running, Watch
from quickstarted.sandbox.commands.host import CommandHost
from quickstarted.sandbox.commands.output import OutputKeeper

ATTEMPTS = 3
PAUSE_S = 0.3
SLOW_BEGIN_S = 10.0
"""For the outer shell of a command whose time is already over."""


@dataclass(frozen=True, kw_only=True)
class Launched:
    """A command that began, and how reading it ended."""

    running: Running
    keeper: OutputKeeper
    ending: Ending
    restarted: str
    """Why the sandbox was restarted before the command; empty when it was not."""


def launch(
    host: CommandHost, call: Call, watch: Watch, new_keeper: Callable[[], OutputKeeper]
) -> Launched:
    """
    Start *call* and read it to its end.

    Raises:
        SandboxFault: It does not begin.
        EngineFault: The engine is not there.
        SidecarFault, EventStreamFault: From `watch.check`.

    """
    restarted = words = ""
    for _ in range(ATTEMPTS):
        keeper = new_keeper()
        try:
            running = execs.start(host, call)
        except SandboxFault as fault:
            words = fault.message
        else:
            with ExitStack() as on_fault:
                on_fault.callback(running.stream.close)
                on_fault.callback(keeper.finish)
                ending = _follow_begun(running, keeper, watch)
                on_fault.pop_all()
            if running.begin is not None:
                return Launched(running=running, keeper=keeper, ending=ending, restarted=restarted)
            running.stream.close()
            words = keeper.finish().text
        restarted = _make_room(host) or restarted
    raise SandboxFault(f"the sandbox does not start commands any more: {words.strip()}")


def _follow_begun(running: Running, keeper: OutputKeeper, watch: Watch) -> Ending:
    try:
        ending = execs.follow(running, keeper, watch)
        if ending is not Ending.STREAM:
            execs.await_begin(running, keeper.write, SLOW_BEGIN_S)
    except BaseException:
        running.stream.close()
        raise
    return ending


def _make_room(host: CommandHost) -> str:
    """Restart where that helps; returns why, empty when it was not done."""
    if not host.is_alive():
        reason = notes.DIED_BETWEEN
    elif host.is_full():
        reason = notes.PROCESSES_USED_UP
    else:
        time.sleep(PAUSE_S)
        return ""
    host.restart()
    return reason
