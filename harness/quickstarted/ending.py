"""What an attempt has come to so far, and its last line."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from quickstarted.check import CheckOutcome
from quickstarted.errors import AttemptFault, CheckFault, StorageFault
from quickstarted.events import Event, Fault, RunEnd
from quickstarted.evidence import egress_evidence, missed_offline
from quickstarted.recorder import Recorder
from quickstarted.verdict import (
    INFRA_COMPONENTS,
    CheckEnding,
    Classification,
    Facts,
    StopReason,
    classify,
)

STOPS = {
    "model_access": StopReason.MODEL_REJECTED,
    "model_service": StopReason.MODEL_UNAVAILABLE,
}
"""Why the agent stopped, where that is more than a fault."""

CHECK_HINT = "Correct `success` in the task file; `quickstarted check --show` prints the script."


@dataclass(kw_only=True)
class Ending:
    """Filled by the steps of an attempt; `write` classifies and ends the trace."""

    recorder: Recorder
    is_replay: bool
    started: float
    """Epoch seconds."""
    stop_reason: StopReason = StopReason.FAULT
    fault: AttemptFault | None = None
    """The first one: it names the cause, and those that follow are its echo."""
    check: CheckOutcome | None = None
    waited_s: float = 0.0

    @property
    def infrastructure_failed(self) -> bool:
        """Whether nothing more can be done in the sandbox."""
        component = self.fault.component if self.fault is not None else ""
        return component in INFRA_COMPONENTS and component != "program"

    def note_fault(self, fault: AttemptFault) -> None:
        """Record the fault that ends the attempt."""
        if self.fault is not None:
            return
        self.fault = fault
        self.stop_reason = STOPS.get(fault.component, self.stop_reason)
        self._write_quietly(
            Fault(
                ts=self.recorder.now(),
                component=fault.component,
                error=fault.message,
                hint=fault.hint,
            )
        )

    def note_check(self, check: CheckOutcome) -> None:
        """The success check has run."""
        self.check = check
        if check.why:
            self.note_fault(CheckFault(check.why, hint=CHECK_HINT))

    def write(self, note: Callable[[str], None]) -> None:
        """
        Classify, write the last line, and put the trace in order.

        Args:
            note: Told where every event is on disk, and only their order could not be mended.

        """
        storage = self.recorder.trace.fault
        if storage is not None:
            self.note_fault(storage)
        try:
            self.recorder.write(self._run_end())
        except StorageFault as fault:
            self.note_fault(fault)
            self.recorder.replace_end(self._run_end())
            return
        try:
            self.recorder.trace.finish()
        except StorageFault as fault:
            note(f"{fault}\nThe trace is whole, in the order of writing.")

    def write_broken(self, error: BaseException) -> None:
        """A fault of this program: the trace says so before it is raised further."""
        now = self.recorder.now()
        self._write_quietly(Fault(ts=now, component="harness", error=repr(error)))
        self._write_quietly(
            RunEnd(
                ts=now,
                stop_reason=StopReason.FAULT,
                passed=None,
                classification=Classification.HARNESS_ERROR,
            )
        )
        with suppress(StorageFault, RuntimeError):
            self.recorder.trace.finish()

    def _run_end(self) -> RunEnd:
        evidence = egress_evidence(self.recorder.events, replay=self.is_replay)
        facts = Facts(
            stop_reason=self.stop_reason,
            check=self.check.ending if self.check else CheckEnding.NOT_RUN,
            fault_component=self.fault.component if self.fault else "",
            refused_host=evidence.refused_host,
            upstream_failed=evidence.upstream_failed,
            missed_offline=missed_offline(self.recorder.events),
        )
        now = self.recorder.now()
        return RunEnd(
            ts=now,
            stop_reason=self.stop_reason,
            passed=self.check.passed if self.check else None,
            classification=classify(facts),
            duration=round(now - self.started, 3),
            waited=round(self.waited_s, 3),
        )

    def _write_quietly(self, event: Event) -> None:
        """Where even this cannot be written, the fault that ends the attempt is the louder one."""
        with suppress(StorageFault, RuntimeError):
            self.recorder.write(event)
