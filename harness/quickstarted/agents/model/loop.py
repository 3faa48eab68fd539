"""The loop of every agent that is a model: ask, carry out what it asks for, until it is done."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar

from tenacity import RetryCallState

from quickstarted.agents.assignment import Assignment, Prompt
from quickstarted.agents.model.calls import Calls
from quickstarted.agents.model.patience import Patience, trouble_of
from quickstarted.agents.model.toolset import TOOLS, carry_out
from quickstarted.agents.model.vendor import (
    ContextFull,
    Conversation,
    Reply,
    ServiceTrouble,
    Stop,
    Vendor,
)
from quickstarted.agents.prompt import prompt_for
from quickstarted.budget import BudgetExceeded
from quickstarted.errors import Interrupted, ModelUnavailable
from quickstarted.events import AgentFinal, AgentTurn, ApiRetry, Usage
from quickstarted.verdict import StopReason

if TYPE_CHECKING:
    from quickstarted.tools import Toolbelt

GO_ON = "Your reply was cut off at the greatest length of a reply. Go on."
AGAIN = "Your call of a tool could not be read. Make it again, as the tools are described."
UNFINISHED = "unfinished"


@dataclass(frozen=True, kw_only=True)
class ModelAgent:
    """Any vendor's model at work; holds nothing of an attempt."""

    name: str
    vendor: Vendor
    patience: Patience = field(default_factory=Patience)
    is_replay: ClassVar[bool] = False

    @property
    def model(self) -> str | None:
        """As it is asked for; what the vendor reports is in each turn."""
        return self.vendor.model

    def lacks(self, assignment: Assignment) -> str | None:
        """Every task has a goal and documentation, which is all that it takes."""
        del assignment
        return None

    def prepare(self) -> None:
        """
        Look for package and key.

        Raises:
            ModelRejected: One is missing.

        """
        self.vendor.prepare()

    def prompt(self, assignment: Assignment) -> Prompt | None:
        """What the model is told."""
        return prompt_for(assignment)

    def run(self, assignment: Assignment, tools: Toolbelt) -> StopReason:
        """
        Converse until the model stops calling tools.

        Raises:
            BudgetExceeded: A limit of the task was reached.
            Interrupted: Somebody asked to stop.
            ModelRejected: The service refuses key, model or quota.
            ModelUnavailable: The service failed, after retries.
            AttemptFault: Sandbox, sidecar or engine failed.

        """
        opening = self.vendor.converse(prompt_for(assignment), TOOLS)
        with Calls(tools.budget, tools.cancelled) as calls:
            conversation = calls.finish(opening.__aenter__())
            try:
                return _Dialogue(conversation, tools, calls, self.patience, self.vendor).run()
            finally:
                calls.finish(opening.__aexit__(None, None, None))


@dataclass
class _Dialogue:
    """One conversation, from its first turn to its last."""

    conversation: Conversation
    tools: Toolbelt
    calls: Calls
    patience: Patience
    vendor: Vendor

    def run(self) -> StopReason:
        while True:
            turn = self.tools.budget.begin_turn()
            try:
                reply = self._ask(turn)
            except ContextFull:
                return StopReason.CONTEXT_FULL
            if reply.stop is Stop.DECLINED:
                self._final(reply)
                return StopReason.DECLINED
            if reply.tool_uses:
                answers = [carry_out(use, self.tools) for use in reply.tool_uses]
                self.conversation.answer(answers)
            elif reply.stop is Stop.CONTEXT_FULL:
                return StopReason.CONTEXT_FULL
            elif reply.stop is Stop.LENGTH:
                self.conversation.say(GO_ON)
            elif reply.stop is Stop.UNREADABLE:
                self.conversation.say(AGAIN)
            elif reply.stop is not Stop.PAUSED:
                self._final(reply)
                return StopReason.COMPLETED

    def _ask(self, turn: int) -> Reply:
        """One turn, with as many calls as it takes; each call that failed is on record."""
        retrying = self.patience.retrying().copy(
            sleep=self._wait, before_sleep=lambda state: self._note_retry(turn, state)
        )
        try:
            return retrying(self._call, turn)
        except ServiceTrouble as trouble:
            raise ModelUnavailable(
                f"the model's service failed, after {_tries(retrying.statistics)}: {trouble}",
                hint="Run it again later: an attempt that ends like this is not counted.",
            ) from trouble

    def _call(self, turn: int) -> Reply:
        began = time.monotonic()
        try:
            reply = self.calls.run(self.conversation.ask())
        except (BudgetExceeded, Interrupted):
            self._turn(turn, began, UNFINISHED, self.conversation.unfinished)
            raise
        self._turn(turn, began, reply.stop_reason, reply.usage, reply)
        return reply

    def _turn(
        self, turn: int, began: float, stop_reason: str, usage: Usage, reply: Reply | None = None
    ) -> None:
        self.tools.budget.spend(usage.total)
        self.tools.write(
            AgentTurn(
                ts=self.tools.now(),
                turn=turn,
                stop_reason=stop_reason,
                model=reply.model if reply else self.vendor.model,
                duration=round(time.monotonic() - began, 3),
                text=(reply.text or None) if reply else None,
                **usage.model_dump(),
            )
        )

    def _note_retry(self, turn: int, state: RetryCallState) -> None:
        trouble, usage = trouble_of(state), self.conversation.unfinished
        self.tools.budget.spend(usage.total)
        self.tools.write(
            ApiRetry(
                ts=self.tools.now(),
                turn=turn,
                attempt=state.attempt_number,
                sleep=round(state.upcoming_sleep, 3),
                error=str(trouble),
                status=trouble.status,
                model=self.vendor.model,
                **usage.model_dump(),
            )
        )

    def _wait(self, seconds: float) -> None:
        began = time.monotonic()
        try:
            self.calls.sleep(seconds)
        finally:
            self.tools.forgive(time.monotonic() - began)

    def _final(self, reply: Reply) -> None:
        if reply.text.strip():
            self.tools.write(AgentFinal(ts=self.tools.now(), text=reply.text))


def _tries(statistics: dict[str, int]) -> str:
    number = statistics["attempt_number"]
    return "1 try" if number == 1 else f"{number} tries"
