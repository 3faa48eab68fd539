"""
Whether a task's check can tell: it must fail while nobody has done anything, and pass after replay.

Both are real attempts in sandboxes. An attempt that gives no evidence proves nothing, and disproves
nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from quickstarted.agents.idle import IdleAgent
from quickstarted.agents.replay import ReplayAgent
from quickstarted.docs import DocsLibrary
from quickstarted.errors import Interrupted
from quickstarted.events import Event, ToolCall, ToolResult
from quickstarted.plan import AttemptPlan
from quickstarted.results import ResultsDir, RunResult
from quickstarted.run import AttemptHooks, run_attempt
from quickstarted.sandbox.images.standins import DEFAULT_IMAGE
from quickstarted.sandbox.protocol import Backend
from quickstarted.task import Task
from quickstarted.verdict import BUDGET_STOPS, Classification, StopReason


class Standing(StrEnum):
    """What has become of a proof, or of one step of it; in the order of their weight."""

    NOT_PROVED = "not_proved"
    NO_EVIDENCE = "no_evidence"
    PROVED = "proved"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoppedAt:
    """The replayed command that failed."""

    command: str
    exit_code: int
    timed_out: bool
    output: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One attempt, and what it says about the check."""

    name: str
    """`untouched` or `replay`."""
    standing: Standing
    reason: str
    """Why it does not hold, or gives no evidence; empty where it holds."""
    warning: str
    """What the author should mend all the same; empty where there is nothing."""
    stopped_at: StoppedAt | None
    result: RunResult
    folder: Path
    """Where trace and outputs of the attempt are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What is known about the check of one task."""

    task: Task
    steps: tuple[Step, ...] = ()
    no_replay: bool = False
    """Whether the task has no `replay`, so that only the first half could be looked at."""

    @property
    def standing(self) -> Standing:
        """The heaviest of the steps."""
        found = {step.standing for step in self.steps} or {Standing.NO_EVIDENCE}
        return next(standing for standing in Standing if standing in found)


@dataclass(frozen=True, kw_only=True)
class ProvingOptions:
    """What holds for all tasks of one call."""

    run_id: str
    default_image: str = DEFAULT_IMAGE
    extra_ca_files: tuple[Path, ...] = ()
    library: DocsLibrary | None = None
    """What the attempts share of documentation; None shares nothing."""


@dataclass(kw_only=True)
class ProvingHooks:
    """How the outside takes part."""

    started: Callable[[Task, str], None]
    """Called with the name of each step before it begins."""
    finished: Callable[[Step], None]
    """Called when the step's trace is on disk."""
    note: Callable[[str], None]
    cancelled: Callable[[], bool]


def prove(
    task: Task,
    backend: Backend,
    results: ResultsDir,
    options: ProvingOptions,
    hooks: ProvingHooks,
) -> Proof:
    """
    Run *task* twice: untouched, and by replay where it has one.

    The second attempt is not made where the first gives no evidence: it would fail of the same.

    Raises:
        Interrupted: Somebody asked to stop.
        StorageFault: The traces cannot be written.

    """
    prover = _Prover(task=task, backend=backend, results=results, options=options, hooks=hooks)
    untouched = prover.untouched()
    if not task.replay:
        return Proof(task=task, steps=(untouched,), no_replay=True)
    if untouched.standing is Standing.NO_EVIDENCE:
        return Proof(task=task, steps=(untouched,))
    return Proof(task=task, steps=(untouched, prover.replayed()))


@dataclass(kw_only=True)
class _Prover:
    """Makes the two attempts."""

    task: Task
    backend: Backend
    results: ResultsDir
    options: ProvingOptions
    hooks: ProvingHooks
    heard: list[Event] = field(default_factory=list)

    def untouched(self) -> Step:
        """Preparation and services, and then the check: it must fail, and say why."""
        agent = IdleAgent()
        result, folder = self._attempt(agent)
        standing, reason = judge_untouched(result)
        return self._finish(agent.name, standing, reason, (result, folder))

    def replayed(self) -> Step:
        """The documented commands, and then the check: it must pass."""
        agent = ReplayAgent()
        result, folder = self._attempt(agent)
        standing, reason = judge_replay(result)
        return self._finish(agent.name, standing, reason, (result, folder))

    def _attempt(self, agent: IdleAgent | ReplayAgent) -> tuple[RunResult, Path]:
        self.hooks.started(self.task, agent.name)
        self.heard = []
        folder = self.results.attempt(self.task.name, agent.name, 1)
        plan = AttemptPlan(
            task=self.task,
            agent=agent,
            attempt=1,
            run_id=self.options.run_id,
            default_image=self.options.default_image,
            extra_ca_files=self.options.extra_ca_files,
            library=self.options.library,
        )
        hooks = AttemptHooks(
            observer=self.heard.append, note=self.hooks.note, cancelled=self.hooks.cancelled
        )
        result = run_attempt(plan, self.backend, folder, hooks)
        if result.stop_reason is StopReason.INTERRUPTED:
            raise Interrupted("interrupted while a task was proved")
        return result, folder.path

    def _finish(
        self, name: str, standing: Standing, reason: str, attempt: tuple[RunResult, Path]
    ) -> Step:
        result, folder = attempt
        stopped_at = _failed_command(self.heard)
        step = Step(
            name=name,
            standing=standing,
            reason=reason,
            warning=_warning(result, stopped_at) if standing is Standing.PROVED else "",
            stopped_at=stopped_at,
            result=result,
            folder=folder,
        )
        self.hooks.finished(step)
        return step


def judge_untouched(result: RunResult) -> tuple[Standing, str]:
    """What an attempt in which nobody did anything says: where it stands, and why."""
    if result.classification is Classification.PASSED:
        return (
            Standing.NOT_PROVED,
            "the check passes although nothing has been done: it cannot tell",
        )
    if result.classification is Classification.DOCS_GAP:
        return Standing.PROVED, ""
    return Standing.NO_EVIDENCE, _why_no_evidence(result)


def judge_replay(result: RunResult) -> tuple[Standing, str]:
    """What an attempt by replay says: where it stands, and why."""
    if result.classification is Classification.PASSED:
        return Standing.PROVED, ""
    if result.stop_reason in BUDGET_STOPS:
        return (
            Standing.NOT_PROVED,
            f"replay does not end within the task's budgets ({result.stop_reason.value})",
        )
    if result.classification is Classification.DOCS_GAP:
        if result.stop_reason is StopReason.COMMAND_FAILED:
            return Standing.NOT_PROVED, "a command of `replay` fails, and so does the check"
        return Standing.NOT_PROVED, "the check fails although every command of `replay` succeeded"
    return Standing.NO_EVIDENCE, _why_no_evidence(result)


def _why_no_evidence(result: RunResult) -> str:
    kind = result.classification.value
    if result.fault is not None:
        hint = f" {result.fault.hint}" if result.fault.hint else ""
        return f"{kind}: {result.fault.component}: {result.fault.error}{hint}"
    if result.refused_hosts:
        hosts = ", ".join(result.refused_hosts)
        todo = "if the docs ask for it, add it to `network.allow` or `.paths`"
        return f"{kind}: refused: {hosts}; {todo}"
    return f"{kind}: a host that the commands need did not answer"


def _warning(result: RunResult, stopped_at: StoppedAt | None) -> str:
    check = result.success_check
    if stopped_at is not None:
        return (
            "the check passes, but a command of `replay` failed and those after it did not run:"
            f" {stopped_at.command.strip()}"
        )
    if check is None or check.passed or check.output.strip():
        return ""
    return (
        f"the check fails without a word (exit code {check.exit_code}):"
        ' say why with `|| qs_fail "what is wrong"`'
    )


def _failed_command(events: Iterable[Event]) -> StoppedAt | None:
    command = ""
    for event in events:
        if isinstance(event, ToolCall) and event.command is not None:
            command = event.command
        elif isinstance(event, ToolResult) and event.exit_code != 0:
            return StoppedAt(
                command=command,
                exit_code=event.exit_code,
                timed_out=event.timed_out,
                output=event.output,
            )
    return None
