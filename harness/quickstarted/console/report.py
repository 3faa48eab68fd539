"""`report.md` of one attempt: the same story that `show` tells, to be read where Markdown is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime

from quickstarted.condition import DOCS
from quickstarted.console.closing import Highlights
from quickstarted.console.entries import Entry
from quickstarted.console.local_docs import KINDS, LOCAL_DOCS
from quickstarted.console.markdown import code, details, fenced, table
from quickstarted.console.money import source_said, usd
from quickstarted.console.narrate import Narrator
from quickstarted.console.text import lines_of, visible
from quickstarted.console.words import UNENFORCED, UNENFORCED_MEANS, count, label, meaning, seconds
from quickstarted.events import AgentFinal, EventBase, SuccessCheck
from quickstarted.results import RunResult, Summary
from quickstarted.verdict import Classification

FOLDED_LINES = 6
"""Outputs longer than this are folded away."""


def report_markdown(events: Iterable[EventBase], trace_name: str = "trace.jsonl") -> str:
    """
    Tell one attempt.

    Args:
        events: All of its events, in order.
        trace_name: The trace, as the commands that show more should name it.

    Raises:
        TraceInvalid: The attempt is not over.

    """
    summary, highlights, narrator = Summary(), Highlights(), Narrator(verbose=True)
    story: list[str] = []
    check: SuccessCheck | None = None
    account = ""
    for event in events:
        summary.add(event)
        highlights.add(event)
        check = event if isinstance(event, SuccessCheck) else check
        account = event.text if isinstance(event, AgentFinal) else account
        said = narrator.hear(event)
        if not isinstance(event, AgentFinal):
            story.extend(_step(entry) for entry in said)
    result = summary.result()
    sections = [
        f"# {code(result.task)}: {label(result)}",
        f"{meaning(result).capitalize()}.",
        "" if result.enforced else f"**{UNENFORCED.capitalize()}**: {UNENFORCED_MEANS}.",
        table(["", ""], _facts(result)),
        *_looks(result, highlights, trace_name),
        *_check(check),
        *_account(account),
        *_local_docs(result),
        "## What happened",
        *story,
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _facts(result: RunResult) -> Iterator[tuple[str, str]]:
    started = datetime.fromtimestamp(result.started, tz=UTC)
    yield "agent", code(result.agent)
    if result.models_reported:
        yield "model", ", ".join(code(model) for model in result.models_reported)
    arm = "" if result.arm == DOCS else f", arm {code(result.arm)}"
    yield "attempt", f"{result.attempt}, affordances {code(result.affordance_policy)}{arm}"
    yield "stopped as", code(result.stop_reason)
    yield "backend", f"{code(result.backend)}, {_enforced(result)}"
    for name, value in (
        ("image", result.image),
        ("image id", result.image_id),
        ("stand-in", result.stand_in),
        ("image digest", result.image_digest),
        ("architecture", result.architecture),
    ):
        if value:
            yield name, code(value)
    yield "started", started.strftime("%Y-%m-%d %H:%M:%S UTC")
    waited = f", of it {seconds(result.waited_seconds)} waiting" if result.waited_seconds else ""
    yield "took", seconds(result.duration_seconds) + waited
    yield "pages read", f"{result.docs_pages_read:,}"
    if result.affordances_withheld:
        yield "withheld", f"{count(result.affordances_withheld, 'read')} of affordances"
    if result.affordances_found is not None:
        yield "for agents", ", ".join(map(code, result.affordances_found)) or "nothing"
    yield "commands", f"{result.commands:,}, of them {result.failed_commands:,} failed"
    if result.turns:
        yield "model calls", f"{result.turns:,}, {count(result.tokens.total, 'token')}"
        yield "cost", _cost(result)
    traffic = f"{result.egress_allowed:,} allowed, {result.egress_blocked:,} refused"
    yield "requests", traffic if result.enforced else "not on record"


def _cost(result: RunResult) -> str:
    if result.estimated_cost_usd is None:
        return f"not known: no price for {', '.join(map(code, result.unpriced_models))}"
    source = f", with the prices of {code(source_said(result.prices))}" if result.prices else ""
    return f"{usd(result.estimated_cost_usd)}, estimated{source}"


def _enforced(result: RunResult) -> str:
    return "allowlist enforced" if result.enforced else f"**{UNENFORCED}**"


def _looks(result: RunResult, highlights: Highlights, trace_name: str) -> list[str]:
    if result.classification is Classification.PASSED:
        return []
    looks = highlights.lines(result, trace_name)[1:]
    return ["## What to look at", fenced(line.strip() for line in looks)]


def _check(check: SuccessCheck | None) -> list[str]:
    if check is None:
        return ["## The success check", "It did not run."]
    said = "passed" if check.passed else "failed"
    text = f"It {said} with exit code {check.exit_code}."
    lines = lines_of(check.output)
    return ["## The success check", text, _output(lines) if lines else "It printed nothing."]


def _account(text: str) -> list[str]:
    if not text:
        return []
    intro = "Recorded, and never scored."
    return ["## The agent's own account", intro, fenced(lines_of(text))]


def _local_docs(result: RunResult) -> list[str]:
    if not result.local_docs_read:
        return []
    rows = [(KINDS[one.kind], code(one.what)) for one in result.local_docs_read]
    return ["## Local documentation that was read", LOCAL_DOCS, table(["", "what"], rows)]


def _step(entry: Entry) -> str:
    lines = [visible(line) for line in entry.text.split("\n")]
    said = f": {code(entry.said)}" if entry.said else ""
    if entry.at_s is None:
        return f"- {entry.label} {' '.join(map(code, lines))}{said}".replace("-  ", "- ")
    if entry.label == "$":
        head = f"**{entry.at_s:.1f} s command**{said}\n\n{fenced(lines, 'sh')}"
    else:
        head = f"**{entry.at_s:.1f} s {entry.label}** {' '.join(map(code, lines))}{said}"
    return f"{head}\n\n{_output(list(entry.output))}" if entry.output else head


def _output(lines: list[str]) -> str:
    block = fenced(lines)
    if len(lines) <= FOLDED_LINES:
        return block
    return details(count(len(lines), "line") + " of output", block)
