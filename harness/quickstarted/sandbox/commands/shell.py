"""
Commands of the agent and scripts of the harness, from their text to a `CommandResult`.

What a result may say is decided here: a command's own output and exit code when its shell reported
them; 137 when it did away with its shell or with the whole sandbox; 124 or 130 when it was ended;
and a fault, never a result, when engine or sandbox failed.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from pathlib import Path

from quickstarted.events import CommandResult
from quickstarted.sandbox.commands import execs, notes
from quickstarted.sandbox.commands.dialects import agent_call, clean_call
from quickstarted.sandbox.commands.drainer import Drainer
from quickstarted.sandbox.commands.execs import KILLED, Call, Ending, Watch
from quickstarted.sandbox.commands.host import CommandHost, DiskGuard
from quickstarted.sandbox.commands.launch import Launched, launch
from quickstarted.sandbox.commands.logs import LATE_BYTES, BoundedLog
from quickstarted.sandbox.commands.output import OutputKeeper
from quickstarted.sandbox.container.spec import EgressControl
from quickstarted.sandbox.protocol import Limits

TIMED_OUT = 124
INTERRUPTED = 130
CANNOT_RUN = 126
REST_S = 0.5
"""For what is left in the pipe of a command that was ended."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a command ended, apart from what it printed."""

    exit_code: int
    cwd: str = ""
    timed_out: bool = False
    notes: tuple[str, ...] = ()
    restarted: str = ""


class Commands:
    """
    Runs them, one after the other.

    Args:
        host: Where.
        egress: Asked while a command runs whether the sidecar is well.
        drainer: Takes over what background children print later.
        record: Host folder for outputs.

    """

    def __init__(
        self, host: CommandHost, egress: EgressControl, drainer: Drainer, record: Path
    ) -> None:
        self._host = host
        self._egress = egress
        self._drainer = drainer
        self._record = record
        self._numbers = itertools.count(1)
        self._cwd = host.inside.workspace

    def bash(self, command: str, limits: Limits) -> CommandResult:
        """See `protocol.Sandbox.bash`."""
        host = self._host
        call = agent_call(command, host.inside, user=host.agent_user, env=dict(host.env))
        result = self._run(call, limits)
        self._cwd = result.cwd
        return result

    def run_clean(
        self, text: str, limits: Limits, *, user: str, env: dict[str, str]
    ) -> CommandResult:
        """See `protocol.Sandbox.run_clean`."""
        host = self._host
        call = clean_call(text, host.inside, user=user, env=host.env | env)
        return self._run(call, limits)

    def reset(self) -> None:
        """Forget the agent's shell."""
        self._host.forget_shell()
        self._cwd = self._host.inside.workspace

    def _run(self, call: Call, limits: Limits) -> CommandResult:
        began = time.monotonic()
        self._egress.check()
        name = f"command-{next(self._numbers):04d}"
        refusal = notes.why_not_runnable(call.script)
        if refusal:
            return CommandResult(
                exit_code=CANNOT_RUN,
                output=f"{refusal}\n",
                output_bytes=len(refusal) + 1,
                duration=0.0,
                cwd=self._cwd,
                note=refusal,
            )
        disk = self._host.disk_guard()
        with disk:
            watch = Watch(
                deadline=began + limits.timeout_s,
                cancelled=limits.cancelled or (lambda: False),
                over_disk=disk.is_over,
                check=self._egress.check,
            )
            path = self._record / f"{name}.out"
            launched = launch(self._host, call, watch, lambda: self._keeper(path, limits))
        try:
            outcome = self._outcome(launched, limits, disk)
        except BaseException:
            launched.running.stream.close()
            raise
        self._let_go(launched, name)
        self._egress.check()
        return self._result(outcome, launched, time.monotonic() - began)

    def _keeper(self, path: Path, limits: Limits) -> OutputKeeper:
        scrubber = self._host.scrubber.stream()
        return OutputKeeper(path, limits.max_output_chars, scrubber, limits.on_output)

    def _outcome(self, launched: Launched, limits: Limits, disk: DiskGuard) -> Outcome:
        if launched.ending is Ending.MARK:
            return self._reported(launched)
        if launched.ending is Ending.STREAM:
            return self._unreported(launched)
        reason = self._end(launched)
        memory = () if reason else self._memory_note(launched)
        if launched.ending is Ending.CANCELLED:
            return Outcome(
                exit_code=INTERRUPTED, notes=(notes.INTERRUPTED, *memory), restarted=reason
            )
        if launched.ending is Ending.DISK:
            note = notes.over_disk(disk.used_bytes, disk.limit_bytes)
            return Outcome(exit_code=KILLED, notes=(note, *memory), restarted=reason)
        note = notes.timed_out(limits.timeout_s)
        return Outcome(exit_code=TIMED_OUT, timed_out=True, notes=(note, *memory), restarted=reason)

    def _reported(self, launched: Launched) -> Outcome:
        begin, end = launched.running.begin, launched.running.end
        assert begin is not None
        assert end is not None
        if end.flags == "bare":
            self._host.prepare()
        said = [*notes.flagged(end.flags, self._host.inside)]
        if end.oom_kills > begin.oom_kills:
            said.append(self._out_of_memory())
        return Outcome(exit_code=end.exit_code, cwd=end.cwd, notes=tuple(said))

    def _unreported(self, launched: Launched) -> Outcome:
        """The outer shell is gone: the command killed it, or the sandbox is down."""
        host = self._host
        if host.is_alive():
            code = launched.running.exec.exit_code()
            note = notes.NO_PROCESS_LEFT if host.is_full() else notes.SHELL_KILLED
            return Outcome(exit_code=code or KILLED, notes=(note, *self._memory_note(launched)))
        if host.died_of_memory():
            reason = f"{notes.SANDBOX_DIED_MEMORY}: {self._out_of_memory()}"
        else:
            reason = notes.SANDBOX_DIED
        host.restart()
        return Outcome(exit_code=KILLED, restarted=reason)

    def _end(self, launched: Launched) -> str:
        begin = launched.running.begin
        assert begin is not None
        reason = self._host.end_tree(begin)
        execs.read_rest(launched.running, launched.keeper, REST_S)
        return reason

    def _memory_note(self, launched: Launched) -> tuple[str, ...]:
        begin = launched.running.begin
        assert begin is not None
        kills = self._host.oom_kills()
        return (self._out_of_memory(),) if kills > begin.oom_kills else ()

    def _out_of_memory(self) -> str:
        return notes.out_of_memory(self._host.memory_bytes)

    def _let_go(self, launched: Launched, name: str) -> None:
        """Leave the stream of an ended command to the drainer, with what it still prints."""
        running = launched.running
        if launched.ending is not Ending.MARK:
            running.stream.close()
            return
        path = self._record / f"{name}.late"
        log = BoundedLog(path, LATE_BYTES, self._host.scrubber.stream())
        log.write(running.scanner.rest())
        self._drainer.take(running.stream, log.write)

    def _result(self, outcome: Outcome, launched: Launched, duration: float) -> CommandResult:
        printed = launched.keeper.finish()
        return CommandResult(
            exit_code=outcome.exit_code,
            output=printed.text,
            output_bytes=printed.total_bytes,
            truncated=printed.truncated,
            timed_out=outcome.timed_out,
            duration=duration,
            cwd=outcome.cwd or self._cwd,
            full_output_path=printed.full_path,
            note="; ".join(outcome.notes),
            restarted=outcome.restarted or launched.restarted,
        )
