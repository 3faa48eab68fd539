"""From the events of one attempt to its `RunResult`, and nothing but the events."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TypeVar

from quickstarted.errors import TraceInvalid
from quickstarted.events import (
    Affordances,
    AgentTurn,
    ApiRetry,
    DocsFetch,
    EgressBlocked,
    EventBase,
    Fault,
    RunEnd,
    RunStart,
    SandboxReady,
    SuccessCheck,
    ToolCall,
    ToolResult,
    Usage,
)
from quickstarted.local_docs import LocalDocs
from quickstarted.results.costs import Costs, add_usage
from quickstarted.results.models import (
    CheckResult,
    FaultResult,
    LocalDocResult,
    PriceSource,
    RunResult,
)

E = TypeVar("E", bound=EventBase)

REPLAY = "replay"
CHECK_OUTPUT_CHARS = 2000
"""How much of the check's output a results file repeats."""


def summarise(events: Iterable[EventBase]) -> RunResult:
    """
    Say what an attempt amounts to.

    Args:
        events: All of its events, in any order.

    Raises:
        TraceInvalid: There is no `run_start` or no `run_end`: the attempt is not over.

    """
    summary = Summary()
    for event in events:
        summary.add(event)
    return summary.result()


class Summary:
    """The same, event by event, in memory that does not grow with what commands printed."""

    def __init__(self) -> None:
        self._last: dict[type[EventBase], EventBase] = {}
        self._counts: Counter[str] = Counter()
        self._tokens = Usage()
        self._costs = Costs()
        self._slept = 0.0
        self._pages: dict[str, None] = {}
        self._refused: set[str] = set()
        self._models: set[str] = set()
        self._call: ToolCall | None = None
        self._local_docs = LocalDocs()

    def add(self, event: EventBase) -> None:
        """Take one event of the attempt."""
        self._counts[getattr(event, "type", "")] += 1
        match event:
            case RunStart() | SandboxReady() | SuccessCheck() | RunEnd() | Affordances():
                self._last[type(event)] = event
            case Fault():
                self._last.setdefault(Fault, event)
            case AgentTurn():
                self._models.add(event.model)
                self._count(event)
            case ApiRetry():
                self._slept += event.sleep
                self._count(event)
            case ToolCall(command=str()):
                self._call = event
            case ToolResult():
                self._counts["failed_commands"] += event.exit_code != 0
                self._look_for_local_docs(event)
            case DocsFetch():
                self._pages.setdefault(event.resolved_to)
            case EgressBlocked():
                self._refuse(event)
            case _:
                pass

    @property
    def is_over(self) -> bool:
        """Whether there is a result."""
        return RunStart in self._last and RunEnd in self._last

    def result(self) -> RunResult:
        """
        What the attempt amounts to.

        Raises:
            TraceInvalid: It is not over.

        """
        start, end, ready = self._get(RunStart), self._get(RunEnd), self._get(SandboxReady)
        if start is None or end is None:
            missing = "run_start" if start is None else "run_end"
            raise TraceInvalid(
                f"the trace has no {missing}, so the attempt has no result",
                hint="Its harness was killed, or it is still running.",
            )
        counts = self._counts
        return RunResult(
            task=start.task,
            agent=start.agent,
            attempt=start.attempt,
            affordance_policy=start.affordance_policy,
            arm=start.arm,
            arm_hash=start.arm_hash,
            run_id=start.run_id,
            tags=start.tags,
            metadata=start.metadata,
            classification=end.classification,
            stop_reason=end.stop_reason,
            passed=end.passed,
            success_check=_check_result(self._get(SuccessCheck)),
            fault=_fault_result(self._get(Fault)),
            started=start.ts,
            duration_seconds=round(_duration(start, end), 3),
            waited_seconds=round(self._slept if end.waited is None else end.waited, 3),
            turns=counts["agent_turn"],
            commands=counts["tool_result"],
            failed_commands=counts["failed_commands"],
            tokens=self._tokens,
            estimated_cost_usd=self._costs.usd,
            unpriced_models=self._costs.unpriced,
            prices=PriceSource.model_validate(start.prices) if start.prices else None,
            docs_pages_read=len(self._pages),
            docs_pages=list(self._pages),
            affordances_withheld=counts["affordance_withheld"],
            affordances_found=_found(self._get(Affordances)),
            local_docs_read=self._local_docs_read(start),
            docs_bypass_attempts=counts["bypass_attempts"],
            egress_allowed=counts["egress_allowed"],
            egress_blocked=counts["egress_blocked"],
            egress_errors=counts["egress_error"],
            refused_hosts=sorted(self._refused),
            backend=start.backend,
            enforced=start.enforced,
            image=start.image or (ready.image if ready else None),
            image_id=ready.image_id if ready else None,
            image_digest=ready.image_digest if ready else None,
            stand_in=ready.stand_in if ready else None,
            architecture=ready.architecture if ready else None,
            model=start.model,
            models_reported=sorted(self._models),
            harness_version=start.harness_version,
            prompt_hash=start.prompt_hash,
        )

    def _get(self, kind: type[E]) -> E | None:
        event = self._last.get(kind)
        return event if isinstance(event, kind) else None

    def _count(self, event: AgentTurn | ApiRetry) -> None:
        self._tokens = add_usage([self._tokens, event])
        self._costs.add(event)

    def _look_for_local_docs(self, result: ToolResult) -> None:
        call, self._call = self._call, None
        if call is not None and call.command is not None:
            self._local_docs.add(call.command, output=result.output, cwd=result.cwd)

    def _local_docs_read(self, start: RunStart) -> list[LocalDocResult]:
        """A replay runs what the pages say, and reads nothing."""
        if start.agent == REPLAY:
            return []
        return [
            LocalDocResult(kind=one.kind, what=one.what, command=one.command)
            for one in self._local_docs.readings
        ]

    def _refuse(self, event: EgressBlocked) -> None:
        if event.reason == "not_allowlisted":
            self._refused.add(event.host)
        elif event.method != "DNS":
            # A refused name lookup is not an attempt to read (DESIGN, Docker).
            self._counts["bypass_attempts"] += 1


def _check_result(check: SuccessCheck | None) -> CheckResult | None:
    if check is None:
        return None
    return CheckResult(
        exit_code=check.exit_code,
        passed=check.passed,
        output=check.output[-CHECK_OUTPUT_CHARS:],
        duration_seconds=check.duration,
        timed_out=check.timed_out,
    )


def _found(probed: Affordances | None) -> list[str] | None:
    if probed is None:
        return None
    return [
        name
        for name, what in probed.found.items()
        if (what.get("present") if isinstance(what, dict) else what)
    ]


def _fault_result(fault: Fault | None) -> FaultResult | None:
    if fault is None:
        return None
    return FaultResult(component=fault.component, error=fault.error, hint=fault.hint)


def _duration(start: RunStart, end: RunEnd) -> float:
    return end.duration if end.duration is not None else max(0.0, end.ts - start.ts)
