"""
One attempt, from nothing to a `RunResult`; `_Attempt.play` is the list of its steps.

An attempt always ends in a trace whose last line is `run_end`, whatever failed; only a fault of
this program itself is raised further, after it has been recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from quickstarted import __version__
from quickstarted.agents.protocol import Outcome
from quickstarted.budget import Budget, BudgetExceeded
from quickstarted.check import CheckOutcome, collect_output, run_check
from quickstarted.docs import DocsClient
from quickstarted.errors import AttemptFault, CheckFault, Interrupted, SetupFault, StorageFault
from quickstarted.events import (
    Event,
    Fault,
    LeftProcesses,
    RunEnd,
    RunStart,
    SandboxReady,
    SandboxSaved,
    Setup,
    SuccessCheck,
    Teardown,
)
from quickstarted.evidence import egress_evidence
from quickstarted.plan import AttemptPlan
from quickstarted.recorder import Observer, Recorder
from quickstarted.results import AttemptDir, RunResult, summarise
from quickstarted.sandbox.protocol import WORKSPACE, Backend, Limits, Sandbox
from quickstarted.services import Services
from quickstarted.tools import Toolbelt
from quickstarted.trace import TraceWriter
from quickstarted.verdict import (
    INFRA_COMPONENTS,
    CheckEnding,
    Classification,
    Facts,
    StopReason,
    classify,
)

KEPT_LIFE_S = 7 * 24 * 3600
"""How long `--keep-sandbox` keeps."""

CHECK_HINT = "Correct `success` in the task file; `quickstarted check --show` prints the script."

WITHOUT_CHECK = frozenset(
    {
        StopReason.INTERRUPTED,
        StopReason.NOTHING_TO_RUN,
        StopReason.DECLINED,
        StopReason.MODEL_REJECTED,
        StopReason.MODEL_UNAVAILABLE,
    }
)
"""Endings that no check could turn into evidence."""


@dataclass(kw_only=True)
class AttemptHooks:
    """How the outside takes part."""

    observer: Observer
    note: Callable[[str], None]
    """Takes lines for the person who waits."""
    cancelled: Callable[[], bool]
    """Whether somebody asked to stop."""


def run_attempt(
    plan: AttemptPlan, backend: Backend, folder: AttemptDir, hooks: AttemptHooks
) -> RunResult:
    """
    Carry out *plan* and leave trace, `run.json` and the outputs of its commands in *folder*.

    Raises:
        StorageFault: The folder cannot be written at all.

    """
    with TraceWriter(folder.trace) as trace:
        recorder = Recorder(trace=trace, observer=hooks.observer)
        attempt = _Attempt(plan, backend, folder, hooks, recorder)
        try:
            attempt.play()
        except BaseException as exc:
            attempt.end_broken(exc)
            raise
    with suppress(StorageFault):
        folder.write_run(plan.record(backend.name, recorder.events))
    return summarise(recorder.events)


class _Attempt:
    """The state of one attempt while it runs."""

    def __init__(
        self,
        plan: AttemptPlan,
        backend: Backend,
        folder: AttemptDir,
        hooks: AttemptHooks,
        recorder: Recorder,
    ) -> None:
        self.plan = plan
        self.task = plan.task
        self.backend = backend
        self.folder = folder
        self.hooks = hooks
        self.recorder = recorder
        self.stop_reason = StopReason.FAULT
        self.fault: AttemptFault | None = None
        self.check: CheckOutcome | None = None
        self.waited_s = 0.0
        self.started = recorder.now()

    def play(self) -> None:
        """Start, work in a sandbox, end."""
        self._start()
        try:
            if self._has_something_to_run():
                spec = self.plan.sandbox_spec(self.folder.record_dir)
                with self.backend.open(spec, self.recorder.write_egress) as sandbox:
                    self._work(sandbox)
        except Interrupted:
            self.stop_reason = StopReason.INTERRUPTED
        except AttemptFault as fault:
            self._note_fault(fault)
        self._end()

    def _work(self, sandbox: Sandbox) -> None:
        """The steps of an attempt in its sandbox."""
        services = Services(
            sandbox=sandbox,
            commands=self.task.services,
            write=self.recorder.write,
            now=self.recorder.now,
        )
        try:
            self._ready(sandbox)
            self._prepare(sandbox)
            services.ensure_running()
            tools = self._act(sandbox)
            if self.stop_reason not in WITHOUT_CHECK:
                self._settle(sandbox, services)
                self._keep(sandbox, tools)
                self._check(sandbox, services, tools)
        except Interrupted:
            self.stop_reason = StopReason.INTERRUPTED
        except AttemptFault as fault:
            self._note_fault(fault)
        self._tear_down(sandbox)

    def _start(self) -> None:
        task, plan = self.task, self.plan
        self.recorder.write(
            RunStart(
                ts=self.started,
                task=task.name,
                agent=plan.agent.name,
                backend=self.backend.name,
                enforced=self.backend.enforced,
                attempt=plan.attempt,
                affordance_policy=plan.affordance_policy,
                run_id=plan.run_id,
                model=plan.agent.model,
                image=plan.image,
                harness_version=__version__,
                tags=list(task.tags),
                metadata=dict(task.metadata),
            )
        )

    def _has_something_to_run(self) -> bool:
        reason = self.plan.agent.lacks(self.plan.assignment)
        if reason is not None:
            self.stop_reason = StopReason.NOTHING_TO_RUN
        return reason is None

    def _ready(self, sandbox: Sandbox) -> None:
        image = sandbox.image
        facts = {
            "ts": self.recorder.now(),
            "image": image.requested,
            "image_id": image.image_id,
            "image_digest": image.digest,
            "stand_in": image.stand_in,
            "architecture": image.architecture,
            "user": image.user,
            "duration": round(self.recorder.now() - self.started, 3),
        }
        self.recorder.write(SandboxReady.model_validate(facts | sandbox.facts))
        self._check_interrupted()

    def _prepare(self, sandbox: Sandbox) -> None:
        if self.task.workspace is not None:
            sandbox.put_tree(self.task.workspace, WORKSPACE)
        for command in self.task.setup:
            result = sandbox.bash(command, self._limits())
            self.recorder.write(
                Setup(
                    ts=self.recorder.now(),
                    command=command,
                    exit_code=result.exit_code,
                    output=result.output,
                    duration=round(result.duration, 3),
                    timed_out=result.timed_out,
                )
            )
            self._check_interrupted()
            if result.exit_code != 0:
                raise SetupFault(
                    f"the setup command `{command}` ended with exit code {result.exit_code}",
                    hint="Correct `setup` in the task file; the trace has the command's output.",
                )
        sandbox.reset_shell()

    def _act(self, sandbox: Sandbox) -> Toolbelt:
        budgets = self.task.budgets
        budget = Budget(
            max_seconds=budgets.max_seconds, max_command_seconds=budgets.max_command_seconds
        )
        with DocsClient(self.plan.docs_rules) as docs:
            tools = Toolbelt(
                sandbox=sandbox,
                docs=docs,
                write=self.recorder.write,
                now=self.recorder.now,
                budget=budget,
                max_output_chars=budgets.max_output_chars,
                cancelled=self.hooks.cancelled,
            )
            outcome = self._agent_outcome(tools)
        sandbox.begin_scope(0)
        self.stop_reason = outcome.stop_reason
        self.waited_s += outcome.waited_s + tools.waited_s
        return tools

    def _agent_outcome(self, tools: Toolbelt) -> Outcome:
        try:
            return self.plan.agent.run(self.plan.assignment, tools)
        except BudgetExceeded as exceeded:
            return Outcome(stop_reason=exceeded.stop_reason)
        except Interrupted:
            return Outcome(stop_reason=StopReason.INTERRUPTED)

    def _settle(self, sandbox: Sandbox, services: Services) -> None:
        """End what the agent left running, files kept, so that the check judges what it built."""
        detail = None
        try:
            left = [process.command for process in sandbox.foreign_processes()]
        except AttemptFault as fault:
            left, detail = [], f"the engine could not list processes: {fault.message}"
        if not left and detail is None:
            return
        keep = self.task.success.leftovers == "keep"
        if not keep:
            sandbox.restart()
            services.note_restart()
        self.recorder.write(
            LeftProcesses(
                ts=self.recorder.now(),
                processes=left,
                action="kept" if keep else "reaped",
                detail=detail,
            )
        )

    def _keep(self, sandbox: Sandbox, tools: Toolbelt) -> None:
        if not self.plan.keep_sandbox:
            return
        saved = sandbox.save(KEPT_LIFE_S)
        self.folder.write_agent_output(collect_output(tools.commands))
        self.recorder.write(
            SandboxSaved(ts=self.recorder.now(), image=saved.image, expires=saved.expires)
        )

    def _check(self, sandbox: Sandbox, services: Services, tools: Toolbelt) -> None:
        services.ensure_running()
        self._check_interrupted()
        self.check = run_check(
            sandbox,
            self.plan.check_plan,
            collect_output(tools.commands),
            cancelled=self.hooks.cancelled,
        )
        self._check_interrupted()
        if self.check.why:
            self._note_fault(CheckFault(self.check.why, hint=CHECK_HINT))
        self.recorder.write(
            SuccessCheck(
                ts=self.recorder.now(),
                exit_code=self.check.exit_code,
                passed=self.check.passed,
                output=self.check.output,
                duration=round(self.check.duration, 3),
                timed_out=self.check.timed_out,
            )
        )

    def _tear_down(self, sandbox: Sandbox) -> None:
        """Run the task's teardown whatever happened, and have the last egress delivered."""
        if self.fault is not None and self.fault.component in INFRA_COMPONENTS:
            return
        try:
            for command in self.task.teardown:
                result = sandbox.run_clean(command, self._limits(cancellable=False))
                self.recorder.write(
                    Teardown(
                        ts=self.recorder.now(),
                        command=command,
                        exit_code=result.exit_code,
                        output=result.output,
                    )
                )
            sandbox.drain_egress()
        except AttemptFault as fault:
            self._note_fault(fault)

    def _note_fault(self, fault: AttemptFault) -> None:
        if self.fault is None:
            self.fault = fault
            self._write_quietly(
                Fault(
                    ts=self.recorder.now(),
                    component=fault.component,
                    error=fault.message,
                    hint=fault.hint,
                )
            )

    def _end(self) -> None:
        """Classify, write the last line, and put the trace in order."""
        storage = self.recorder.trace.fault
        if storage is not None:
            self._note_fault(storage)
        try:
            self.recorder.write(self._run_end())
        except StorageFault as fault:
            self._note_fault(fault)
            self.recorder.replace_end(self._run_end())
            return
        try:
            self.recorder.trace.finish()
        except StorageFault as fault:
            # Every event is on disk and the verdict stands; only their order is that of writing.
            self.hooks.note(f"{fault}\nThe trace is whole, in the order of writing.")

    def _run_end(self) -> RunEnd:
        evidence = egress_evidence(self.recorder.events, replay=self.plan.agent.is_replay)
        facts = Facts(
            stop_reason=self.stop_reason,
            check=self.check.ending if self.check else CheckEnding.NOT_RUN,
            fault_component=self.fault.component if self.fault else "",
            refused_host=evidence.refused_host,
            upstream_failed=evidence.upstream_failed,
        )
        now = self.recorder.now()
        return RunEnd(
            ts=now,
            stop_reason=self.stop_reason,
            passed=self.check.passed if self.check else None,
            classification=classify(facts),
            duration=round(now - self.started, 3),
            waited=round(self.waited_s, 3),
        )

    def end_broken(self, exc: BaseException) -> None:
        """A fault of this program: the trace says so before it is raised further."""
        now = self.recorder.now()
        self._write_quietly(Fault(ts=now, component="harness", error=repr(exc)))
        end = RunEnd(
            ts=now,
            stop_reason=StopReason.FAULT,
            passed=None,
            classification=Classification.HARNESS_ERROR,
        )
        with suppress(StorageFault, RuntimeError):
            self.recorder.write(end)
            self.recorder.trace.finish()

    def _limits(self, *, cancellable: bool = True) -> Limits:
        budgets = self.task.budgets
        return Limits(
            timeout_s=budgets.max_command_seconds,
            max_output_chars=budgets.max_output_chars,
            cancelled=self.hooks.cancelled if cancellable else None,
        )

    def _check_interrupted(self) -> None:
        if self.hooks.cancelled():
            raise Interrupted("interrupted")

    def _write_quietly(self, event: Event) -> None:
        with suppress(StorageFault, RuntimeError):
            self.recorder.write(event)
