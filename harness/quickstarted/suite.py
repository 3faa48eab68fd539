"""Many attempts: in which order they run, and that each is on disk before the next one starts."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from quickstarted.plan import AttemptPlan
from quickstarted.recorder import Observer
from quickstarted.results import AttemptDir, ResultsDir, RunResult, SuiteResult, suite_result
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


def run_suite(
    plans: Sequence[AttemptPlan], backend: Backend, results: ResultsDir, hooks: SuiteHooks
) -> SuiteResult:
    """
    Run *plans* one after the other; stops before the next one when `hooks.cancelled` is set.

    Raises:
        StorageFault: The results cannot be written.

    """
    done: list[RunResult] = []
    suite = suite_result(done, created=time.time())
    for plan in plans:
        if hooks.cancelled():
            break
        hooks.started(plan)
        folder = results.attempt(plan.task.name, plan.agent.name, plan.attempt, plan.condition)
        attempt_hooks = AttemptHooks(
            observer=hooks.observer, note=hooks.note, cancelled=hooks.cancelled
        )
        result = run_attempt(plan, backend, folder, attempt_hooks)
        done.append(result.model_copy(update={"trace": results.relative(folder.trace)}))
        hooks.finished(folder, done[-1])
        suite = suite_result(done, created=time.time())
        results.write_suite(suite, hooks.tables(suite))
    return suite
