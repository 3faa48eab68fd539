"""
The agent's only doors: a shell in the sandbox, and the reading of documentation.

Every use is on record before it happens and after it has; results are objects, never prose to be
parsed back.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from quickstarted.budget import Budget, BudgetExceeded
from quickstarted.docs import Blocked, DocsClient, Failed, Page, Reading, Withheld
from quickstarted.docs.giving_up import given_up_when
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
    """
    Tools of one agent phase; used from one thread, but for reading and forgiving: a program in the
    sandbox brings these about from others.
    """

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
        self._forgiving = threading.Lock()
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
        reading = given_up_when(self.cancelled, lambda: self.docs.read(url, page=page))
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
        with self._forgiving:
            self.waited_s += waited_s
            self.budget.forgive(waited_s)

    def note_call(
        self,
        tool: str,
        *,
        command: str | None = None,
        path: str | None = None,
        call_id: str | None = None,
    ) -> int | None:
        """
        Record that a program uses a tool of its own.

        Returns:
            The scope of a command, which egress belongs to from now on; None for other tools.

        Raises:
            AttemptFault: Sidecar or storage failed.

        """
        shown = tool[:LONGEST_TOOL_NAME]
        scope = None if command is None else next(self._scopes)
        if scope is not None:
            self.sandbox.begin_scope(scope)
        self.write(
            ToolCall(
                ts=self.now(),
                tool=shown,
                command=command,
                path=path,
                call_id=call_id,
                scope=scope,
            )
        )
        return scope

    def note_result(
        self, result: CommandResult, *, call_id: str, scope: int, is_last: bool
    ) -> None:
        """
        Record how a command of a program's own has ended.

        Args:
            result: With all that it printed, or all that its program tells of that.
            call_id: As in `note_call`.
            scope: That it gave.
            is_last: Whether no other command of the program's is running.

        Raises:
            AttemptFault: Sidecar or storage failed.

        """
        if is_last:
            self.sandbox.begin_scope(0)
        self._record(result, call_id, scope)

    def _record(self, result: CommandResult, call_id: str | None, scope: int) -> None:
        self.commands.append(result)
        shown = cut(result, self.max_output_chars)
        self.write(
            ToolResult(
                ts=self.now(),
                tool="bash",
                exit_code=result.exit_code,
                duration=round(result.duration, 3),
                timed_out=result.timed_out,
                output=shown.output,
                output_bytes=result.output_bytes,
                truncated=shown.truncated,
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


def cut(result: CommandResult, max_chars: int) -> CommandResult:
    """*result* with head and tail of an output that is too long, as a sandbox cuts what it runs."""
    output = result.output
    if result.truncated or len(output) <= max_chars:
        return result
    head, tail = output[: max_chars // 2], output[len(output) - (max_chars - max_chars // 2) :]
    between = result.output_bytes - len(f"{head}{tail}".encode("utf-8", "replace"))
    shown = f"{head}\n[... {between:,} bytes cut ...]\n{tail}"
    return result.model_copy(update={"output": shown, "truncated": True})


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
                edit_url=page.edit_url,
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
