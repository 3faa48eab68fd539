"""
From events to the story of a run: commands joined with their results, refusals counted.

Events may come live, so nothing waits for the end; what an entry needs to know of earlier events
is in `Narrator`.
"""

from __future__ import annotations

from quickstarted.console.entries import Entry, Tone
from quickstarted.console.tell import Scene, tell
from quickstarted.console.text import lines_of, shorten
from quickstarted.console.traffic import Traffic
from quickstarted.console.words import count, exit_said, seconds
from quickstarted.events import (
    AgentFinal,
    AgentTurn,
    DocsRedirectFollowed,
    EventBase,
    Fault,
    RunEnd,
    ToolCall,
    ToolResult,
)

OUTPUT_LINES = 8
OUTPUT_COLUMNS = 300
"""How much of a failed command's output is shown to those who did not ask for everything."""
REASON_COLUMNS = 160
"""How much of a model's words before what it does."""


class Narrator:
    """Tells one run; feed it every event in order."""

    def __init__(self, *, verbose: bool = False) -> None:
        self.verbose = verbose
        self._start: float | None = None
        self._open: list[ToolCall] = []
        self._traffic = Traffic()
        self._redirected = ""
        self._words: AgentTurn | None = None

    def hear(self, event: EventBase) -> list[Entry]:
        """What is to be said now; often nothing."""
        if self._start is None:
            self._start = event.ts
        if self._traffic.add(event):
            return []
        if isinstance(event, ToolResult):
            return [*self._reason(event), self._command(event), *self._traffic.told(None)]
        said = [*self._reason(event), *tell(event, self._scene(event))]
        if isinstance(event, Fault | RunEnd):
            said = [*self.unanswered(), *said]
        if isinstance(event, ToolCall) and event.command is not None:
            self._open.append(event)
        return [*self._traffic.told(self._since(event.ts)), *said]

    def unanswered(self) -> list[Entry]:
        """Commands that did not end: the run was stopped, or is still going on."""
        calls, self._open = self._open, []
        return [
            Entry(
                label="$",
                text=self._command_text(call),
                said="did not end",
                at_s=self._since(call.ts),
                tone=Tone.WARN,
            )
            for call in calls
        ]

    def _reason(self, event: EventBase) -> list[Entry]:
        """
        What a model has said, before the first thing that comes of it; what comes of its last words
        is `agent_final`, which has them.
        """
        turn, self._words = self._words, event if isinstance(event, AgentTurn) else None
        if self.verbose or turn is None or isinstance(event, AgentFinal):
            return []
        first, *more = lines_of((turn.text or "").strip()) or [""]
        rest = f" (and {count(len(more), 'more line')})" if more else ""
        text = shorten(first, REASON_COLUMNS) + rest
        at_s = self._since(turn.ts)
        return [Entry(label="says", text=text, at_s=at_s, tone=Tone.QUIET)] if first else []

    def _scene(self, event: EventBase) -> Scene:
        scene = Scene(self._since(event.ts), self._cut, self._redirected)
        if isinstance(event, DocsRedirectFollowed):
            self._redirected = event.requested
        return scene

    def _since(self, ts: float) -> float:
        return ts - (self._start or ts)

    def _cut(self, output: str, *, failed: bool) -> tuple[str, ...]:
        """Which lines of *output* are shown."""
        lines = lines_of(output)
        if self.verbose:
            return tuple(lines)
        if not failed:
            return ()
        return tuple(shorten(line, OUTPUT_COLUMNS) for line in lines[-OUTPUT_LINES:])

    def _command(self, result: ToolResult) -> Entry:
        call = self._take_call(result)
        failed = result.exit_code != 0
        ended = exit_said(result.exit_code, timed_out=result.timed_out)
        said = f"{ended} ({seconds(result.duration)})"
        if result.note:
            said = f"{said}, {result.note}"
        return Entry(
            label="$",
            text=self._command_text(call) if call else f"({result.tool})",
            said=said,
            at_s=self._since(call.ts if call else result.ts - result.duration),
            tone=Tone.BAD if failed else Tone.GOOD,
            output=self._cut(result.output, failed=failed),
        )

    def _command_text(self, call: ToolCall) -> str:
        command = (call.command or "").strip("\n")
        first, *more = command.split("\n")
        if self.verbose or not more:
            return command
        return f"{first} (and {count(len(more), 'more line')})"

    def _take_call(self, result: ToolResult) -> ToolCall | None:
        """The call that *result* answers: by id, by number, else the oldest of that tool."""
        same_tool = [call for call in self._open if call.tool == result.tool]
        exact = [
            call
            for call in same_tool
            if (call.scope is not None and call.scope == result.scope)
            or (call.call_id is not None and call.call_id == result.call_id)
        ]
        found = next(iter(exact or same_tool), None)
        if found is not None:
            self._open.remove(found)
        return found
