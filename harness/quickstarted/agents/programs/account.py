"""Calls of models that a program makes, as the sidecar tells of them: counted, recorded, judged."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from quickstarted.agents.model.answers import may_pass, one_line
from quickstarted.agents.openai.codes import NO_MEANS
from quickstarted.errors import AttemptFault
from quickstarted.events import AgentTurn, ApiRetry, Event
from quickstarted.sandbox.protocol import ModelCall
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt

UNFINISHED = "unfinished"
MAX_FORGIVEN_S = 300.0
"""Of one row of failed calls: who waits for a service pays with its own time after that."""
MAX_REFUSALS = 2
"""In a row, for a reason that does not pass; some programs would go on asking for minutes."""
REFUSALS = frozenset({401, 402, 403})
"""Statuses for which nothing that a program can do helps: key and account are its caller's."""
BUDGETS = {"max_calls": StopReason.MAX_TURNS, "max_tokens": StopReason.MAX_TOKENS}
"""What the sidecar refuses a call for to the budget of the task that is used up."""


class Account:
    """
    Hears of calls on the thread that reads the sidecar's reports.

    A call that failed is held back until it is known what came of it: another call, before which
    the program has waited, or the end.

    Args:
        tools: Of the attempt.
        model: That was asked for; stands in where a reply names none.

    """

    def __init__(self, tools: Toolbelt, model: str) -> None:
        self._tools = tools
        self._model = model
        self._lock = threading.Lock()
        self._failures = 0
        self._refusals = 0
        self._forgiven_s = 0.0
        self._closed = False
        self.failed: ModelCall | None = None
        """The last call, where it failed."""
        self.stop_reason = ""
        """Of the last reply."""
        self.used_up: StopReason | None = None
        """The budget for which a call was refused, or for which there is to be none."""
        self.fault: AttemptFault | None = None
        """What went wrong with the record of a call."""

    @property
    def is_hopeless(self) -> bool:
        """Whether the service, or the sidecar, has refused often enough."""
        return self._refusals >= MAX_REFUSALS

    def hear(self, call: ModelCall) -> None:
        """Take a call that has ended; after `close` it is nobody's."""
        with self._lock:
            if self._closed:
                return
            try:
                self._take(call)
            except AttemptFault as fault:
                # This thread is the sidecar's; the attempt's own looks here all the time.
                self.fault = self.fault or fault

    def close(self, *, was_ended: bool) -> None:
        """
        Nothing counts from now on.

        Args:
            was_ended: Whether the program did not end by itself: then a call that broke off is no
                failure of the service.

        Raises:
            AttemptFault: It cannot be recorded.

        """
        with self._lock:
            self._closed = True
            broken = self.failed
            if was_ended and broken is not None and not _is_answered(broken):
                self.failed = None
                self._write_turn(broken)

    def _take(self, call: ModelCall) -> None:
        if call.refused in BUDGETS:
            self.used_up = BUDGETS[call.refused]
            return
        self._write_retry(before=call.ts)
        if is_failure(call):
            self.failed = call
            self._failures += 1
            is_refusal = bool(call.refused) or call.status in REFUSALS or code_of(call) in NO_MEANS
            self._refusals = self._refusals + 1 if is_refusal else 0
            return
        self._failures, self._refusals, self._forgiven_s = 0, 0, 0.0
        self._write_turn(call)
        self.used_up = self.used_up or self._tools.budget.cost_stop()

    def _write_turn(self, call: ModelCall) -> None:
        budget = self._tools.budget
        turn = budget.count_turn()
        budget.spend(call.usage.total)
        self.stop_reason = call.stop_reason
        self._write(
            AgentTurn(
                ts=call.ts + call.duration,
                turn=turn,
                stop_reason=call.stop_reason or UNFINISHED,
                model=call.model or self._model,
                duration=round(call.duration, 3),
                **call.usage.model_dump(),
            )
        )

    def _write_retry(self, before: float) -> None:
        call, self.failed = self.failed, None
        if call is None:
            return
        self._tools.budget.spend(call.usage.total)
        ended = call.ts + call.duration
        waited_s = max(before - ended, 0.0)
        if not _is_answered(call) or may_pass(call.status or 0):
            forgiven_s = min(waited_s, MAX_FORGIVEN_S - self._forgiven_s)
            self._forgiven_s += forgiven_s
            self._tools.forgive(forgiven_s)
        self._write(
            ApiRetry(
                ts=ended,
                turn=self._tools.budget.turns + 1,
                attempt=self._failures,
                sleep=round(waited_s, 3),
                error=words_of(call),
                status=call.status,
                model=call.model or None,
                **call.usage.model_dump(),
            )
        )

    def _write(self, event: Event) -> None:
        self._tools.write(event)


def is_failure(call: ModelCall) -> bool:
    """Whether a call has come to nothing: refused, an error, or without an end."""
    if call.refused or call.status is None or call.status >= 400:
        return True
    return not call.stop_reason and (bool(call.error) or not call.counted)


def _is_answered(call: ModelCall) -> bool:
    """Whether it ended with what the service had to say of it."""
    return bool(call.refused) or (call.status or 0) >= 400


def code_of(call: ModelCall) -> str:
    """What the vendor calls the error of a call; empty where there is none."""
    return call.error.partition(":")[0]


def words_of(call: ModelCall) -> str:
    """What went wrong with a call, on one line."""
    said = call.error or "the service's answer says nothing"
    return one_line(f"{call.status} {said}" if call.status else said)
