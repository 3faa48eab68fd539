"""Items of OpenAI's Responses API: in a response, in the input of a request, or by themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from quickstarted.formats.trajectory.importing.importer import (
    Claim,
    Context,
    NotConvertible,
    Record,
)
from quickstarted.formats.trajectory.importing.run import EventFields, Piece, Run
from quickstarted.formats.trajectory.importing.talk import Talk, add_call, error_text
from quickstarted.formats.trajectory.importing.times import Stamp, stamp
from quickstarted.formats.trajectory.importing.usage import usage_metadata
from quickstarted.formats.trajectory.importing.values import Fields, from_text, is_one_of, joined
from quickstarted.formats.trajectory.model import EventType

_ITEMS = frozenset({"message", "reasoning", "function_call", "function_call_output"}) | {
    f"{tool}_call{end}"
    for tool in ("computer", "custom_tool", "local_shell", "web_search", "file_search", "mcp")
    for end in ("", "_output")
}


class ResponsesImporter:
    """`output` of a response with its `input`, or the items alone."""

    name: ClassVar[str] = "openai-responses"
    title: ClassVar[str] = "OpenAI Responses items"

    def detects(self, value: Any) -> Claim | None:
        """Items have a `type` that only they have, or are in a `response`."""
        if isinstance(value, dict):
            if value.get("object") == "response" and isinstance(value.get("output"), list):
                return Claim("it is an object of type response, with output")
            if any(_are_items(value.get(key)) for key in ("input", "output")):
                return Claim("it has input or output of Responses items")
            if _is_item(value):
                return Claim("it is an item of Responses", is_whole=False, is_weak=True)
        return Claim("a list of Responses items") if _are_items(value) else None

    def convert(self, records: Iterator[Record], context: Context) -> Iterator[Piece]:
        """A run for each object that has items, and one for all items that stand alone."""
        stream: Run | None = None
        for record in context.hold(records):
            with context.guard(record):
                value = record.value
                if isinstance(value, list) or (isinstance(value, dict) and not _is_item(value)):
                    yield from self._whole(record, context).pieces()
                    continue
                if not isinstance(value, dict):
                    raise NotConvertible("is no Responses item", "Take it out.")
                if stream is None:
                    stream = context.run(self.name, None)
                stream.index = record.index
                add_item(stream, Talk(stream), value)
        if stream is not None:
            yield from stream.pieces()

    def _whole(self, record: Record, context: Context) -> Run:
        value = record.value if isinstance(record.value, dict) else {"output": record.value}
        fields = Fields(value)
        run = context.run(self.name, record, fields.text("id", "trace_id"))
        run.started_at = stamp(fields.any("created_at"))
        talk = Talk(run)
        instructions = fields.text("instructions")
        if instructions is not None:
            talk.message({"role": "system", "content": instructions})
        given = fields.any("input")
        if isinstance(given, str):
            talk.message({"role": "user", "content": given})
        for item in [*(given if isinstance(given, list) else ()), *(fields.list("output") or ())]:
            if not isinstance(item, dict):
                raise NotConvertible("has an item that is no object", "Take it out.")
            add_item(run, talk, item)
        fields.drop("object")
        run.metadata |= {"model": fields.text("model"), **usage_metadata(fields.any("usage"))}
        run.metadata["native"] = fields.left
        return run


def add_item(run: Run, talk: Talk, item: dict[str, Any], at: Stamp | None = None) -> None:
    """Add one item, as a response and a rollout of Codex have them."""
    kind = item.get("type")
    if kind is None or kind == "message":
        talk.message({key: value for key, value in item.items() if key != "type"}, at=at)
        return
    fields = Fields(item)
    fields.drop("type")
    name = kind if isinstance(kind, str) else "item"
    if kind == "reasoning":
        _add_reasoning(run, fields, at)
    elif name.endswith("_output"):
        _add_result(run, fields, at)
    elif name.endswith("_call"):
        call_id = fields.text("call_id", "id")
        arguments = fields.any("arguments", "input", "action")
        tool = fields.text("name") or name.removesuffix("_call")
        made = {"kind": name, "status": fields.text("status"), "item_id": fields.text("id")}
        call: EventFields = {"at": at, "agent": talk.agent, "metadata": made}
        if kind == "custom_tool_call":
            # Its input is text of any kind.
            call["input"] = arguments
            run.call(tool, call_id, **call)
        else:
            add_call(run, tool, call_id, arguments, call)
        run.events[-1]["metadata"] |= {"native": fields.left} if fields.left else {}
        if "output" in item or "results" in item:
            _add_result(run, Fields({**fields.left, "call_id": call_id}), at)
    else:
        run.add(EventType.AGENT_STEP, at=at, metadata={"kind": name}, native=fields.left)


def _add_reasoning(run: Run, fields: Fields, at: Stamp | None) -> None:
    texts = [
        part["text"]
        for part in [*(fields.list("summary") or []), *(fields.list("content") or [])]
        if isinstance(part, dict) and isinstance(part.get("text"), str)
    ]
    run.add(
        EventType.REFLECTION,
        at=at,
        agent="assistant",
        output=joined(texts),
        metadata={"redacted": None if texts else True, "item_id": fields.text("id")},
        native=fields.left,
    )


def _add_result(run: Run, fields: Fields, at: Stamp | None) -> None:
    call_id = fields.text("call_id")
    output, error, status = (
        fields.any("output", "results"),
        fields.any("error"),
        fields.text("status"),
    )
    said = Fields(from_text(output)[0] if isinstance(output, str) else output)
    success, exit_code = said.flag("success"), said.part("metadata").number("exit_code")
    if exit_code and error is None:
        error = f"exit code {exit_code:g}"
    failed = status in {"failed", "incomplete"} or success is False
    words = error_text(error) or (f"status: {status}" if failed and status else None)
    run.result(
        call_id,
        None,
        at=at,
        output=output,
        error=words or ("success is false" if failed else None),
        metadata={"status": status, "item_id": fields.text("id"), "exit_code": exit_code},
        native=fields.left,
    )


def _is_item(value: Any) -> bool:
    if not isinstance(value, dict) or not is_one_of(value.get("type"), _ITEMS):
        return False
    return bool({"call_id", "summary", "encrypted_content", "role", "action", "id"} & set(value))


def _are_items(value: Any) -> bool:
    return (
        isinstance(value, list)
        and any(_is_item(one) for one in value)
        and all(isinstance(one, dict) and (_is_item(one) or "role" in one) for one in value)
    )
