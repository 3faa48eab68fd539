"""
LangGraph and LangChain: `astream_events`, and logs of callback handlers.

There are no times in them but those that ids of version 7 carry: the start of a run. An answer's
pieces (`on_*_stream`) are put together; the answer itself has them all.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.kinds.langchain_messages import (
    plain_messages,
    text_of,
)
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import error_text
from quickstarted.formats.trajectory.importing.times import from_uuid
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, from_text
from quickstarted.formats.trajectory.model import EventType

_STREAMS = ("_stream", "_new_token")
_MODELS = ("on_chat_model", "on_llm")
_ENDS = (
    ("on_chat_model", EventType.LLM_RESPONSE),
    ("on_llm", EventType.LLM_RESPONSE),
    ("on_retriever", EventType.MEMORY_READ),
    ("on_agent_action", EventType.TOOL_CALL),
    ("on_agent", EventType.AGENT_STEP),
    ("on_prompt", EventType.AGENT_STEP),
)
_HANDOFFS = ("transfer_to_", "handoff_to_")


class LangGraphImporter:
    """A stream of `on_*` events."""

    name: ClassVar[str] = "langgraph"
    title: ClassVar[str] = "LangGraph and LangChain callbacks"

    def detects(self, value: Any) -> Claim | None:
        """`event` begins with `on_`, and there is a `run_id`."""
        if isinstance(value, dict) and _is_callback(value):
            return Claim(f"event is {value['event']}, with a run_id", is_whole=False)
        return None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """One run for each root, whose id is its name."""
        graphs: dict[str, _Graph] = {}
        roots: dict[str, str] = {}
        for record in context.hold(records):
            with context.guard(record):
                if not isinstance(record.value, dict) or not _is_callback(record.value):
                    raise NotConvertible("has no event on_* and run_id", "Take it out.")
                root = _root(record.value, roots)
                if root not in graphs:
                    graphs[root] = _Graph(context.run(self.name, None, root))
                graphs[root].take(record)
        for graph in graphs.values():
            yield from graph.finished().pieces()


class _Graph:
    """Events of one call of a graph."""

    def __init__(self, run: Run) -> None:
        self._run = run
        self._starts: dict[str, str] = {}
        self._asked: dict[str, str] = {}
        self._pieces: dict[str, list[str]] = {}
        run.framework = "langgraph"

    def take(self, record: Record) -> None:
        self._run.index = record.index
        fields = Fields(record.value)
        event, run_id = fields.text("event") or "", fields.text("run_id") or ""
        parents = fields.list("parent_ids") or []
        parent = fields.text("parent_run_id") or (parents[-1] if parents else None)
        above = self._starts.get(parent) if isinstance(parent, str) else None
        data = fields.part("data") if isinstance(record.value.get("data"), dict) else fields
        about = fields.object("metadata") or {}
        made: EventFields = {
            "parent": above,
            "agent": str(about.get("langgraph_node") or fields.text("name") or "agent"),
            "metadata": {"event": event, "run_id": run_id, "name": fields.text("name")},
        }
        made["metadata"] |= {"about": about, "tags": fields.list("tags"), "parent_ids": parents}
        if event.endswith(_STREAMS):
            self._piece(event, run_id, data, made)
            return
        if event.endswith("_start"):
            self._start(event, run_id, data, made, fields)
        else:
            self._end(event, run_id, data, made, fields)

    def finished(self) -> Run:
        for run_id, texts in self._pieces.items():
            if any(texts):
                self._run.index = None
                self._run.add(
                    EventType.LLM_RESPONSE,
                    parent=self._starts.get(run_id),
                    output="".join(texts),
                    metadata={"run_id": run_id, "chunks": len(texts), "unfinished": True},
                )
        return self._run

    def _piece(self, event: str, run_id: str, data: Fields, made: EventFields) -> None:
        chunk = data.any("chunk", "token")
        if event.startswith(_MODELS):
            text = chunk if isinstance(chunk, str) else text_of(chunk)
            self._pieces.setdefault(run_id, []).append(text or "")
        elif isinstance(chunk, dict) and "__interrupt__" in chunk:
            made["output"] = chunk
            self._run.add(EventType.HUMAN_FEEDBACK, **made)

    def _start(
        self, event: str, run_id: str, data: Fields, made: EventFields, fields: Fields
    ) -> None:
        made["at"] = from_uuid(run_id)
        if self._run.started_at is None:
            self._run.started_at = made["at"]
        made["event_id"] = f"{run_id}:start"
        shown = data.any("inputs")
        given = data.any("input", "input_str", "messages", "prompts")
        if shown is None:
            shown, given = given, None
        made["input"] = plain_messages(shown)
        made["metadata"] |= {"input_as_text": given}
        made["native"] = fields.left
        if event == "on_tool_start":
            self._starts[run_id] = self._called(run_id, made)
            return
        kind = EventType.AGENT_STEP
        if event.startswith(_MODELS):
            kind = EventType.LLM_CALL
        elif event == "on_retriever_start":
            kind = EventType.MEMORY_READ
        elif event == "on_chain_start" and made["parent"] is None and not self._starts:
            kind = EventType.RUN_START
            self._run.goal = _goal(made["input"])
        self._starts[run_id] = self._run.add(kind, **made)

    def _called(self, run_id: str, made: EventFields) -> str:
        tool = made["metadata"].pop("name", None) or ""
        if tool.startswith(_HANDOFFS):
            self._run.add(EventType.HANDOFF, parent=made["parent"], output={"to": tool})
        if isinstance(made["input"], str):
            made["input"] = from_text(made["input"])[0] or made["input"]
        return self._run.call(tool, run_id, **made)

    def _end(
        self, event: str, run_id: str, data: Fields, made: EventFields, fields: Fields
    ) -> None:
        made["event_id"] = f"{run_id}:end"
        made["parent"] = self._starts.get(run_id, made["parent"])
        output = data.any("output", "outputs", "response", "documents", "finish", "action")
        error = data.any("error")
        made["error"] = error_text(error)
        made["metadata"] |= {"error": error if isinstance(error, dict) else None}
        given = data.any("input", "inputs")
        if given is not None and run_id not in self._starts:
            made["input"] = plain_messages(given)
        pieces = self._pieces.pop(run_id, None)
        made["metadata"] |= {"chunks": len(pieces) if pieces else None}
        shown = plain_messages(output)
        if event in {"on_tool_end", "on_tool_error"}:
            self._returned(run_id, shown, made, fields)
            return
        if event in {"on_chat_model_end", "on_llm_end"}:
            made["metadata"] |= _usage_in(shown)
        made["output"] = shown
        made["native"] = fields.left
        self._run.add(self._kind(event, run_id), **made)

    def _returned(self, run_id: str, shown: Any, made: EventFields, fields: Fields) -> None:
        message = Fields(shown)
        if message.text("role") == "tool":
            made["metadata"] |= {"tool_call_id": message.text("tool_call_id")}
            status = message.text("status")
            made["metadata"] |= {"status": status}
            output = message.any("content")
            if status == "error" and made["error"] is None:
                made["error"] = output if isinstance(output, str) else "status is error"
            made["metadata"] |= {"message": message.left}
            shown = output
        made["output"] = shown
        made["native"] = fields.left
        made["metadata"].pop("name", None)
        self._run.result(run_id, None, **made)

    def _kind(self, event: str, run_id: str) -> EventType:
        if event == "on_chain_end":
            start = self._starts.get(run_id)
            first = self._run.events[0] if self._run.events else None
            is_root = first is not None and first["event_id"] == start
            if is_root and first is not None and first["event_type"] == EventType.RUN_START.value:
                return EventType.RUN_END
            return EventType.AGENT_STEP
        if event.endswith("_error"):
            return EventType.ERROR
        found = (kind for prefix, kind in _ENDS if event.startswith(prefix))
        return next(found, EventType.OBSERVATION)


def _is_callback(value: dict[str, Any]) -> bool:
    event = value.get("event")
    return (
        isinstance(event, str) and event.startswith("on_") and isinstance(value.get("run_id"), str)
    )


def _root(value: dict[str, Any], roots: dict[str, str]) -> str:
    """The root above the run of *value*, which *roots* knows afterwards."""
    run_id = str(value["run_id"])
    if run_id not in roots:
        parents, parent = value.get("parent_ids"), value.get("parent_run_id")
        above = parents[0] if isinstance(parents, list) and parents else parent or run_id
        roots[run_id] = roots.get(str(above), str(above))
    return roots[run_id]


def _goal(value: Any) -> str | None:
    messages = value.get("messages") if isinstance(value, dict) else None
    for message in messages if isinstance(messages, list) else ():
        content = message.get("content") if isinstance(message, dict) else None
        if isinstance(content, str) and message.get("role") == "user":
            return content
    return None


def _usage_in(shown: Any) -> dict[str, Any]:
    usage = shown.get("usage_metadata") if isinstance(shown, dict) else None
    return usage_metadata(usage) if isinstance(usage, dict) else {}
