"""From the events of one attempt to its `RunResult`, and nothing but the events."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from quickstarted.errors import TraceInvalid
from quickstarted.events import (
    AgentTurn,
    ApiRetry,
    DocsFetch,
    EgressAllowed,
    EgressBlocked,
    EgressError,
    EventBase,
    Fault,
    RunEnd,
    RunStart,
    SandboxReady,
    SuccessCheck,
    ToolResult,
    Usage,
)
from quickstarted.results.models import CheckResult, FaultResult, RunResult

CHECK_OUTPUT_CHARS = 2000
"""How much of the check's output a results file repeats."""

E = TypeVar("E", bound=EventBase)


def summarise(events: Iterable[EventBase]) -> RunResult:
    """
    Say what an attempt amounts to.

    Args:
        events: All of its events, in any order.

    Raises:
        TraceInvalid: There is no `run_start` or no `run_end`: the attempt is not over.

    """
    known = list(events)
    start, end = _last(known, RunStart), _last(known, RunEnd)
    if start is None or end is None:
        missing = "run_start" if start is None else "run_end"
        raise TraceInvalid(
            f"the trace has no {missing}, so the attempt has no result",
            hint="Its harness was killed, or it is still running.",
        )
    ready = _last(known, SandboxReady)
    turns = _all(known, AgentTurn)
    results = _all(known, ToolResult)
    blocked = _all(known, EgressBlocked)
    pages = pages_read(known)
    return RunResult(
        task=start.task,
        agent=start.agent,
        attempt=start.attempt,
        affordance_policy=start.affordance_policy,
        run_id=start.run_id,
        tags=start.tags,
        metadata=start.metadata,
        classification=end.classification,
        stop_reason=end.stop_reason,
        passed=end.passed,
        success_check=_check(known),
        fault=_fault(known),
        started=start.ts,
        duration_seconds=round(_duration(start, end), 3),
        waited_seconds=round(_waited(known, end), 3),
        turns=len(turns),
        commands=len(results),
        failed_commands=sum(result.exit_code != 0 for result in results),
        tokens=add_usage(turns),
        docs_pages_read=len(pages),
        docs_pages=pages,
        docs_bypass_attempts=sum(_is_bypass(event) for event in blocked),
        egress_allowed=len(_all(known, EgressAllowed)),
        egress_blocked=len(blocked),
        egress_errors=len(_all(known, EgressError)),
        refused_hosts=sorted({e.host for e in blocked if e.reason == "not_allowlisted"}),
        backend=start.backend,
        enforced=start.enforced,
        image=start.image or (ready.image if ready else None),
        image_id=ready.image_id if ready else None,
        image_digest=ready.image_digest if ready else None,
        architecture=ready.architecture if ready else None,
        model=start.model,
        models_reported=sorted({turn.model for turn in turns}),
        harness_version=start.harness_version,
        prompt_hash=start.prompt_hash,
    )


def pages_read(events: Iterable[EventBase]) -> list[str]:
    """Where the pages that were read are, each once, in the order of the first reading."""
    fetched = (event for event in events if isinstance(event, DocsFetch))
    return list(dict.fromkeys(event.resolved_to for event in fetched))


def add_usage(parts: Iterable[AgentTurn | Usage]) -> Usage:
    """The sum of token counts."""
    known = list(parts)
    return Usage(
        input_tokens=sum(part.input_tokens for part in known),
        output_tokens=sum(part.output_tokens for part in known),
        cache_write_tokens=sum(part.cache_write_tokens for part in known),
        cache_read_tokens=sum(part.cache_read_tokens for part in known),
    )


def _is_bypass(event: EgressBlocked) -> bool:
    """A refused name lookup is not an attempt to read (DESIGN, Docker)."""
    return event.reason == "docs_host_requires_read_docs" and event.method != "DNS"


def _check(events: Sequence[EventBase]) -> CheckResult | None:
    check = _last(events, SuccessCheck)
    if check is None:
        return None
    return CheckResult(
        exit_code=check.exit_code,
        passed=check.passed,
        output=check.output[-CHECK_OUTPUT_CHARS:],
        duration_seconds=check.duration,
        timed_out=check.timed_out,
    )


def _fault(events: Sequence[EventBase]) -> FaultResult | None:
    fault = next(iter(_all(events, Fault)), None)
    if fault is None:
        return None
    return FaultResult(component=fault.component, error=fault.error, hint=fault.hint)


def _duration(start: RunStart, end: RunEnd) -> float:
    return end.duration if end.duration is not None else max(0.0, end.ts - start.ts)


def _waited(events: Sequence[EventBase], end: RunEnd) -> float:
    if end.waited is not None:
        return end.waited
    return sum(retry.sleep for retry in _all(events, ApiRetry))


def _all(events: Iterable[EventBase], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def _last(events: Sequence[EventBase], kind: type[E]) -> E | None:
    return next((event for event in reversed(events) if isinstance(event, kind)), None)
