"""What two runs differ in that is no reason not to compare them, and that a reader must know."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from quickstarted.results import RunResult, SuiteResult

MINOR: tuple[tuple[str, Callable[[RunResult], str | None]], ...] = (
    ("version of quickstarted", lambda run: run.harness_version),
    ("architecture", lambda run: run.architecture),
    ("backend", lambda run: run.backend),
)
SIDES = ("before", "after")


def notes(before: SuiteResult, after: SuiteResult) -> Iterator[str]:
    """One sentence each."""
    for name, value_of in MINOR:
        values = [sorted({value_of(run) or "unknown" for run in s.runs}) for s in (before, after)]
        if values[0] != values[1]:
            sides = ", ".join(
                f"{' and '.join(side) or 'none'} {when}"
                for side, when in zip(values, SIDES, strict=True)
            )
            yield f"the {name} differs: {sides}"
    for suite, when in ((before, "before"), (after, "after")):
        if suite.stopped is not None:
            missing = (suite.attempts_planned or len(suite.runs)) - len(suite.runs)
            yield f"the run {when} was stopped ({suite.stopped}) with {missing} attempts not made"
        if suite.gate is not None and suite.gate.auto is not None:
            yield (
                f"the attempts {when} were repeated until decided (--repeat auto): their rates lean"
                " away from the wanted one, and p-values do not allow for that"
            )
