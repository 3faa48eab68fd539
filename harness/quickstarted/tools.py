"""
The agent's only doors: a shell in the sandbox, and the reading of documentation.

Every use is on record before it happens and after it has; results are objects, never prose to be
parsed back.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field

from quickstarted.budget import Budget, BudgetExceeded
from quickstarted.docs import Blocked, DocsClient, Failed, Page, Reading, Withheld
from quickstarted.errors import Interrupted
from quickstarted.events import (
    AffordanceWithheld,
    CommandResult,
    DocsChanged,
    DocsFetch,
    DocsRedirectFollowed,
    Event,
    FetchBlocked,
    FetchError,
    SandboxRestarted,
    ToolCall,
    ToolResult,
)
from quickstarted.sandbox.protocol import Limits, Sandbox
from quickstarted.verdict import StopReason

EventSink = Callable[[Event], None]

LONGEST_TOOL_NAME = 200
"""Characters of a name that is none of ours which a record repeats."""


@dataclass(kw_only=True)
class Toolbelt:
    """Tools of one agent phase; used from one thread."""

    sandbox: Sandbox
    docs: DocsClient
    write: EventSink
    now: Callable[[], float]
    budget: Budget
    max_output_chars: int
    cancelled: Callable[[], bool]
    commands: list[CommandResult] = field(default_factory=list)
    """Results of the agent's commands, in order."""

    def __post_init__(self) -> None:
        self._scopes = itertools.count(1)
        self.waited_s = 0.0

    def bash(self, command: str, *, call_id: str | None = None) -> CommandResult:
        """
        Run *command* in the agent's shell.

        Raises:
            BudgetExceeded: The agent's time is over, before or while the command ran.
            Interrupted: Somebody asked to stop.
            AttemptFault: Sandbox, sidecar or engine failed.

        """
        self._check_interrupted()
        limits = Limits(
            timeout_s=self.budget.command_timeout_s(),
            max_output_chars=self.max_output_chars,
            cancelled=self.cancelled,
        )
        scope = next(self._scopes)
        self.sandbox.begin_scope(scope)
        self.write(
            ToolCall(ts=self.now(), tool="bash", command=command, call_id=call_id, scope=scope)
        )
        result = self.sandbox.bash(command, limits)
        self._record(result, call_id, scope)
        self._check_interrupted()
        if result.timed_out and self.budget.remaining_s <= 0:
            raise BudgetExceeded(StopReason.MAX_SECONDS)
        return result

    def read_docs(self, url: str, *, page: int = 1, call_id: str | None = None) -> Reading:
        """
        Read a page of documentation; what goes wrong with it is in the answer, never raised.

        Raises:
            BudgetExceeded: The agent's time is over.
            Interrupted: Somebody asked to stop.

        """
        self._check_interrupted()
        self.budget.check()
        self.write(ToolCall(ts=self.now(), tool="read_docs", url=url, call_id=call_id))
        reading = self.docs.read(url, page=page)
        self.forgive(reading.waited_s)
        if reading.client_redirect is not None:
            self.write(
                DocsRedirectFollowed(
                    ts=self.now(),
                    requested=reading.client_redirect.requested,
                    resolved_to=reading.client_redirect.resolved_to,
                )
            )
        for one in reading.changed:
            self.write(DocsChanged(ts=self.now(), url=one.url, content_hash=one.content_hash))
        self.write(_reading_event(reading, self.now(), call_id))
        return reading

    def restart_bash(self, *, call_id: str | None = None) -> None:
        """
        Give the agent a new shell: working directory and variables are as at the start.

        Raises:
            Interrupted: Somebody asked to stop.
            AttemptFault: Sandbox or engine failed.

        """
        self._check_interrupted()
        self.write(ToolCall(ts=self.now(), tool="bash", restart=True, call_id=call_id))
        self.sandbox.reset_shell()

    def refuse(self, tool: str, why: str, *, call_id: str | None = None) -> None:
        """Record a call that cannot be carried out; *tool* is the name that the agent gave."""
        shown = tool[:LONGEST_TOOL_NAME]
        self.write(ToolCall(ts=self.now(), tool=shown, refused=why, call_id=call_id))

    def forgive(self, waited_s: float) -> None:
        """Take *waited_s* seconds, spent waiting for others, out of the agent's budget."""
        self.waited_s += waited_s
        self.budget.forgive(waited_s)

    def _record(self, result: CommandResult, call_id: str | None, scope: int) -> None:
        self.commands.append(result)
        self.write(
            ToolResult(
                ts=self.now(),
                tool="bash",
                exit_code=result.exit_code,
                duration=round(result.duration, 3),
                timed_out=result.timed_out,
                output=result.output,
                output_bytes=result.output_bytes,
                truncated=result.truncated,
                cwd=result.cwd or None,
                note=result.note or None,
                call_id=call_id,
                scope=scope,
            )
        )
        if result.restarted:
            self.write(SandboxRestarted(ts=self.now(), reason=result.restarted))

    def _check_interrupted(self) -> None:
        if self.cancelled():
            raise Interrupted("interrupted while the agent was at work")


def _reading_event(reading: Reading, now: float, call_id: str | None) -> Event:
    match reading.outcome:
        case Page() as page:
            return DocsFetch(
                ts=now,
                url=reading.requested,
                chars=page.chars,
                original_chars=page.original_chars,
                truncated=page.truncated,
                from_cache=page.from_cache,
                content_hash=page.content_hash,
                resolved_to=page.resolved_to,
                status=page.status,
                content_type=page.content_type or None,
                page=page.page,
                pages=page.pages,
                source=page.source,
                call_id=call_id,
            )
        case Blocked() as blocked:
            return FetchBlocked(
                ts=now,
                url=blocked.url,
                reason=blocked.reason,
                detail=blocked.detail or None,
                requested=reading.requested if reading.requested != blocked.url else None,
                call_id=call_id,
            )
        case Failed() as failed:
            return FetchError(
                ts=now, url=failed.url, error=failed.error, status=failed.status, call_id=call_id
            )
        case Withheld(url=url):
            return AffordanceWithheld(
                ts=now,
                url=url,
                requested=reading.requested if reading.requested != url else None,
                call_id=call_id,
            )
