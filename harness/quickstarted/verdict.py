"""
What an attempt shows, decided by which component said what and never by reading prose.

`classify` is the table of DESIGN, "The trace and the verdict": its rows are asked in order and the
first that holds is the answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class StopReason(StrEnum):
    """Why the agent's phase, or the attempt, ended."""

    COMPLETED = "completed"
    """The agent said that it was done, or replay came to the end of its commands."""
    COMMAND_FAILED = "command_failed"
    """Replay stopped at the first command that failed."""
    MAX_TURNS = "max_turns"
    MAX_SECONDS = "max_seconds"
    MAX_TOKENS = "max_tokens"
    MAX_COST = "max_cost"
    CONTEXT_FULL = "context_full"
    """The conversation no longer fits into the model's context."""
    DECLINED = "declined"
    """The model refused the task."""
    MODEL_UNAVAILABLE = "model_unavailable"
    """The model's service failed after retries."""
    MODEL_REJECTED = "model_rejected"
    """No key, a wrong key, an unknown model, an exhausted quota."""
    NOTHING_TO_RUN = "nothing_to_run"
    """The task has nothing for this agent, e.g. no `replay` block."""
    FAULT = "fault"
    """A component failed; the `fault` event before `run_end` says which and why."""
    INTERRUPTED = "interrupted"
    MAX_SPEND = "max_spend"
    """What the whole call may cost is used up; this attempt was in the middle of it."""


BUDGET_STOPS = frozenset(
    {
        StopReason.MAX_TURNS,
        StopReason.MAX_SECONDS,
        StopReason.MAX_TOKENS,
        StopReason.MAX_COST,
        StopReason.CONTEXT_FULL,
    }
)


class Classification(StrEnum):
    """Who must act. Only `passed` and `docs_gap` are evidence about the documentation."""

    PASSED = "passed"
    DOCS_GAP = "docs_gap"
    BUDGET_EXHAUSTED = "budget_exhausted"
    AGENT_REFUSAL = "agent_refusal"
    HARNESS_ERROR = "harness_error"
    INFRA_ERROR = "infra_error"
    SKIPPED = "skipped"

    @property
    def evidential(self) -> bool:
        """Whether the attempt counts in a pass rate."""
        return self in EVIDENTIAL


PASSED = Classification.PASSED
DOCS_GAP = Classification.DOCS_GAP
BUDGET_EXHAUSTED = Classification.BUDGET_EXHAUSTED
AGENT_REFUSAL = Classification.AGENT_REFUSAL
HARNESS_ERROR = Classification.HARNESS_ERROR
INFRA_ERROR = Classification.INFRA_ERROR
SKIPPED = Classification.SKIPPED

EVIDENTIAL = frozenset({Classification.PASSED, Classification.DOCS_GAP})

INFRA_COMPONENTS = frozenset(
    {"engine", "sandbox", "sidecar", "event_stream", "storage", "node", "program"}
)
"""Components whose fault is nobody's documentation and nobody's task."""


class CheckEnding(StrEnum):
    """What became of the success check."""

    NOT_RUN = "not_run"
    PASSED = "passed"
    FAILED = "failed"
    BROKEN = "broken"
    """It could not start, or ran out of its time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """All that `classify` may know. Each field is set by the component that it names."""

    stop_reason: StopReason
    check: CheckEnding = CheckEnding.NOT_RUN
    fault_component: str = ""
    """`AttemptFault.component` of the fault that ended the attempt; empty when there was none."""
    refused_host: bool = False
    """In the decisive commands a host was refused as `not_allowlisted` (see `decisive`)."""
    upstream_failed: bool = False
    """There an upstream failed, and no later request to that host went through."""
    missed_offline: bool = False
    """A page was wanted that the call would not fetch and had not kept."""


class Row(NamedTuple):
    """One row of the table."""

    name: str
    holds: Callable[[Facts], bool]
    classification: Classification


TABLE: tuple[Row, ...] = (
    Row("infrastructure", lambda f: f.fault_component in INFRA_COMPONENTS, INFRA_ERROR),
    Row("model service", lambda f: f.stop_reason is StopReason.MODEL_UNAVAILABLE, INFRA_ERROR),
    Row("model access", lambda f: f.stop_reason is StopReason.MODEL_REJECTED, HARNESS_ERROR),
    Row("declined", lambda f: f.stop_reason is StopReason.DECLINED, AGENT_REFUSAL),
    Row("interrupted", lambda f: f.stop_reason is StopReason.INTERRUPTED, SKIPPED),
    Row("max spend", lambda f: f.stop_reason is StopReason.MAX_SPEND, SKIPPED),
    Row("nothing to run", lambda f: f.stop_reason is StopReason.NOTHING_TO_RUN, SKIPPED),
    Row("preparation or check", lambda f: bool(f.fault_component), HARNESS_ERROR),
    Row("check broken", lambda f: f.check is CheckEnding.BROKEN, HARNESS_ERROR),
    Row("passed", lambda f: f.check is CheckEnding.PASSED, PASSED),
    Row("budget", lambda f: f.stop_reason in BUDGET_STOPS, BUDGET_EXHAUSTED),
    Row("refused host", lambda f: f.refused_host, HARNESS_ERROR),
    Row("not kept", lambda f: f.missed_offline, HARNESS_ERROR),
    Row("upstream", lambda f: f.upstream_failed, INFRA_ERROR),
    Row("docs gap", lambda f: f.check is CheckEnding.FAILED, DOCS_GAP),
)


def classify(facts: Facts) -> Classification:
    """
    Apply the table to *facts*.

    Raises:
        ValueError: The facts contradict each other: no fault, and yet no check ran.

    """
    for row in TABLE:
        if row.holds(facts):
            return row.classification
    raise ValueError(f"no fault, and no check ran: {facts}")
