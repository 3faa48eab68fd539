"""
Messages of a conversation into events, as chat models of many vendors have them.

One message can be several events: what was thought, what was said, each call of a tool. Calls are
children of the answer that asked for them, and results children of their call.
"""

from __future__ import annotations

from typing import Any

from quickstarted.formats.trajectory.importing.content import Content, read_content
from quickstarted.formats.trajectory.importing.run import EventFields, Run
from quickstarted.formats.trajectory.importing.times import Stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, from_text
from quickstarted.formats.trajectory.model import EventType

ROLES = frozenset({"system", "developer", "user", "assistant", "tool", "function", "exit"})
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use", "tool_call"})
_THOUGHTS = frozenset({"thinking", "redacted_thinking", "reasoning"})
_FAILED = "the result is flagged as an error"


class Talk:
    """Takes the messages of one run in order; *agent* is who the assistant is."""

    def __init__(self, run: Run, agent: str = "assistant") -> None:
        self._run = run
        self.agent = agent
        self._at: Stamp | None = None
        self._parent: str | None = None
        self._shared: dict[str, Any] = {}

    def message(
        self,
        message: dict[str, Any],
        *,
        at: Stamp | None = None,
        parent: str | None = None,
        shared: dict[str, Any] | None = None,
    ) -> str | None:
        """
        Take the next message.

        Args:
            message: With `role` and `content`; what else it has stays.
            at: When it was said.
            parent: Event that it belongs under.
            shared: Goes into the metadata of each of its events.

        Returns:
            The event that what follows can be put under.

        """
        self._at, self._parent, self._shared = at, parent, shared or {}
        fields = Fields(message)
        role = fields.text("role")
        content = read_content(fields.any("content"), self._run)
        if role in {"tool", "function"}:
            return self._tool(fields, content)
        if role == "assistant":
            return self._assistant(fields, content)
        return self._other(role or "user", fields, content)

    def _fields(self, **fields: Any) -> EventFields:
        made: EventFields = {"at": self._at, "parent": self._parent}
        made.update(fields)  # type: ignore[typeddict-item]
        made["metadata"] = {**self._shared, **fields.get("metadata", {})}
        return made

    def _other(self, role: str, fields: Fields, content: Content) -> str | None:
        last = self._results(content)
        said = content.texts or content.artifacts or content.rest
        left = fields.left
        if not said and not left and last is not None:
            return last
        if role == "user" and self._run.goal is None and content.text:
            self._run.goal = content.text
        kind = EventType.RUN_END if role == "exit" else EventType.OBSERVATION
        name = "system" if role == "developer" else "agent" if role == "exit" else role
        return self._run.add(
            kind,
            **self._fields(
                agent=name,
                output=content.output,
                artifacts=content.artifacts,
                metadata={"role": role},
                native={**left, **content.rest},
            ),
        )

    def _results(self, content: Content) -> str | None:
        """Results that stand in the message of a user."""
        last = None
        for kind, part in [one for one in content.others if _is_result(one[0])]:
            content.others.remove((kind, part))
            last = self._result(part)
        return last

    def _result(self, part: dict[str, Any]) -> str:
        fields = Fields(part)
        fields.drop("type")
        inner = read_content(fields.any("content", "response", "result"), self._run)
        failed = fields.flag("is_error")
        return self._run.result(
            fields.text("tool_use_id", "id"),
            fields.text("name"),
            **self._fields(
                output=_output(inner),
                error=(inner.text or _FAILED) if failed else None,
                artifacts=inner.artifacts,
                metadata={"is_error": failed},
                native={**fields.left, **_left_of(inner)},
            ),
        )

    def _tool(self, fields: Fields, content: Content) -> str:
        call_id = fields.text("tool_call_id")
        tool = fields.text("name", "function")
        status, flag, error = fields.text("status"), fields.flag("is_error"), fields.any("error")
        failed = flag is True or status == "error" or error not in (None, False)
        words = (error_text(error) or content.text or _FAILED) if failed else None
        return self._run.result(
            call_id,
            tool,
            **self._fields(
                output=_output(content),
                error=words,
                artifacts=content.artifacts,
                metadata={
                    "is_error": flag,
                    "status": status,
                    "error": error if isinstance(error, dict) else None,
                },
                native={**fields.left, **_left_of(content)},
            ),
        )

    def _assistant(self, fields: Fields, content: Content) -> str:
        self._thoughts(fields, content)
        calls = [*self._calls_of(fields), *_taken(content, _CALLS)]
        results = [part for kind, part in content.others if _is_result(kind)]
        content.others = [one for one in content.others if not _is_result(one[0])]
        refusals = [part.get("refusal") for part in _taken(content, {"refusal"})]
        refusal = fields.text("refusal") or "\n".join(str(one) for one in refusals) or None
        said = self._run.add(
            EventType.LLM_RESPONSE,
            **self._fields(
                agent=self.agent,
                output=content.output,
                artifacts=content.artifacts,
                metadata={
                    "message_id": fields.text("id"),
                    "model": fields.text("model"),
                    "stop_reason": fields.text("stop_reason", "finish_reason"),
                    "refusal": refusal,
                    **usage_metadata(fields.any("usage")),
                },
                native={**fields.left, **content.rest},
            ),
        )
        self._parent = said
        for call in calls:
            self._call(call)
        for result in results:
            self._result(result)
        return said

    def _thoughts(self, fields: Fields, content: Content) -> None:
        plain = fields.text("reasoning_content", "reasoning")
        if plain:
            self._run.add(EventType.REFLECTION, **self._fields(agent=self.agent, output=plain))
        for part in _taken(content, _THOUGHTS):
            thought = Fields(part)
            kind = thought.text("type")
            words = thought.text("thinking", "reasoning", "text", "content")
            self._run.add(
                EventType.REFLECTION,
                **self._fields(
                    agent=self.agent,
                    output=words or None,
                    metadata={"redacted": True if not words else None, "kind": kind},
                    native=thought.left,
                ),
            )

    def _calls_of(self, fields: Fields) -> list[dict[str, Any]]:
        listed = fields.list("tool_calls") or []
        single = fields.object("function_call")
        calls = [one for one in listed if isinstance(one, dict)]
        if len(calls) < len(listed):
            fields.put("tool_calls", [one for one in listed if not isinstance(one, dict)])
        return calls if single is None else [*calls, single]

    def _call(self, call: dict[str, Any]) -> None:
        """A call as OpenAI, Anthropic, LangChain, Inspect and OpenTelemetry spell it."""
        outer = Fields(call)
        inner = outer.part("function") if isinstance(call.get("function"), dict) else outer
        add_call(
            self._run,
            inner.text("name", "function"),
            outer.text("id", "tool_call_id"),
            inner.any("arguments", "input", "args"),
            self._fields(agent=self.agent, metadata={"kind": outer.text("type")}),
            outer,
        )


def add_call(
    run: Run,
    tool: str | None,
    call_id: str | None,
    arguments: Any,
    fields: EventFields,
    left: Fields | None = None,
) -> str:
    """Add a call of a tool, whose arguments may be JSON in a string, which may be broken."""
    value, is_valid = from_text(arguments)
    metadata = dict(fields.get("metadata", {}))
    if not is_valid:
        metadata["arguments_invalid"] = True
        run.note("arguments that are no JSON are kept as they stand (metadata.arguments_invalid)")
    made: EventFields = {**fields, "metadata": metadata, "input": value}
    if left is not None:
        made["native"] = left.left
    return run.call(tool, call_id, **made)


def error_text(error: Any) -> str | None:
    """An error as one string: itself, its message, or its kind."""
    if isinstance(error, dict):
        found = Fields(error).text("message", "error", "detail", "type")
        return found or (f"an error with {', '.join(error)}" if error else None)
    if isinstance(error, str):
        return error
    return None if error is None or error is False else _FAILED


def _is_result(kind: str) -> bool:
    return kind.endswith("tool_result") or kind == "tool_call_response"


def _taken(content: Content, kinds: frozenset[str] | set[str]) -> list[dict[str, Any]]:
    """The parts of *kinds*, which the content has no more."""
    found = [part for kind, part in content.others if kind in kinds]
    content.others = [one for one in content.others if one[0] not in kinds]
    return found


def _output(content: Content) -> Any:
    """A result's content: text, or the object that it is."""
    if content.texts or len(content.others) != 1:
        return content.output
    return content.others[0][1]


def _left_of(content: Content) -> dict[str, Any]:
    """What of a result's content is not its output."""
    if content.texts or len(content.others) != 1:
        return content.rest
    return {"parts": content.native} if content.native else {}
