"""
One attempt, from nothing to a `RunResult`; `play` and `_work` are the list of its steps.

An attempt always ends in a trace whose last line is `run_end`, whatever failed; only a fault of
this program itself is raised further, after it has been recorded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Literal

from quickstarted import __version__
from quickstarted.agents.programs.needs import Records
from quickstarted.agents.protocol import SandboxAgent
from quickstarted.budget import Budget, BudgetExceeded
from quickstarted.docs import DocsClient
from quickstarted.docs.giving_up import given_up_when
from quickstarted.ending import Ending
from quickstarted.errors import AttemptFault, Interrupted, SetupFault, StorageFault
from quickstarted.events import Affordances, CommandResult, RunStart, SandboxReady, Setup
from quickstarted.judging import Judge
from quickstarted.plan import AttemptPlan
from quickstarted.prices import Costing, spending_of
from quickstarted.recorder import Observer, Recorder
from quickstarted.results import AttemptDir, RunResult, summarise
from quickstarted.sandbox.protocol import Backend, Limits, Sandbox
from quickstarted.services import Services
from quickstarted.task_secrets import scrubber_for
from quickstarted.tools import Toolbelt
from quickstarted.trace import TraceWriter
from quickstarted.verdict import INFRA_COMPONENTS, StopReason

WITHOUT_CHECK = frozenset(
    {
        StopReason.INTERRUPTED,
        StopReason.MAX_SPEND,
        StopReason.NOTHING_TO_RUN,
        StopReason.DECLINED,
    }
)
"""Endings that no check could turn into evidence."""


BROKEN_BY_SIGNALS = INFRA_COMPONENTS - {"storage"}
SIGNAL_GRACE_S = 0.2

Phase = Literal["opening", "waiting", "working", "judging"]
"""
The sandbox is being made; it waits for its turn to be worked in; the agent works; what it left is
judged.
"""


@dataclass(kw_only=True)
class AttemptHooks:
    """How the outside takes part."""

    observer: Observer
    note: Callable[[str], None]
    """Takes lines for the person who waits."""
    cancelled: Callable[[], bool]
    """Whether somebody asked to stop."""
    phase: Callable[[Phase], None] = lambda _: None
    """Told whenever another phase begins."""
    wait_for_turn: Callable[[], None] = lambda: None
    """Returns when the sandbox that is ready may be worked in, or somebody asked to stop."""
    again: Callable[[], None] = lambda: None
    """Told when all that was made of the attempt is lost, and it starts anew."""


def run_attempt(
    plan: AttemptPlan, backend: Backend, folder: AttemptDir, hooks: AttemptHooks
) -> RunResult:
    """
    Carry out *plan* and leave trace, `run.json` and the outputs of its commands in *folder*.

    Raises:
        StorageFault: The folder cannot be written at all.

    """
    return _recorded(plan, backend, folder, hooks)


def record_unmade(
    plan: AttemptPlan,
    backend: Backend,
    why: AttemptFault | Interrupted,
    folder: AttemptDir,
    hooks: AttemptHooks,
) -> RunResult:
    """
    Leave the trace of an attempt that could not be begun, or of which nothing came back.

    Raises:
        StorageFault: The folder cannot be written at all.

    """
    return _recorded(plan, backend, folder, hooks, why)


def _recorded(
    plan: AttemptPlan,
    backend: Backend,
    folder: AttemptDir,
    hooks: AttemptHooks,
    unmade: AttemptFault | Interrupted | None = None,
) -> RunResult:
    with TraceWriter(folder.trace) as trace:
        recorder = Recorder(trace=trace, observer=hooks.observer)
        attempt = _Attempt(plan, backend, folder, hooks, recorder)
        try:
            attempt.play(unmade)
        except BaseException as exc:
            attempt.ending.write_broken(exc)
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
        self.ending = Ending(
            recorder=recorder, is_replay=plan.agent.is_replay, started=recorder.now()
        )

    def play(self, unmade: AttemptFault | Interrupted | None = None) -> None:
        """Start, work in a sandbox, end; *unmade* says why there is nothing between the two."""
        self._start()
        try:
            if unmade is not None:
                raise unmade
            if self.plan.agent.lacks(self.plan.assignment):
                self.ending.stop_reason = StopReason.NOTHING_TO_RUN
            else:
                self.recorder.scrubber = scrubber_for(self.plan.scrubbed)
                self.plan.check_prices()
                self.plan.agent.prepare()
                self.hooks.phase("opening")
                spec = self.plan.sandbox_spec(self.folder.record_dir)
                with self.backend.open(spec, self.recorder.write_egress) as sandbox:
                    self._work(sandbox)
        except Interrupted:
            self.ending.stop_reason = StopReason.INTERRUPTED
        except AttemptFault as fault:
            self._end_by(fault)
        self.ending.write(self.hooks.note)

    def _work(self, sandbox: Sandbox) -> None:
        """The steps of an attempt in its sandbox."""
        judge = self._judge(sandbox)
        try:
            self._ready(sandbox)
            self._wait_for_turn()
            self._prepare(sandbox)
            judge.services.ensure_running()
            commands = self._act(sandbox)
            if self.plan.contents is not None:
                self.plan.contents.check_sites()
            self.hooks.phase("judging")
            if self.ending.stop_reason not in WITHOUT_CHECK:
                judge.settle()
                judge.keep(commands)
                self._check_interrupted()
                self.ending.note_check(judge.check(commands))
                self._check_interrupted()
        except Interrupted:
            self.ending.stop_reason = StopReason.INTERRUPTED
        except AttemptFault as fault:
            self._end_by(fault)
        if not self.ending.infrastructure_failed:
            judge.tear_down()

    def _end_by(self, fault: AttemptFault) -> None:
        """What breaks because a terminal or a shutdown ends everything is an interruption, too."""
        if fault.component in BROKEN_BY_SIGNALS:
            # Whoever was hit first tells of it before our own handler has run.
            time.sleep(SIGNAL_GRACE_S)
            if self.hooks.cancelled():
                self.ending.stop_reason = StopReason.INTERRUPTED
                return
        self.ending.note_fault(fault)

    def _judge(self, sandbox: Sandbox) -> Judge:
        services = Services(
            sandbox=sandbox,
            commands=self.task.services,
            write=self.recorder.write,
            now=self.recorder.now,
        )
        return Judge(
            plan=self.plan,
            sandbox=sandbox,
            services=services,
            recorder=self.recorder,
            folder=self.folder,
            cancelled=self.hooks.cancelled,
        )

    def _start(self) -> None:
        task, plan = self.task, self.plan
        self.recorder.write(
            RunStart(
                ts=self.ending.started,
                task=task.name,
                agent=plan.agent.name,
                backend=self.backend.name,
                enforced=self.backend.enforced,
                attempt=plan.attempt,
                affordance_policy=plan.condition.affordances,
                arm=plan.condition.arm,
                arm_hash=plan.condition.arm_hash,
                prices=plan.prices_said,
                run_id=plan.run_id,
                model=plan.agent.model,
                image=plan.image,
                harness_version=__version__,
                prompt_hash=plan.prompt_hash,
                tags=list(task.tags),
                metadata=dict(task.metadata),
            )
        )

    def _ready(self, sandbox: Sandbox) -> None:
        image = sandbox.image
        facts = {
            "ts": self.recorder.now(),
            "image": image.requested,
            "image_id": image.image_id,
            "image_digest": image.digest,
            "stand_in": image.stand_in,
            "program": asdict(image.program) if image.program else None,
            "architecture": image.architecture,
            "user": image.user,
            "duration": round(self.recorder.now() - self.ending.started, 3),
        }
        self.recorder.write(SandboxReady.model_validate(facts | sandbox.facts))
        self._check_interrupted()

    def _wait_for_turn(self) -> None:
        """A sandbox is made while others are worked in; waiting for one of them is no work."""
        began = self.recorder.now()
        self.hooks.phase("waiting")
        self.hooks.wait_for_turn()
        self.ending.waited_s += self.recorder.now() - began
        self._check_interrupted()
        self.hooks.phase("working")

    def _prepare(self, sandbox: Sandbox) -> None:
        if self.task.workspace is not None:
            sandbox.put_tree(self.task.workspace, sandbox.workspace)
        if self.plan.contents is not None:
            self.plan.contents.check(self.hooks.note)
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
        if self.plan.arm.folder is not None:
            self.plan.arm.check()
            sandbox.put_tree(self.plan.arm.folder, sandbox.workspace)
        sandbox.reset_shell()

    def _act(self, sandbox: Sandbox) -> list[CommandResult]:
        budgets = self.task.budgets
        with (
            DocsClient(self.plan.docs_rules, self.plan.library) as docs,
            spending_of(self.plan.meter) as spending,
        ):
            self._probe(docs)
            budget = Budget(
                max_seconds=budgets.max_seconds,
                max_command_seconds=budgets.max_command_seconds,
                max_turns=budgets.max_turns,
                max_tokens=budgets.max_tokens,
                max_cost_usd=budgets.max_cost_usd,
                spending=spending,
            )
            costing = Costing(table=self.plan.prices, budget=budget, asked=self.plan.agent.model)
            tools = Toolbelt(
                sandbox=sandbox,
                docs=docs,
                write=costing.sink(self.recorder.write),
                now=self.recorder.now,
                budget=budget,
                max_output_chars=budgets.max_output_chars,
                cancelled=lambda: self._is_over(sandbox),
            )
            try:
                self.ending.stop_reason = self._agent_stop(tools)
            finally:
                self.ending.waited_s += tools.waited_s
        sandbox.begin_scope(0)
        return tools.commands

    def _probe(self, docs: DocsClient) -> None:
        """Record what the documentation has for agents; outside the agent's budget."""
        if not (self.plan.probe_affordances and self.plan.condition.has_docs):
            return
        entrypoint = self.task.route[0]
        probed = given_up_when(self.hooks.cancelled, lambda: docs.probe(entrypoint))
        found = {name: asdict(finding) for name, finding in probed.items()}
        self.recorder.write(Affordances(ts=self.recorder.now(), entrypoint=entrypoint, found=found))
        self._check_interrupted()

    def _is_over(self, sandbox: Sandbox) -> bool:
        """Asked all the time, also while a model is at work: a useless sandbox ends the attempt."""
        sandbox.check()
        return self.hooks.cancelled()

    def _agent_stop(self, tools: Toolbelt) -> StopReason:
        try:
            return self._run_agent(tools)
        except BudgetExceeded as exceeded:
            return exceeded.stop_reason
        except Interrupted:
            return StopReason.INTERRUPTED

    def _run_agent(self, tools: Toolbelt) -> StopReason:
        agent, assignment = self.plan.agent, self.plan.assignment
        if not isinstance(agent, SandboxAgent):
            return agent.run(assignment, tools)
        assert self.plan.resident is not None
        records = Records(folder=self.folder.path, scrubber=self.recorder.scrubber)
        return self.plan.resident.run(assignment, tools, records)

    def _limits(self) -> Limits:
        budgets = self.task.budgets
        return Limits(
            timeout_s=budgets.max_command_seconds,
            max_output_chars=budgets.max_output_chars,
            cancelled=self.hooks.cancelled,
        )

    def _check_interrupted(self) -> None:
        if self.hooks.cancelled():
            raise Interrupted("interrupted")
