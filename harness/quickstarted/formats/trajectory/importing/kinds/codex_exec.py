"""What `codex exec --json` prints: threads, turns and items that begin, change and are complete."""

from __future__ import annotations

from typing import Any

from quickstarted.formats.trajectory.importing.importer import Context, Record
from quickstarted.formats.trajectory.importing.run import EventFields, Run
from quickstarted.formats.trajectory.importing.talk import error_text
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields
from quickstarted.formats.trajectory.model import EventType

EXEC_TYPES = frozenset(
    {
        "thread.started",
        "turn.started",
        "turn.completed",
        "turn.failed",
        "item.started",
        "item.updated",
        "item.completed",
        "error",
    }
)
_TOOLS = {
    "command_execution": "shell",
    "mcp_tool_call": "mcp",
    "web_search": "web_search",
    "file_change": "apply_patch",
    "collab_tool_call": "collab",
}
_FAILED = frozenset({"failed", "declined", "error"})


class ExecRun:
    """One thread; there are no times in it."""

    def __init__(self, context: Context, first: Record) -> None:
        name = first.value.get("thread_id")
        self.run: Run = context.run("codex", None, name if isinstance(name, str) else None)
        self.run.framework = "codex"
        self._turn: str | None = None

    def take(self, record: Record) -> None:
        """Take the next line."""
        self.run.index = record.index
        fields = Fields(record.value)
        kind = fields.text("type") or ""
        if kind.startswith("item."):
            self._item(kind, fields)
            return
        made: EventFields = {"agent": "codex", "parent": self._turn}
        match kind:
            case "thread.started":
                event = EventType.RUN_START
            case "turn.started":
                event, made["module"] = EventType.AGENT_STEP, "turn"
            case "turn.completed":
                event, made["module"] = EventType.LLM_RESPONSE, "turn"
                made["metadata"] = {"sums_up": "turn", **usage_metadata(fields.any("usage"))}
            case _:
                event = EventType.ERROR
                error = fields.any("error", "message")
                made["error"] = error_text(error) or kind
                made["metadata"] = {"error": error if isinstance(error, dict) else None}
        made["native"] = fields.left
        made_id = self.run.add(event, **made)
        self._turn = made_id if kind == "turn.started" else self._turn

    def _item(self, phase: str, fields: Fields) -> None:
        item = fields.part("item")
        kind, name = item.text("type") or "item", item.text("id")
        if kind in _TOOLS:
            self._tool(kind, phase, item, name)
            return
        if phase != "item.completed" and kind != "todo_list":
            return
        made: EventFields = {"agent": "codex", "parent": self._turn}
        made["metadata"] = {"item_id": name, "phase": phase}
        made["output"] = item.any("text", "items", "message")
        event = {
            "agent_message": EventType.LLM_RESPONSE,
            "reasoning": EventType.REFLECTION,
            "todo_list": EventType.PLAN,
            "error": EventType.ERROR,
        }.get(kind, EventType.AGENT_STEP)
        if event is EventType.ERROR:
            made["error"] = error_text(made["output"]) or kind
        made["native"] = fields.left
        self.run.add(event, **made)

    def _tool(self, kind: str, phase: str, item: Fields, name: str | None) -> None:
        if phase == "item.updated":
            return
        tool = item.text("tool") or _TOOLS[kind]
        asked = {
            key: item.any(key)
            for key in ("command", "server", "arguments", "query", "changes", "prompt")
            if key in item
        }
        if phase == "item.started" or name is None or self.run.calls.named(name) is None:
            self.run.call(tool, name, agent="codex", parent=self._turn, input=asked, module=kind)
            if phase == "item.started":
                return
        status, exit_code, error = item.text("status"), item.any("exit_code"), item.any("error")
        words = error_text(error)
        if words is None and type(exit_code) is int and exit_code:
            words = f"exit code {exit_code}"
        if words is None and status in _FAILED:
            words = f"status: {status}"
        metadata: dict[str, Any] = {"status": status, "exit_code": exit_code}
        metadata["error"] = error if isinstance(error, dict) else None
        self.run.result(
            name,
            tool,
            output=item.any("aggregated_output", "result", "results"),
            error=words,
            metadata=metadata,
            native=item.left,
        )
