"""After the agent has stopped: what it left is settled and kept, and the check judges it."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from quickstarted.check import CheckOutcome, collect_output, run_check
from quickstarted.errors import EngineFault
from quickstarted.events import CommandResult, LeftProcesses, SandboxSaved, SuccessCheck, Teardown
from quickstarted.plan import AttemptPlan
from quickstarted.recorder import Recorder
from quickstarted.results import AttemptDir
from quickstarted.sandbox.protocol import Limits, Sandbox
from quickstarted.services import Services

TEARDOWN_GRACE_S = 5.0
"""How long teardown goes on once somebody has asked to stop: CI systems give a program little more
before they kill it (GitHub Actions 7.5 s)."""
KEPT_LIFE_S = 7 * 24 * 3600
"""How long `--keep-sandbox` keeps."""


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Judges one attempt in its sandbox; see DESIGN, "The verdict"."""

    plan: AttemptPlan
    sandbox: Sandbox
    services: Services
    recorder: Recorder
    folder: AttemptDir
    cancelled: Callable[[], bool]

    def settle(self) -> None:
        """End what the agent left running, files kept, unless the task wants it kept."""
        left, detail = self._left()
        if not left and detail is None:
            return
        keep = self.plan.task.success.leftovers == "keep"
        if not keep:
            self.sandbox.restart()
            self.services.note_restart()
        self.recorder.write(
            LeftProcesses(
                ts=self.recorder.now(),
                processes=left,
                action="kept" if keep else "reaped",
                detail=detail,
            )
        )

    def keep(self, commands: list[CommandResult]) -> None:
        """Keep the sandbox as an image, with what the check will want to know of *commands*."""
        if not self.plan.keep_sandbox:
            return
        saved = self.sandbox.save(KEPT_LIFE_S)
        self.folder.write_agent_output(collect_output(commands))
        self.recorder.write(
            SandboxSaved(ts=self.recorder.now(), image=saved.image, expires=saved.expires)
        )

    def check(self, commands: list[CommandResult]) -> CheckOutcome:
        """
        Run the success check.

        Raises:
            ServiceFault: A service of the task did not start again.

        """
        self.services.ensure_running()
        outcome = run_check(
            self.sandbox,
            self.plan.check_plan,
            collect_output(commands),
            cancelled=self.cancelled,
        )
        if not self.cancelled():
            self.recorder.write(
                SuccessCheck(
                    ts=self.recorder.now(),
                    exit_code=outcome.exit_code,
                    passed=outcome.passed,
                    output=outcome.output,
                    duration=round(outcome.duration, 3),
                    timed_out=outcome.timed_out,
                )
            )
        return outcome

    def tear_down(self) -> None:
        """
        Run the task's teardown, and have the last egress delivered.

        It cleans up, so a wish to stop does not end it at once.
        """
        budgets = self.plan.task.budgets
        is_over = _a_while_after(self.cancelled, TEARDOWN_GRACE_S)
        limits = Limits(
            timeout_s=budgets.max_command_seconds,
            max_output_chars=budgets.max_output_chars,
            cancelled=is_over,
        )
        for command in self.plan.task.teardown:
            if is_over():
                break
            result = self.sandbox.run_clean(command, limits)
            self.recorder.write(
                Teardown(
                    ts=self.recorder.now(),
                    command=command,
                    exit_code=result.exit_code,
                    output=result.output,
                )
            )
        self.sandbox.drain_egress()

    def _left(self) -> tuple[list[str], str | None]:
        """Command lines of what runs; where the engine cannot say, why: then nothing is sure."""
        try:
            return [process.command for process in self.sandbox.foreign_processes()], None
        except EngineFault as fault:
            return [], f"the engine could not list processes: {fault.message}"


def _a_while_after(cancelled: Callable[[], bool], grace_s: float) -> Callable[[], bool]:
    """True from *grace_s* after the first look at which *cancelled* was true."""
    since: list[float] = []

    def is_over() -> bool:
        if not since and cancelled():
            since.append(time.monotonic())
        return bool(since) and time.monotonic() - since[0] >= grace_s

    return is_over
