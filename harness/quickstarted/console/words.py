"""How figures and endings are said, once for the terminal, Markdown and whatever comes later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from quickstarted.console.money import cost_said
from quickstarted.results import RunResult
from quickstarted.verdict import Classification, StopReason

LABELS = {
    Classification.PASSED: "PASS",
    Classification.DOCS_GAP: "FAIL docs_gap",
    Classification.BUDGET_EXHAUSTED: "BUDGET budget_exhausted",
    Classification.AGENT_REFUSAL: "REFUSAL agent_refusal",
    Classification.HARNESS_ERROR: "ERROR harness_error",
    Classification.INFRA_ERROR: "INFRA infra_error",
    Classification.SKIPPED: "SKIP",
}

MEANINGS = {
    Classification.PASSED: "the documentation led to the outcome that it promises",
    Classification.DOCS_GAP: "the documentation did not lead to the outcome that it promises",
    Classification.BUDGET_EXHAUSTED: "no evidence: a limit of the task was reached first",
    Classification.AGENT_REFUSAL: "no evidence: the model declined the task",
    Classification.HARNESS_ERROR: "no evidence: the task, its policy or its setup is at fault",
    Classification.INFRA_ERROR: "no evidence: something that the attempt stands on failed",
    Classification.SKIPPED: "no evidence: the attempt was not made",
}

WITHOUT_DOCS = {
    Classification.PASSED: "the outcome was reached without documentation",
    Classification.DOCS_GAP: "the outcome was not reached without documentation",
}
"""What evidence means in the arm `no-docs`, where it is not about the documentation."""

UNENFORCED = "nothing enforced"
UNENFORCED_MEANS = (
    "commands ran on this machine, with its network and files; requests were neither held to the"
    " task's policy nor recorded, and documentation could be read around read_docs"
)

STOPS = {
    StopReason.MODEL_UNAVAILABLE: "the model's service failed, after retries",
    StopReason.MODEL_REJECTED: "the model's service refused the key, the model or the quota",
    StopReason.NOTHING_TO_RUN: "the task has nothing for this agent to run",
    StopReason.INTERRUPTED: "somebody asked to stop",
    StopReason.MAX_SPEND: "--max-spend was reached",
    StopReason.MAX_TURNS: "the task's max_turns was reached",
    StopReason.MAX_SECONDS: "the task's max_seconds was reached",
    StopReason.MAX_TOKENS: "the task's max_tokens was reached",
    StopReason.MAX_COST: "the task's max_cost_usd was reached",
    StopReason.CONTEXT_FULL: "the conversation no longer fits into the model's context",
    StopReason.DECLINED: "the model declined the task",
}
"""Why an attempt stopped, where that says more than its classification."""


def why(result: RunResult) -> str:
    """One sentence on what *result* rests on; not yet `visible`."""
    if result.fault is not None:
        return f"{result.fault.component}: {result.fault.error.strip()}"
    if not result.classification.evidential and result.stop_reason in STOPS:
        return STOPS[result.stop_reason]
    if result.classification is Classification.HARNESS_ERROR and result.refused_hosts:
        return "no evidence: a host was refused that the documented commands may need"
    return meaning(result)


def meaning(result: RunResult) -> str:
    """What the classification of *result* says."""
    if not result.condition.has_docs and result.classification in WITHOUT_DOCS:
        return WITHOUT_DOCS[result.classification]
    return MEANINGS[result.classification]


def headline(result: RunResult) -> str:
    """`[PASS] flask (12.3 s, 3 pages, 5 commands)`; not yet `visible`."""
    figures = [
        seconds(result.duration_seconds),
        count(result.docs_pages_read, "page"),
        count(result.commands, "command"),
    ]
    if result.turns:
        figures.append(f"{count(result.turns, 'turn')}, {count(result.tokens.total, 'token')}")
        figures.append(cost_said(result.estimated_cost_usd, result.unpriced_models))
    under = f", {result.condition.label}" if result.condition.label else ""
    return f"[{label(result)}] {result.task}{under} ({', '.join(figures)})"


def label(result: RunResult) -> str:
    """The verdict, and whether anything held the commands to the task's policy."""
    verdict = LABELS[result.classification]
    return verdict if result.enforced else f"{verdict}, {UNENFORCED}"


def seconds(value: float) -> str:
    """`0.4 s`, `12.3 s`, `3 min 20 s`."""
    if value < 100:
        return f"{value:.1f} s"
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest:02d} s"


def endings_said(results: Iterable[RunResult]) -> str:
    """`3 PASS, 1 FAIL docs_gap`: how many ended how, in the order of `LABELS`."""
    endings = Counter(result.classification for result in results)
    return ", ".join(f"{endings[one]} {label}" for one, label in LABELS.items() if endings[one])


def count(number: int, noun: str) -> str:
    """`1 page`, `3 pages`, `12,000 pages`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def size(number: int) -> str:
    """`812 bytes`, `3.4 kB`, `1.2 GB`; decimal units."""
    if number < 1000:
        return count(number, "byte")
    value = float(number)
    for unit in ("kB", "MB", "GB"):
        value /= 1000
        if value < 999.95:
            return f"{value:.1f} {unit}"
    return f"{value / 1000:.1f} TB"


def exit_said(exit_code: int, *, timed_out: bool) -> str:
    """`ok`, `exit 1`, `ran out of time`."""
    if timed_out:
        return "ran out of time"
    return "ok" if exit_code == 0 else f"exit {exit_code}"
