"""`suite.md`: all attempts of a run as tables."""

from __future__ import annotations

from collections.abc import Iterator

from quickstarted.console.lift import lift_sections
from quickstarted.console.markdown import code, table
from quickstarted.console.money import cost_said, source_said, usd
from quickstarted.console.rate_sections import rate_sections
from quickstarted.console.words import UNENFORCED, UNENFORCED_MEANS, count, label, seconds
from quickstarted.results import CellResult, RunResult, Spread, SuiteResult

CELL_HEAD = (
    "task",
    "agent",
    "affordances",
    "arm",
    "attempts",
    "passed",
    "rate",
    "95% interval",
    "no evidence",
    "turns",
    "seconds",
    "pages",
    "failed commands",
    "cost",
    "cost per pass",
)
SHOWN_MISSING = 12
NOTE = (
    "Rates are passes by attempts that gave evidence; turns, seconds, pages and failed commands "
    "are the median and range over those. Cost is that of all attempts, cost per pass the same by "
    "those that passed."
)
RUN_HEAD = (
    "result",
    "task",
    "agent",
    "affordances",
    "arm",
    "n",
    "took",
    "pages",
    "commands",
    "tokens",
    "cost",
    "trace",
)


def suite_markdown(suite: SuiteResult) -> str:
    """The tables of *suite*; rates are over attempts that gave evidence, and say how many did."""
    sections = [
        "# Results",
        *figures(suite),
        "## Attempts",
        table(RUN_HEAD, (list(_run(run)) for run in suite.runs)),
    ]
    return "\n\n".join(sections) + "\n"


def figures(suite: SuiteResult) -> list[str]:
    """The sections that say what all attempts of *suite* together show."""
    return [
        _sentence(suite),
        *_unenforced(suite),
        table(CELL_HEAD, (list(_cell(cell)) for cell in suite.cells)),
        NOTE,
        *_prices(suite),
        *rate_sections(suite),
        *lift_sections(suite.cells),
    ]


def _sentence(suite: SuiteResult) -> str:
    evidence = sum(cell.evidential_runs for cell in suite.cells)
    passes = sum(cell.passes for cell in suite.cells)
    attempts = count(len(suite.runs), "attempt")
    said = f"{attempts}, {evidence:,} gave evidence, {passes:,} passed."
    return f"{said}{_stopped(suite)}{_missing(suite)}"


def _missing(suite: SuiteResult) -> str:
    """What shards that were joined have not made; not what a call that goes on still has to do."""
    if not suite.missing:
        return ""
    shown = [f"{code(one.task)} {one.attempt}" for one in suite.missing[:SHOWN_MISSING]]
    more = len(suite.missing) - len(shown)
    names = ", ".join([*shown, f"and {more:,} more"] if more else shown)
    return f" **{count(len(suite.missing), 'attempt')} missing**: {names}."


def _stopped(suite: SuiteResult) -> str:
    missing = (suite.attempts_planned or 0) - len(suite.runs)
    if suite.stopped is None:
        if missing <= 0 or suite.missing:
            return ""
        # Tables of a call that is killed stay as they were while it went on.
        return f" **{count(missing, 'attempt')} not made yet**: the call goes on, or was killed."
    why = {
        "interrupted": "interrupted",
        "max_spend": f"stopped at `--max-spend` {usd(suite.max_spend_usd or 0.0)}",
        "no_room": "ended for want of disk or memory",
    }[suite.stopped]
    return f" **The call was {why}**; {count(missing, 'attempt')} not begun."


def _prices(suite: SuiteResult) -> Iterator[str]:
    """What costs rest on, and for which models there are none."""
    if suite.prices:
        sources = ", ".join(code(source_said(source)) for source in suite.prices)
        yield f"Costs are estimated, with the prices of {sources}."
    if suite.unpriced_models:
        models = ", ".join(map(code, suite.unpriced_models))
        yield f"**No price** for {models}: what they cost is not known."


def _unenforced(suite: SuiteResult) -> Iterator[str]:
    """A warning, where some attempts were not held to anything."""
    free = [run for run in suite.runs if not run.enforced]
    if free:
        backends = ", ".join(sorted({code(run.backend) for run in free}))
        which = f"{count(len(free), 'attempt')} by backend {backends}"
        yield f"**{UNENFORCED.capitalize()}** in {which}: {UNENFORCED_MEANS}."


def _cell(cell: CellResult) -> Iterator[str]:
    yield code(cell.task)
    yield code(cell.agent)
    yield code(cell.affordance_policy)
    yield code(cell.arm)
    yield f"{cell.attempts:,}"
    yield f"{cell.passes:,} of {cell.evidential_runs:,}"
    yield "none" if cell.pass_rate is None else f"{cell.pass_rate:.0%}"
    yield "none" if cell.interval is None else "{:.0%} to {:.0%}".format(*cell.interval)
    yield _no_evidence(cell)
    effort = cell.effort
    for spread in (effort.turns, effort.seconds, effort.pages, effort.failed_commands):
        yield _spread(spread)
    yield _cost(cell.estimated_cost_usd)
    yield "none" if cell.cost_per_pass_usd is None else usd(cell.cost_per_pass_usd)


def _no_evidence(cell: CellResult) -> str:
    reasons = [f"{number:,} {name}" for name, number in sorted(cell.discarded.items())]
    if cell.skipped:
        reasons.append(f"{cell.skipped:,} skipped")
    return ", ".join(reasons) or "0"


def _spread(spread: Spread | None) -> str:
    if spread is None:
        return "none"
    median = f"{spread.median:,.10g}"
    if spread.low == spread.high:
        return median
    return f"{median} ({spread.low:,.10g} to {spread.high:,.10g})"


def _run(run: RunResult) -> Iterator[str]:
    yield label(run)
    yield code(run.task)
    yield code(run.agent)
    yield code(run.affordance_policy)
    yield code(run.arm)
    yield f"{run.attempt}"
    yield seconds(run.duration_seconds)
    yield f"{run.docs_pages_read:,}"
    yield f"{run.commands:,}"
    yield f"{run.tokens.total:,}"
    yield _cost(run.estimated_cost_usd)
    yield code(run.trace) if run.trace else ""


def _cost(value: float | None) -> str:
    return cost_said(value, ())
