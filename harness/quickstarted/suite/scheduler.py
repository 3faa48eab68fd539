"""Many attempts: in which order they run, and that each is on disk before the next one starts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quickstarted.plan import AttemptPlan
from quickstarted.prices import SpendMeter
from quickstarted.recorder import Observer
from quickstarted.results import (
    AttemptDir,
    CallFacts,
    ResultsDir,
    RunResult,
    Stopped,
    SuiteResult,
    suite_result,
)
from quickstarted.run import AttemptHooks, run_attempt
from quickstarted.sandbox.protocol import Backend


@dataclass(kw_only=True)
class SuiteHooks:
    """How the outside takes part."""

    started: Callable[[AttemptPlan], None]
    observer: Observer
    finished: Callable[[AttemptDir, RunResult], None]
    """Called when the attempt's trace is on disk; writes what is made from it."""
    tables: Callable[[SuiteResult], str]
    """The text of `suite.md`."""
    note: Callable[[str], None]
    """Takes lines for the person who waits."""
    cancelled: Callable[[], bool]
    """Whether somebody asked to stop."""
    meter: SpendMeter | None = None
    """What the call may spend; None is no limit."""


def run_suite(
    plans: Sequence[AttemptPlan], backend: Backend, results: ResultsDir, hooks: SuiteHooks
) -> SuiteResult:
    """
    Run *plans* one after the other.

    Stops before the next one when `hooks.cancelled` is set, or when there is no room for it in what
    the call may spend; the results say so then.

    Raises:
        StorageFault: The results cannot be written.

    """
    call = _Call(results, hooks, planned=len(plans))
    for plan in plans:
        if hooks.cancelled() or not (hooks.meter is None or hooks.meter.may_begin()):
            break
        hooks.started(plan)
        folder = results.attempt(plan.task.name, plan.agent.name, plan.attempt, plan.condition)
        attempt_hooks = AttemptHooks(
            observer=hooks.observer, note=hooks.note, cancelled=hooks.cancelled
        )
        result = run_attempt(plan, backend, folder, attempt_hooks)
        call.done.append(result.model_copy(update={"trace": results.relative(folder.trace)}))
        hooks.finished(folder, call.done[-1])
        call.write(stopped=None)
    if (stopped := _stopped(hooks)) and call.done:
        call.write(stopped)
    return call.suite(stopped)


class _Call:
    """The attempts of a call that are made."""

    def __init__(self, results: ResultsDir, hooks: SuiteHooks, planned: int) -> None:
        self._results = results
        self._hooks = hooks
        self._planned = planned
        self.done: list[RunResult] = []

    def suite(self, stopped: Stopped | None) -> SuiteResult:
        meter = self._hooks.meter
        facts = CallFacts(
            planned=self._planned,
            stopped=stopped,
            max_spend_usd=meter.limit_usd if meter else None,
        )
        return suite_result(self.done, created=time.time(), call=facts)

    def write(self, stopped: Stopped | None) -> None:
        suite = self.suite(stopped)
        self._results.write_suite(suite, self._hooks.tables(suite))


def _stopped(hooks: SuiteHooks) -> Stopped | None:
    if hooks.cancelled():
        return "interrupted"
    return "max_spend" if hooks.meter is not None and hooks.meter.reached else None
